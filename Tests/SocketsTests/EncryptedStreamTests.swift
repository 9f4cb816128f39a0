import EventLoop
import Foundation
import TLS
import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(1))) struct `A stream with TLS` {
    @Test func `carries bytes both ways, and ends when the other end finishes`() throws {
        let pair = try SecurePair()
        var atServer: [UInt8] = []
        pair.serve { event in
            guard case .received(let bytes) = event, let server = pair.server else { return }
            #expect(server.isEncrypted)
            atServer += bytes
            server.append([4, 5])
            server.append(sizeHint: 1) { $0.append(6) }
            server.finish()
        }
        var atClient: [UInt8] = []
        let client = try pair.connect { event, loop in
            switch event {
            case .received(let bytes): atClient += bytes
            case .drained: break
            case .ended: loop.stop()
            }
        }
        #expect(!client.isEncrypted)
        client.append([1, 2, 3])
        client.flush()
        #expect(client.waitingBytes > 0)
        pair.loop.run()
        #expect(atServer == [1, 2, 3])
        #expect(atClient == [4, 5, 6])
        #expect(client.failure == nil)
    }

    @Test func `keeps what the system has no room for, in order, and says once when it is sent`()
        throws
    {
        let pair = try SecurePair()
        let total = 12 << 20
        var (sent, drains) = (0, 0)
        pair.serve { event in
            guard let server = pair.server else { return }
            switch event {
            case .received:
                while sent < total {
                    let size = sent % 3 == 0 ? 100_000 : 1_001
                    server.append((sent..<sent + size).map { UInt8(truncatingIfNeeded: $0 >> 3) })
                    sent += size
                }
                server.flush()
                #expect(server.waitingBytes > 1 << 20)
            case .drained: drains += 1
            case .ended: break
            }
        }
        var received = 0
        var isRight = true
        let client = try pair.connect { event, loop in
            guard case .received(let bytes) = event else { return }
            for byte in bytes {
                isRight = isRight && byte == UInt8(truncatingIfNeeded: received >> 3)
                received += 1
            }
            if sent >= total, received == sent { loop.stop() }
        }
        client.append([1])
        client.flush()
        pair.loop.run()
        #expect(isRight && received == sent)
        #expect(drains == 1)
        #expect(pair.server?.waitingBytes == 0)
    }

    @Test func `says that what waited for keys is sent`() throws {
        let pair = try SecurePair()
        pair.serve { _ in }
        var drains = 0
        let client = try pair.connect { event, loop in
            guard case .drained = event else { return }
            drains += 1
            loop.stop()
        }
        client.append([1])
        client.flush()
        pair.loop.run()
        #expect(drains == 1 && client.waitingBytes == 0)
    }

    @Test func `ends at a server that is not the one meant, which gets nothing`() throws {
        let other = Certificate(hosts: ["localhost"])
        let pair = try SecurePair(pinning: other.fingerprint)
        var atServer: [UInt8] = []
        pair.serve { if case .received(let bytes) = $0 { atServer += bytes } }
        let client = try pair.connect { event, loop in if case .ended = event { loop.stop() } }
        client.append([1, 2, 3])
        client.flush()
        pair.loop.run()
        #expect(client.failure?.problem.contains("not the one that the address names") == true)
        #expect(atServer == [])
        #expect(client.waitingBytes == 0)
    }

    @Test func `ends at bytes that are no TLS`() throws {
        let pair = try SecurePair()
        pair.serve { event in if case .ended = event { pair.loop.stop() } }
        let dial = try Dial(
            to: try #require(HTTPAddress("http://127.0.0.1:\(pair.address.port)")), on: pair.loop
        ) { outcome in
            guard case .success(let stream) = outcome else { return }
            pair.client = stream
            stream.append(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            stream.flush()
        }
        pair.loop.run()
        withExtendedLifetime(dial) {}
        #expect(pair.server?.failure != nil)
    }

    @Test func `counts a handshake as much as many bytes`() throws {
        let pair = try SecurePair()
        let limit = ReadLimit(bytesPerTurn: Encryption.handshakeBytes)
        pair.limit = limit
        var received = 0
        pair.serve { event in
            guard case .received = event else { return }
            received += 1
            pair.loop.stop()
        }
        // A turn that never ends serves one step of a handshake.
        pair.loop.atEndOfTurn = { limit.readQueued() }
        let client = try pair.connect { _, _ in }
        client.append([1])
        client.flush()
        var wasHeld = false
        let later = try pair.loop.timer(after: .milliseconds(100)) {
            wasHeld = received == 0
            #expect(pair.server?.isEncrypted == false)
            pair.loop.atEndOfTurn = {
                limit.endTurn()
                limit.readQueued()
            }
        }
        pair.loop.run()
        #expect(received == 1 && wasHeld)
        withExtendedLifetime(later) {}
    }

    @Test func `says by TLS that nothing follows`() throws {
        let pair = try SecurePair()
        pair.serve { if case .received = $0 { pair.server?.finish() } }
        let plain = try #require(HTTPAddress("http://" + pair.address.authority))
        let socket = try PolledSocket(to: plain)
        pair.turn()
        #expect(try socket.finishConnecting())
        let filter = try TLSContext.client(trusting: try #require(pair.address.trust)).filter()
        filter.send([1])
        for _ in 0..<20 where filter.state != .ended {
            _ = socket.send(filter.takeOutgoing())
            pair.turn()
            _ = socket.receive { _ = filter.receive($0) }
        }
        #expect(filter.state == .ended)
    }

    @Test func `encrypts a part of what waits, across pieces`() {
        var bytes = OutgoingBytes()
        bytes.append([UInt8](repeating: 1, count: 20_000))
        bytes.append([UInt8](repeating: 2, count: 20_000))
        let first = bytes.removeFirst(upTo: 30_000)
        #expect(
            first == [UInt8](repeating: 1, count: 20_000) + [UInt8](repeating: 2, count: 10_000))
        #expect(bytes.count == 10_000)
        #expect(bytes.removeFirst(upTo: 30_000) == [UInt8](repeating: 2, count: 10_000))
        #expect(bytes.removeFirst(upTo: 30_000) == [])
    }

    @Test func `a socket without a loop speaks TLS too`() throws {
        let pair = try SecurePair()
        pair.serve { event in
            guard case .received(let bytes) = event, let server = pair.server else { return }
            server.append(Array(bytes))
            server.finish()
        }
        let socket = try PolledSocket(to: pair.address)
        pair.turn()
        #expect(try socket.finishConnecting())
        #expect(socket.send([1, 2, 3]))
        var received: [UInt8] = []
        var isOpen = true
        for _ in 0..<20 where isOpen {
            pair.turn()
            isOpen = socket.receive { received += $0 }
        }
        #expect(received == [1, 2, 3])
        #expect(!isOpen && socket.failure == nil)
    }

    @Test func `a socket without a loop refuses a server that is not the one meant`() throws {
        let pair = try SecurePair(pinning: [UInt8](repeating: 7, count: 32))
        pair.serve { if case .received = $0 { Issue.record("the server got something") } }
        let socket = try PolledSocket(to: pair.address)
        pair.turn()
        #expect(try socket.finishConnecting())
        var isOpen = socket.send([1, 2, 3])
        for _ in 0..<20 where isOpen {
            pair.turn()
            isOpen = socket.receive { _ in }
        }
        #expect(!isOpen)
        #expect(socket.failure?.problem.contains("not the one that the address names") == true)
    }
}

/// A server with TLS on a loop, and the addresses of it.
private final class SecurePair {
    let loop: Loop
    var limit: ReadLimit?
    private(set) var server: Sockets.Stream?
    var client: Sockets.Stream?
    private(set) var address: HTTPAddress
    private let context: TLSContext
    private var listener: Listener?
    private var handle: (Sockets.Stream.Event) -> Void = { _ in }
    private var dial: Dial?

    init(pinning fingerprint: [UInt8]? = nil) throws {
        loop = try Loop()
        let certificate = Certificate(hosts: ["localhost"])
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appendingPathComponent("c"), folder.appendingPathComponent("k")]
        try Data(certificate.certificate.utf8).write(to: files[0])
        try Data(certificate.key.utf8).write(to: files[1])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: files[1].path)
        context = try TLSContext.server(certificate: files[0].path, key: files[1].path)
        let pin = HTTPAddress.fragment(ofFingerprint: fingerprint ?? certificate.fingerprint)
        address = try #require(HTTPAddress("https://127.0.0.1:1\(pin)"))
        let free = try FreePort.listener(on: loop) { [unowned self] in accept($0) }
        listener = free.listener
        address = try #require(HTTPAddress("https://\(free.address.authority)\(pin)"))
    }

    private func accept(_ stream: Sockets.Stream) {
        server = stream
        stream.readLimit = limit
        stream.encrypt(by: context.filter())
        stream.open { [unowned self] in handle($0) }
    }

    func serve(_ handle: @escaping (Sockets.Stream.Event) -> Void) { self.handle = handle }

    /// A client that has connected, and agrees on keys as the loop runs.
    func connect(
        _ handle: @escaping (Sockets.Stream.Event, Loop) -> Void
    ) throws -> Sockets.Stream {
        dial = try Dial(to: address, on: loop) { [unowned self] outcome in
            if case .success(let stream) = outcome { self.client = stream }
            loop.stop()
        }
        loop.run()
        let client = try #require(client)
        client.open { [unowned self] in handle($0, loop) }
        return client
    }

    /// Runs the loop for a moment.
    func turn() {
        let end = try? loop.timer(after: .milliseconds(3)) { [loop] in loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }
}
