import DataTree
import GatewayCore
import NodeCore
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
            for session in writable { #expect(rig.core.step(.gateway(.writable(session))).isEmpty) }
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
        rig.turn([.gateway(.backpressured(session))])
        for number in 1...3 {
            #expect(rig.core.replica.holdsBack(from: session))
            let outputs = rig.connect(sending: CoreRig.put("\(number)")).outputs
            #expect(outputs.bytes(to: session).isEmpty)
        }
        _ = rig.core.step(.gateway(.writable(session)))
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
        _ = rig.core.step(.gateway(.writable(session)))
        // The backlog comes first: one more part leaves.
        #expect(!rig.turn([.gateway(.closed(session))]).bytes(to: session).isEmpty)
        _ = rig.core.step(.gateway(.writable(session)))
        #expect(rig.turn().bytes(to: session).isEmpty)
        #expect(!rig.core.hasBacklog)
    }
}
