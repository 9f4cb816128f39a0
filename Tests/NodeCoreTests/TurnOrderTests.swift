import DataTree
import GatewayCore
import NodeCore
import ReplicaCore
import SyncProtocol
import Testing

/// The order in which a turn steps the gateway and the replica.
@Suite struct TurnOrderTests {
    private var rig = CoreRig()

    init() { rig.turn() }

    @Test mutating func `a request is answered in the turn in which it is complete`() {
        rig.connect(sending: CoreRig.put("7"))
        let (session, outputs) = rig.connect(sending: CoreRig.get())
        #expect(outputs.text(to: session).hasSuffix("\r\n\r\n7"))
        #expect(rig.removeAsking() == [1, 2])
    }

    /// Ends a turn in which a conditional write is refused, so that the gateway reads the value that is there.
    private mutating func refuseWrite() -> SessionID {
        rig.connect(sending: CoreRig.put("7"))
        _ = rig.removeAsking()
        let (session, outputs) = rig.connect(sending: CoreRig.put("5", ifMatch: "null_etag"))
        #expect(outputs.bytes(to: session).isEmpty)
        #expect(rig.removeAsking() == [session.number])
        #expect(rig.core.hasBacklog)
        return session
    }

    @Test mutating func `a request that follows from an answer begins the next turn`() {
        let session = refuseWrite()
        let (other, outputs) = rig.connect(sending: CoreRig.get())
        #expect(rig.removeAsking() == [session.number, other.number])
        #expect(!rig.core.hasBacklog)
        let text = outputs.text(to: session)
        #expect(text.hasPrefix("HTTP/1.1 412 ") && text.hasSuffix("\r\n\r\n7"))
        #expect(outputs.text(to: other).hasSuffix("\r\n\r\n7"))
    }

    @Test mutating func `the replica knows who a native client is before its first frame`() {
        let (session, inputs) = rig.connection(sending: CoreRig.upgrade + "x")
        let outputs = rig.turn(inputs + [.replica(.requested([1], by: session))])
        #expect(outputs.contains(.gateway(.native(session, rest: [120]))))
        let steps = rig.core.removeSteps()
        let identified = steps.firstIndex {
            if case .identified(session, .administrator) = $0.input { true } else { false }
        }
        let requested = steps.firstIndex {
            if case .requested([1], session) = $0.input { true } else { false }
        }
        #expect(identified != nil && requested == identified.map { $0 + 1 })
    }

    @Test mutating func `answers of a turn leave once that is stored, between turns too`() {
        rig = CoreRig(durability: .commit)
        rig.turn()
        let (session, outputs) = rig.connect(sending: CoreRig.put("7"))
        let turns = outputs.compactMap { output in
            if case .replica(.store(let turn), _) = output { turn.number } else { nil }
        }
        #expect(outputs.bytes(to: session).isEmpty && !turns.isEmpty)
        let stored = rig.core.step(.stored(turn: turns.last!, at: rig.now))
        #expect(stored.text(to: session).hasPrefix("HTTP/1.1 200 "))
        // The gateway's turn has ended, too: the next one begins with the time of its own turn.
        #expect(!rig.connect(sending: CoreRig.get()).outputs.isEmpty)
    }

    @Test
    mutating func
        `a gateway without connections gets no turns, and one with some gets two a second`()
    {
        var configuration = GatewayConfiguration()
        configuration.deadlines.headMilliseconds = 100
        rig = CoreRig(configuration)
        rig.turn()
        #expect(!rig.core.hasHadConnections)
        let (session, _) = rig.connect(sending: "GET /")
        #expect(rig.turn(after: 400).bytes(to: session).isEmpty)
        #expect(rig.turn(after: 100).text(to: session).hasPrefix("HTTP/1.1 408 "))
    }

    @Test mutating func `a delayed refusal leaves in the first turn in which it is due`() {
        var configuration = GatewayConfiguration()
        configuration.secrets = SecretHashes([[1]]) { $0 }
        rig = CoreRig(configuration)
        rig.turn()
        let (session, outputs) = rig.connect(sending: CoreRig.get())
        #expect(outputs.bytes(to: session).isEmpty)
        #expect(rig.turn(after: 99).bytes(to: session).isEmpty)
        #expect(rig.turn(after: 1).text(to: session).hasPrefix("HTTP/1.1 401 "))
    }

    @Test mutating func `equal cores given equal inputs return equal outputs`() {
        var copy = rig
        let request = CoreRig.put("7") + CoreRig.get()
        #expect(rig.connect(sending: request).outputs == copy.connect(sending: request).outputs)
        rig.connect(sending: CoreRig.put("8"))
        #expect(copy.core.replica.value[Path([Key(unchecked: "a")])] == .integer(7))
    }
}
