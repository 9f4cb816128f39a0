import Foundation
import TLS
import Testing

/// A server and a client, and the wire between them.
private final class Pair {
    let server: TLSFilter
    let client: TLSFilter
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []

    init(_ server: TLSFilter, _ client: TLSFilter) {
        self.server = server
        self.client = client
    }

    /// Carries what waits, in pieces, until neither end says anything.
    func exchange(pieces: Int = 1 << 20) {
        while true {
            let (up, down) = (client.takeOutgoing(), server.takeOutgoing())
            if up.isEmpty && down.isEmpty { return }
            for start in stride(from: 0, to: up.count, by: pieces) {
                atServer += server.receive(Array(up[start..<min(start + pieces, up.count)]))
            }
            for start in stride(from: 0, to: down.count, by: pieces) {
                atClient += client.receive(Array(down[start..<min(start + pieces, down.count)]))
            }
        }
    }
}

/// The files of a server, in a folder that goes with them.
private final class Files {
    let folder: URL
    let certificate: Certificate

    init() throws {
        certificate = Certificate(hosts: ["db.test", "10.1.2.3", "::1"])
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write("certificate.pem", certificate.certificate)
        try write("key.pem", certificate.key)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    func server(certificate: String = "certificate.pem", key: String = "key.pem") throws
        -> TLSContext
    {
        try TLSContext.server(certificate: path(certificate), key: path(key))
    }
}

@Suite struct TLSFilterTests {
    private let files: Files

    init() throws { files = try Files() }

    private func pair(trusting trust: TLSTrust? = nil) throws -> Pair {
        let trust = trust ?? .fingerprint(files.certificate.fingerprint)
        return Pair(try files.server().filter(), try TLSContext.client(trusting: trust).filter())
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func `plain bytes go both ways, however the wire splits them`(pieces: Int) throws {
        let pair = try pair()
        // More than a record of TLS, which has 16 KiB.
        let question = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        pair.client.send(question)
        #expect(pair.client.waitingBytes == question.count)
        pair.exchange(pieces: pieces)
        #expect(pair.atServer == question)
        #expect(pair.client.waitingBytes == 0)
        pair.server.send(Array("answer".utf8))
        pair.exchange(pieces: pieces)
        #expect(pair.atClient == Array("answer".utf8))
        #expect(pair.server.state == .open && pair.client.state == .open)
    }

    @Test func `both ends speak TLS 1_3 and agree on HTTP`() throws {
        let pair = try pair()
        #expect(pair.server.state == .handshaking)
        pair.exchange()
        #expect(pair.server.version == "TLSv1.3")
        #expect(pair.server.applicationProtocol == "http/1.1")
        #expect(pair.client.applicationProtocol == "http/1.1")
        #expect(pair.client.peerFingerprint == files.certificate.fingerprint)
        #expect(pair.server.peerFingerprint == nil)
    }

    @Test func `the wire does not show what is said`() throws {
        let pair = try pair()
        pair.exchange()
        let secret = Array("a secret of some length".utf8)
        pair.client.send(secret)
        let wire = pair.client.takeOutgoing()
        #expect(wire.count > secret.count)
        #expect(!String(decoding: wire, as: UTF8.self).contains("secret"))
    }

    @Test func `a client refuses a server with another certificate, and sends it nothing`() throws {
        let other = Certificate(hosts: ["db.test"])
        let pair = try pair(trusting: .fingerprint(other.fingerprint))
        pair.client.send(Array("secret".utf8))
        pair.exchange()
        guard case .failed(let error) = pair.client.state else {
            Issue.record("the client is \(pair.client.state)")
            return
        }
        #expect(error.problem.contains("not the one that the address names"))
        #expect(pair.atServer == [])
        #expect(pair.client.waitingBytes == 0)
        #expect(pair.client.receive([1, 2, 3]) == [])
    }

    @Test func `a client that trusts authorities refuses a certificate that signs itself`() throws {
        let pair = try pair(trusting: .authorities(host: "db.test"))
        pair.client.send(Array("secret".utf8))
        pair.exchange()
        guard case .failed(let error) = pair.client.state else {
            Issue.record("the client is \(pair.client.state)")
            return
        }
        #expect(error.problem.contains("self-signed"))
        #expect(pair.atServer == [])
        guard case .failed = pair.server.state else {
            Issue.record("the server is \(pair.server.state)")
            return
        }
    }

    @Test func `a client that trusts an authority compares the host`() throws {
        let file = files.path("certificate.pem")
        for host in ["db.test", "10.1.2.3", "::1"] {
            let right = try pair(trusting: .authorities(host: host, file: file))
            right.exchange()
            #expect(right.client.state == .open)
        }
        for host in ["other.test", "test", "127.0.0.1"] {
            let wrong = try pair(trusting: .authorities(host: host, file: file))
            wrong.client.send(Array("secret".utf8))
            wrong.exchange()
            guard case .failed(let error) = wrong.client.state else {
                Issue.record("the client of \(host) is \(wrong.client.state)")
                continue
            }
            #expect(error.problem.contains("mismatch"))
            #expect(wrong.atServer == [])
        }
    }

    @Test func `the end of what one says is heard, after all that it said`() throws {
        let pair = try pair()
        pair.exchange()
        pair.client.send(Array("last".utf8))
        pair.client.finish()
        pair.exchange()
        #expect(pair.atServer == Array("last".utf8))
        #expect(pair.server.state == .ended)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{4}abcd",
        "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ])
    func `bytes that are no handshake fail, and say so to the other end`(text: String) throws {
        let server = try files.server().filter()
        #expect(server.receive(Array(text.utf8)) == [])
        guard case .failed(let error) = server.state else {
            Issue.record("the server is \(server.state)")
            return
        }
        #expect(error.problem.hasPrefix("TLS failed: "))
    }

    @Test func `a changed byte of the wire is noticed`() throws {
        let pair = try pair()
        pair.exchange()
        pair.client.send(Array("question".utf8))
        var wire = pair.client.takeOutgoing()
        wire[wire.count - 1] ^= 1
        #expect(pair.server.receive(wire) == [])
        guard case .failed = pair.server.state else {
            Issue.record("the server is \(pair.server.state)")
            return
        }
    }
}

@Suite struct TLSFileTests {
    private let files: Files

    init() throws { files = try Files() }

    private func error(certificate: String = "certificate.pem", key: String = "key.pem")
        -> TLSError?
    {
        do {
            _ = try files.server(certificate: certificate, key: key)
            return nil
        } catch {
            return error as? TLSError
        }
    }

    @Test func `a file that is not there is named`() {
        #expect(error(certificate: "none.pem")?.problem.contains("none.pem: No such file") == true)
        #expect(error(key: "none.pem")?.problem.contains("none.pem: No such file") == true)
    }

    @Test func `a file that holds something else is named`() throws {
        try files.write("text.pem", "hello")
        #expect(
            error(certificate: "text.pem")?.problem.contains("text.pem holds no certificate")
                == true)
        #expect(error(key: "text.pem")?.problem.contains("text.pem holds no private key") == true)
    }

    @Test func `a file of authorities that cannot be read is named`() throws {
        try files.write("text.pem", "hello")
        for (name, problem) in [("none.pem", "No such file"), ("text.pem", "holds no certificate")]
        {
            let trust = TLSTrust.authorities(host: "db.test", file: files.path(name))
            let error = #expect(throws: TLSError.self) { try TLSContext.client(trusting: trust) }
            #expect(error?.problem.contains(name) == true)
            #expect(error?.problem.contains(problem) == true)
        }
    }

    @Test func `a key with a password is refused, and nobody is asked for it`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "pkey", "-in", files.path("key.pem"), "-aes256", "-passout", "pass:secret", "-out",
            files.path("locked.pem"),
        ]
        try process.run()
        process.waitUntilExit()
        let error = error(key: "locked.pem")
        #expect(error?.problem.contains("locked.pem holds no private key") == true)
        #expect(error?.fix.contains("no password") == true)
    }

