import Foundation
import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(1))) struct CurveTests {
    private let server = KeyPair.random()
    private let friend = KeyPair.random()
    private let unknownPeer = KeyPair.random()

    /// Sends one frame to a router that admits `friend`, and waits while the gatekeeper works.
    private func isHeard(_ prepare: (Socket) -> Void) throws -> (heard: Bool, refusals: Int) {
        let context = Context()
        let zapHandler = try ZAPHandler(admitting: ["clients": [friend.publicKey]], in: context)
        let router = try Socket(.router, in: context)
        router.admit(to: "clients", by: zapHandler, as: server)
        try router.bind("tcp://127.0.0.1:*")
        let dealer = try Socket(.dealer, in: Context())
        dealer.linger = .zero
        prepare(dealer)
        try dealer.connect(router.lastEndpoint)
        dealer.send([1, 2, 3])
        for _ in 0..<100 {
            while let request = zapHandler.socket.receive() { zapHandler.answer(request) }
            if router.wait(upTo: .milliseconds(10)) { return (true, zapHandler.refusals) }
            if zapHandler.refusals > 0 { break }
        }
        return (false, zapHandler.refusals)
    }

    @Test func `a peer whose key is admitted is heard`() throws {
        #expect(try isHeard { $0.trust(server.publicKey, as: friend) } == (true, 0))
    }

    @Test func `a peer with another key is refused and never heard`() throws {
        let (heard, refusals) = try isHeard { $0.trust(server.publicKey, as: unknownPeer) }
        #expect(!heard && refusals > 0)
    }

    @Test func `a refusal names the key and the address, and the peer learns of it`() throws {
        let context = Context()
        let zapHandler = try ZAPHandler(admitting: ["clients": [friend.publicKey]], in: context)
        let router = try Socket(.router, in: context)
        router.admit(to: "clients", by: zapHandler, as: server)
        try router.bind("tcp://127.0.0.1:*")
        let peerContext = Context()
        let dealer = try Socket(.dealer, in: peerContext)
        dealer.linger = .zero
        let monitor = try dealer.monitorConnections(as: "peer", in: peerContext)
        dealer.trust(server.publicKey, as: unknownPeer)
        try dealer.connect(router.lastEndpoint)
        var refusal: ZAPHandler.Refusal?
        var isTold = false
        for _ in 0..<300 where refusal == nil || !isTold {
            while let request = zapHandler.socket.receive() {
                refusal = zapHandler.answer(request) ?? refusal
            }
            ConnectionMonitor.wait(for: [monitor], upTo: .milliseconds(10))
            monitor.drain { if $0 == .refused { isTold = true } }
        }
        #expect(refusal == .init(key: unknownPeer.publicKey, address: "127.0.0.1"))
        #expect(isTold)
    }

    @Test func `a peer without a key is never heard`() throws {
        #expect(try !isHeard { _ in }.heard)
    }

    @Test func `a peer that expects another server is never heard`() throws {
        #expect(try !isHeard { $0.trust(unknownPeer.publicKey, as: friend) }.heard)
    }

    @Test func `a key file gives back the pair, and others may not read it`() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("hearth-key-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try KeyFile(path).write(server)
        #expect(try KeyFile(path).read() == server)
        #expect(throws: KeyFileError.self) { try KeyFile(path).write(friend) }
        chmod(path, 0o644)
        let error = #expect(throws: KeyFileError.self) { try KeyFile(path).read() }
        #expect(error?.fix == "run `chmod 600 \(path)`")
    }

    @Test func `text that is no key is refused`() {
        #expect(PublicKey("short") == nil)
        #expect(PublicKey(String(repeating: "ä", count: 20)) == nil)
        #expect(KeyPair(secret: "") == nil)
        #expect(PublicKey(server.publicKey.description) == server.publicKey)
    }
}
