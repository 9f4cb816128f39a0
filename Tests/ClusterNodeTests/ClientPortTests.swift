import EventLoop
import ReplicaCore
import SyncProtocol
import Testing
import ZeroMQ

@testable import ClusterNode

@Suite(.timeLimit(.minutes(1))) struct `A ZeroMQ port for clients` {
    private let loop: Loop
    private let port: ClientPort
    private let client: Socket
    private let reply = [UInt8](repeating: 7, count: 64 << 10)

    init() throws {
        loop = try Loop()
        let context = Context()
        port = try ClientPort(in: context, on: loop)
        let endpoint = "inproc://clients-\(UInt64.random(in: .min ... .max))"
        try port.admit(at: endpoint)
        client = try Socket(.dealer, in: context)
        client.receiveHighWaterMark = 10
        try client.connect(endpoint)
    }

    /// The session of the client, once it has said something.
    private func session(receive: @escaping (Input) -> Void) throws -> SessionID {
        var session: SessionID?
        try port.open(at: "") { [loop] input in
            guard case .requested(_, let sender) = input else { return receive(input) }
            session = sender
            loop.stop()
        }
        client.send([1])
        loop.run()
        return try #require(session)
    }

    @Test func `keeps the replies to a slow client in order`() throws {
        let session = try session { Issue.record("unexpected \($0)") }
        for index in 0..<200 {
            port.reply(Array("\(index)".utf8), to: session)
            port.endTurn()
        }
        for index in 0..<200 {
            if index.isMultiple(of: 20) { port.endTurn() }
            #expect(client.receive() == [Array("\(index)".utf8)])
        }
        #expect(port.slowClients == 0)
    }

    @Test func `says when much waits for a client, and when nothing does any more`() throws {
        var news: [String] = []
        let session = try session { input in
            switch input {
            case .backpressured: news.append("backpressured")
            case .writable: news.append("drained")
            default: Issue.record("unexpected \(input)")
            }
        }
        var sent = 0
        while news.isEmpty {
            port.reply(reply, to: session)
            sent += 1
        }
        #expect(news == ["backpressured"])
        #expect(port.waitingBytes > 1 << 20)
        for _ in 0..<sent {
            port.endTurn()
            #expect(client.receive()?.first?.count == reply.count)
        }
        port.endTurn()
        #expect(news == ["backpressured", "drained"])
        #expect(port.waitingBytes == 0)
    }

    @Test func `ends the session of a client that reads too slowly, and tells it at last`() throws {
        var closed: [SessionID] = []
        let session = try session { input in
            if case .closed(let session) = input { closed.append(session) }
        }
        while closed.isEmpty { port.reply(reply, to: session) }
        #expect(closed == [session])
        #expect(port.slowClients == 1)
        port.reply(reply, to: session)

        var last: [[UInt8]] = []
        var count = 0
        while let message = client.receive() {
            last = message
            count += 1
            port.endTurn()
        }
        // What ZeroMQ had taken; of what waited behind it, only the news is left.
        #expect((100...120).contains(count))
        let messages = try FrameReader<NodeMessage>.messages(in: #require(last.first))
        guard case .message(.error(0, .unavailable, let problem, _)) = messages.first else {
            Issue.record("expected the end of the session, got \(messages)")
            return
        }
        #expect(problem == "this client read too slowly")
        #expect(port.count == 0)
    }
}