    @Test func `a key of another certificate is refused`() throws {
        try files.write("other.pem", Certificate(hosts: ["db.test"]).key)
        #expect(error(key: "other.pem")?.problem.contains("does not belong to certificate") == true)
    }

    @Test func `a key that others can read is refused`() throws {
        try files.write("open.pem", files.certificate.key, mode: 0o644)
        #expect(error(key: "open.pem")?.fix.hasPrefix("run `chmod 600") == true)
        try files.write("group.pem", files.certificate.key, mode: 0o640)
        #expect(error(key: "group.pem") == nil)
    }

    @Test func `the fingerprint of a certificate is read from its text`() {
        let certificate = files.certificate
        #expect(certificate.fingerprint.count == 32)
        #expect(Certificate.fingerprint(ofPEM: certificate.certificate) == certificate.fingerprint)
        #expect(Certificate.fingerprint(ofPEM: "hello") == nil)
        #expect(Certificate(hosts: ["db.test"]).fingerprint != certificate.fingerprint)
    }

    @Test func `openssl shows the same fingerprint, the name and the curve`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = [
            "x509", "-in", files.path("certificate.pem"), "-noout", "-fingerprint", "-sha256",
            "-subject", "-text",
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let digits = files.certificate.fingerprint.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        #expect(text.contains(digits.joined(separator: ":")))
        #expect(text.contains("subject=CN = db.test"))
        #expect(text.contains("P-256"))
        #expect(text.contains("DNS:db.test, IP Address:10.1.2.3, IP Address:0:0:0:0:0:0:0:1"))
    }
}
