import DataTree
import GatewayCore
import NodeCore
import QueryEngine
import ReplicaCore
import SyncProtocol
import Testing

/// Connections that read slowly or end.
@Suite struct SlowConnectionTests {
    private var rig = CoreRig()

    init() { rig.turn() }

    @Test mutating func `large answers leave some at a time, each as fast as the others`() {
        let size = 500_000
        rig.connect(sending: CoreRig.put("\"\(String(repeating: "x", count: size))\""))
        var received: [SessionID: Int] = [:]
        for _ in 0..<40 {
            let (session, outputs) = rig.connect(sending: CoreRig.get(), after: 0)
            received[session] = outputs.bytes(to: session).count
        }
        var writable = received.keys.sorted()
        var turns = 0
        while received.values.contains(where: { $0 < size }), turns < 200 {
            turns += 1
            for session in writable { #expect(rig.core.step(.unsent(session, bytes: 0)).isEmpty) }
            writable = []
            var sends = 0
            for output in rig.turn() {
                switch output {
                case .gateway(.send(let session, let bytes)):
                    received[session]! += bytes.count
                    sends += 1
                case .gateway(.reportWritable(let session)): writable.append(session)
                default: break
                }
            }
            // The last part comes with the end of its chunks.
            #expect(sends <= 16)
        }
        #expect(Set(received.values).count == 1)
        #expect(turns < 80)
    }

    private static let stream =
        "GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"

    @Test mutating func `a stream that reads slowly gets one change for all that it has missed`() {
        let (session, _) = rig.connect(sending: Self.stream)
        rig.turn([.unsent(session, bytes: 2 << 20)])
        for number in 1...3 {
            #expect(rig.core.replica.holdsBack(from: session))
            let outputs = rig.connect(sending: CoreRig.put("\(number)")).outputs
            #expect(outputs.bytes(to: session).isEmpty)
        }
        _ = rig.core.step(.unsent(session, bytes: 0))
        #expect(rig.core.hasBacklog)
        #expect(rig.turn().text(to: session).contains(#"{"path":"/","data":3}"#))
        #expect(!rig.core.replica.holdsBack(from: session))
    }

    @Test mutating func `a connection that ends ends its session at the replica`() {
        let (session, _) = rig.connect(sending: Self.stream)
        #expect(rig.core.gatewayUsage.connections == 1)
        _ = rig.core.removeSteps()
        rig.turn([.gateway(.closed(session))])
        let ended = rig.core.removeSteps().contains {
            if case .closed(session) = $0.input { true } else { false }
        }
        #expect(ended)
        #expect(rig.core.gatewayUsage.connections == 0)
        #expect(rig.connect(sending: CoreRig.put("1")).outputs.bytes(to: session).isEmpty)
    }

    @Test mutating func `a connection that ends while it waits for room is not written to`() {
        rig.connect(sending: CoreRig.put("\"\(String(repeating: "x", count: 500_000))\""))
        let (session, outputs) = rig.connect(sending: CoreRig.get())
        #expect(outputs.contains(.gateway(.reportWritable(session))))
        _ = rig.core.step(.unsent(session, bytes: 0))
        // The backlog comes first: one more part leaves.
        #expect(!rig.turn([.gateway(.closed(session))]).bytes(to: session).isEmpty)
        _ = rig.core.step(.unsent(session, bytes: 0))
        #expect(rig.turn().bytes(to: session).isEmpty)
        #expect(!rig.core.hasBacklog)
    }

    // MARK: Native clients

    /// A native client, which has been sent an answer.
    private mutating func connectNative() -> SessionID {
        let (session, _) = rig.connect(sending: CoreRig.upgrade)
        #expect(isAnswered(session))
        return session
    }

    private mutating func ask(by session: SessionID) -> [NodeOutput] {
        let get = ClientMessage.get(id: 1, path: .root, query: Query())
        return rig.turn([.replica(.requested(get.frame, by: session))])
    }

    private mutating func isAnswered(_ session: SessionID) -> Bool {
        ask(by: session).replies > 0
    }

    /// The inputs of the replica that concern room for a session.
    private mutating func changes(of session: SessionID) -> [String] {
        rig.core.removeSteps().compactMap { step in
            switch step.input {
            case .backpressured(session): "backpressured"
            case .writable(session): "writable"
            default: nil
            }
        }
    }

    @Test
    mutating func
        `the replica learns once that a native client reads slowly, and once that it has room`()
    {
        let session = connectNative()
        _ = rig.core.step(.unsent(session, bytes: 1 << 20))
        #expect(!rig.core.hasBacklog)
        for bytes in [2 << 20, 3 << 20] { _ = rig.core.step(.unsent(session, bytes: bytes)) }
        #expect(rig.core.hasBacklog)
        rig.turn([.unsent(session, bytes: 4 << 20), .unsent(session, bytes: 1)])
        #expect(changes(of: session) == ["backpressured"])
        rig.turn([.unsent(session, bytes: 0), .unsent(session, bytes: 0)])
        #expect(changes(of: session) == ["writable"])
        // Again, as often as it changes.
        rig.turn([.unsent(session, bytes: 2 << 20), .unsent(session, bytes: 0)])
        #expect(changes(of: session) == ["backpressured", "writable"])
    }

    @Test
    mutating func `a client for which too much waits is disconnected before its next message`() {
        let session = connectNative()
        rig.turn([.unsent(session, bytes: 16 << 20)])
        #expect(isAnswered(session))
        #expect(rig.core.step(.unsent(session, bytes: (16 << 20) + 1)) == [])
        let outputs = ask(by: session)
        #expect(outputs.contains(.cut(session)) && outputs.replies == 0)
        rig.turn([.replica(.closed(session)), .gateway(.closed(session))])
        #expect(!rig.core.hasBacklog)
    }

    @Test mutating func `if too much waits for all clients, those end for which most waits`() {
        let sessions = (0..<4).map { _ in connectNative() }
        let outputs = zip(sessions, [100, 140, 60, 84]).flatMap { session, megabytes in
            rig.core.step(.unsent(session, bytes: megabytes << 20))
        }
        // Three quarters of 512 MB.
        #expect(outputs == [])
        #expect(rig.core.step(.unsent(sessions[2], bytes: 61 << 20)) == [.cut(sessions[1])])
        #expect(
            rig.core.step(.unsent(sessions[3], bytes: 320 << 20)) == [.cut(sessions[3])])
        rig.turn()
        #expect(rig.core.replica.unreadBytes == 161 << 20)
        rig.turn([.gateway(.closed(sessions[0]))])
        rig.turn()
        #expect(rig.core.replica.unreadBytes == 61 << 20)
    }
}

extension [NodeOutput] {
    fileprivate var replies: Int {
        count { if case .replica(.reply, _) = $0 { true } else { false } }
    }
}
