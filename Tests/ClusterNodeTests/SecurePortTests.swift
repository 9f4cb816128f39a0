import ClusterConfiguration
import EventLoop
import Foundation
import GatewayCore
import ReplicaCore
import Sockets
import TLS
import Testing

@testable import ClusterAdministration
@testable import ClusterNode

/// The port of a node with a certificate, on one thread: the loop runs between what a client does.
@Suite(.timeLimit(.minutes(1))) final class `A node's HTTP port with a certificate` {
    private let loop: Loop
    private let folder: TemporaryFolder
    private let sink = Sink()

    /// The node of the port that is open.
    private var node: PortNode?
    private var inputs: [Input] { node?.inputs ?? [] }

    /// The lines for the log.
    private final class Sink {
        var log: [String] = []
    }

    init() throws {
        loop = try Loop()
        folder = try TemporaryFolder()
    }

    private func write(_ certificate: TLS.Certificate) throws {
        _ = try folder.write(certificate.certificate, to: "certificate.pem")
        _ = try folder.write(certificate.key, to: "certificate.key")
        try restrict(folder.file("certificate.key"))
    }

    private var files: HTTPSettings.CertificateFiles {
        HTTPSettings.CertificateFiles(
            certificate: folder.file("certificate.pem"), key: folder.file("certificate.key"))
    }

    /// A port at a free address, and that address with the fingerprint of a certificate.
    private func open(
        _ configuration: GatewayConfiguration = GatewayConfiguration()
    ) throws -> (port: HTTPPort, base: String) {
        for _ in 0..<100 {
            let base = "https://127.0.0.1:\(Int.random(in: 21_600...21_690))"
            let address = try #require(HTTPAddress(base))
            let certificate = try ServerCertificate(files, at: address) { [sink] in
                sink.log.append($0)
            }
            let node = PortNode(on: loop, configuration, certificate: certificate)
            guard node.open(at: base) else { continue }
            self.node = node
            return (node.port, base)
        }
        throw NoPort()
    }

    private struct NoPort: Error {}

    private func turn(_ times: Int = 3) throws {
        for _ in 0..<times {
            let end = try loop.timer(after: .milliseconds(3)) { [loop] in loop.stop() }
            loop.run()
            withExtendedLifetime(end) {}
        }
    }

    /// A client that pins a certificate, once it has had time to connect.
    private func client(_ base: String, pinning certificate: TLS.Certificate) throws -> NodeSocket {
        let pin = HTTPAddress.fragment(ofFingerprint: certificate.fingerprint)
        let client = try NodeSocket(to: try #require(HTTPAddress(base + pin)))
        for _ in 0..<40 where !client.isOpen {
            _ = client.receive { _ in }
            try turn(1)
        }
        return client
    }

    /// The port's answer to some bytes, and whether it closes the connection.
    private func answer(_ base: String, to bytes: [UInt8]) throws -> (text: String, isClosed: Bool)
    {
        let address = try #require(HTTPAddress(base.replacing("https", with: "http")))
        let socket = try PolledSocket(to: address)
        #expect(socket.wait(upTo: .seconds(1)))
        #expect(try socket.finishConnecting())
        #expect(socket.send(bytes))
        try turn()
        var answer: [UInt8] = []
        var isOpen = true
        for _ in 0..<5 where isOpen {
            isOpen = socket.receive { answer += $0 }
            try turn(1)
        }
        return (String(decoding: answer, as: UTF8.self), !isOpen)
    }

    @Test func `carries frames both ways`() throws {
        let certificate = Certificate(hosts: ["localhost"])
        try write(certificate)
        let (port, base) = try open()
        let client = try client(base, pinning: certificate)
        #expect(client.isOpen)
        let frame = [UInt8](repeating: 9, count: 100_000)
        client.send(frame)
        try turn(10)
        guard case .requested(frame, let session)? = inputs.last else {
            Issue.record("\(inputs.count) inputs")
            return
        }
        port.reply([4, 5], to: session)
        var replies: [[UInt8]] = []
        for _ in 0..<20 where replies.isEmpty {
            try turn(1)
            #expect(client.receive { replies.append($0) })
        }
        #expect(replies == [[4, 5]])
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\u{0}\u{0}", "x"])
    func `tells a client without TLS to use it`(text: String) throws {
        try write(Certificate(hosts: ["localhost"]))
        let (port, base) = try open()
        let answer = try answer(base, to: Array(text.utf8))
        #expect(answer.text.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.text.hasSuffix("write https:// in place of http://.\n"))
        #expect(answer.isClosed)
        #expect(port.count <= 1 && inputs.isEmpty)
    }

    @Test(arguments: [[22], [22, 3, 1]] as [[UInt8]])
    func `closes a connection that takes too long for its handshake`(bytes: [UInt8]) throws {
        try write(Certificate(hosts: ["localhost"]))
        let (port, base) = try open()
        let address = try #require(HTTPAddress(base.replacing("https", with: "http")))
        let socket = try PolledSocket(to: address)
        #expect(socket.wait(upTo: .seconds(1)))
        #expect(try socket.finishConnecting())
        #expect(socket.send(bytes))
        try turn()
        for _ in 0..<9 { port.tick() }
        #expect(port.count == 1)
        port.tick()
        #expect(port.count == 0)
    }

    @Test func `keeps a connection after its handshake`() throws {
        let certificate = Certificate(hosts: ["localhost"])
        try write(certificate)
        let (port, base) = try open()
        let client = try client(base, pinning: certificate)
        for _ in 0..<30 { port.tick() }
        try turn()
        #expect(client.receive { _ in })
        #expect(port.count == 1)
    }

    @Test func `keeps a connection that sends nothing after its handshake`() throws {
        let certificate = Certificate(hosts: ["localhost"])
        try write(certificate)
        let (port, base) = try open()
        let pin = HTTPAddress.fragment(ofFingerprint: certificate.fingerprint)
        let socket = try PolledSocket(to: try #require(HTTPAddress(base + pin)))
        #expect(socket.wait(upTo: .seconds(1)))
        #expect(try socket.finishConnecting())
        _ = socket.send([])
        for _ in 0..<5 {
            try turn()
            #expect(socket.receive { _ in })
        }
        for _ in 0..<30 { port.tick() }
        #expect(port.count == 1)
    }

    @Test(arguments: [0, 1])
    func `refuses clients above the limit with the reason, up to a second limit`(limit: Int) throws
    {
        try write(Certificate(hosts: ["localhost"]))
        var configuration = GatewayConfiguration()
        configuration.connectionLimit = limit
        let node = PortNode(on: loop, configuration)
        var bound: HTTPAddress?
        for _ in 0..<100 where bound == nil {
            let text = "http://127.0.0.1:\(Int.random(in: 21_600...21_690))"
            if node.open(at: text) { bound = HTTPAddress(text) }
        }
        let address = try #require(bound)
        let sockets = try (0..<limit + 103).map { _ in
            let socket = try PolledSocket(to: address)
            #expect(socket.wait(upTo: .seconds(1)))
            #expect(try socket.finishConnecting())
            return socket
        }
        try turn(5)
        #expect(node.port.count == limit + 100)
        let refused = sockets.count { socket in
            var text: [UInt8] = []
            _ = socket.receive { text += $0 }
            return text.starts(with: "HTTP/1.1 503 ".utf8)
        }
        #expect(refused == 100)
    }

    @Test func `ends a connection above all limits without an answer`() throws {
        try write(Certificate(hosts: ["localhost"]))
        var configuration = GatewayConfiguration()
        configuration.connectionLimit = 0
        let (port, base) = try open(configuration)
        let answer = try answer(base, to: [22, 3, 1])
        #expect(answer.text.isEmpty && answer.isClosed)
        #expect(port.count == 0)
    }

    @Test
    func `looks every five seconds for a new certificate, and keeps the old one if that is none`()
        throws
    {
        let (old, new) = (Certificate(hosts: ["localhost"]), Certificate(hosts: ["127.0.0.1"]))
        try write(old)
        let (port, base) = try open()
        let early = try client(base, pinning: old)
        _ = try folder.write("nothing", to: "certificate.pem")
        for _ in 0..<5 { port.tick() }
        #expect(
            sink.log.count == 1 && sink.log.last?.hasPrefix("keeps the old certificate: ") == true)
        #expect(try client(base, pinning: old).isOpen)
        for _ in 0..<5 { port.tick() }
        #expect(sink.log.count == 1)
        try write(new)
        for _ in 0..<4 { port.tick() }
        #expect(try client(base, pinning: old).isOpen)
        port.tick()
        #expect(sink.log.count == 2 && sink.log.last?.hasPrefix("new connections get") == true)
        #expect(try client(base, pinning: new).isOpen)
        #expect(try !client(base, pinning: old).isOpen)
        try turn()
        #expect(early.receive { _ in })
    }

    @Test(arguments: ["key", "time", "file"])
    func `notices a change of the key alone, of the time alone, of the file alone`(
        change: String
    ) throws {
        var (old, new) = (Certificate(hosts: ["localhost"]), Certificate(hosts: ["localhost"]))
        while new.certificate.utf8.count != old.certificate.utf8.count
            || new.key.utf8.count != old.key.utf8.count
        {
            new = Certificate(hosts: ["localhost"])
        }
        try write(old)
        let address = try #require(HTTPAddress("https://127.0.0.1:1"))
        let certificate = try ServerCertificate(files, at: address) { [sink] in
            sink.log.append($0)
        }
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        if change == "key" {
            _ = try folder.write(new.certificate, to: "certificate.pem")
            certificate.refresh()
            #expect(sink.log.count == 1 && sink.log[0].hasPrefix("keeps"))
        } else if change == "file" {
            try set(date)
            certificate.refresh()
        }
        sink.log = []
        certificate.refresh()
        #expect(sink.log.isEmpty)
        switch change {
        case "key":
            _ = try folder.write(new.key, to: "certificate.key")
            try restrict(folder.file("certificate.key"))
        case "time":
            try overwrite("certificate.pem", with: new.certificate)
            try overwrite("certificate.key", with: new.key)
        default:
            try write(new)
            try set(date)
        }
        certificate.refresh()
        #expect(sink.log.count == 1 && sink.log.last?.hasPrefix("new connections get") == true)
    }

    /// Sets when both files were written last.
    private func set(_ date: Date) throws {
        for name in ["certificate.pem", "certificate.key"] {
            try FileManager.default.setAttributes(
                [.modificationDate: date], ofItemAtPath: folder.file(name))
        }
    }

    /// Writes another text of the same length into a file.
    private func overwrite(_ name: String, with text: String) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.file(name)))
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `has the certificate that its address names`() throws {
        let (own, other) = (Certificate(hosts: ["localhost"]), Certificate(hosts: ["localhost"]))
        try write(own)
        let base = "https://127.0.0.1:1"
        for certificate in [own, other] {
            let pin = HTTPAddress.fragment(ofFingerprint: certificate.fingerprint)
            let address = try #require(HTTPAddress(base + pin))
            let made = Result { () throws(NodeError) in
                try ServerCertificate(files, at: address) { _ in }
            }
            guard case .failure(let error) = made else {
                #expect(certificate == own)
                continue
            }
            #expect(certificate == other)
            #expect(error.problem.contains("\(base) names another certificate than"))
            #expect(
                error.fix.contains(HTTPAddress.fragment(ofFingerprint: own.fingerprint)))
        }
    }

    @Test func `names a file that is not there`() throws {
        let address = try #require(HTTPAddress("https://127.0.0.1:1"))
        let error = #expect(throws: NodeError.self) {
            try ServerCertificate(files, at: address) { _ in }
        }
        #expect(error?.problem.contains("certificate.pem: No such file") == true)
    }
}
