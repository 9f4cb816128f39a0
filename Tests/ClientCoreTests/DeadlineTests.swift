import DataTree
import SyncProtocol
import Testing

@testable import ClientCore

/// Drivers that take no turn before there is something to do.
@Suite struct DeadlineTests {
    /// How a client may be left alone.
    enum Situation: CaseIterable {
        case new, opening, idle, listening, pinged, asking, patient, late, offline, refused,
            persistent
    }

    private static func rig(_ situation: Situation) -> Rig {
        var rig = Rig(nodes: ["tcp://a:1", "tcp://b:1"]) {
            $0.isPersistent = situation == .persistent
        }
        switch situation {
        case .new: return rig
        case .opening:
            _ = rig.turn()
            return rig
        default: rig.open()
        }
        switch situation {
        case .listening, .persistent: _ = rig.turn(listened(1, "a"))
        case .pinged:
            _ = rig.turn(listened(1, "a"))
            _ = rig.turn(after: 1_000)
        case .asking: _ = rig.turn(put(1))
        case .patient: _ = rig.turn(put(1, patience: .limited(milliseconds: 700)))
        case .late:
            _ = rig.turn(put(1))
            _ = rig.turn(Rig.refusal(2, .undecided))
        case .offline: _ = rig.turn(.wentOffline)
        case .refused: _ = rig.turn(.connectionLost)
        default: break
        }
        return rig
    }

    @Test(arguments: Situation.allCases)
    func `a turn without input does nothing before the deadline`(_ situation: Situation) {
        var rig = DeadlineTests.rig(situation)
        var turns = 0
        for _ in 0..<12_000 {
            let deadline = rig.client.standing().nextDeadline
            let outputs = rig.turn(after: 1)
            let nextDeadline = rig.client.standing().nextDeadline
            if let deadline, rig.now >= deadline {
                turns += 1
            } else {
                #expect(outputs == [] && nextDeadline == deadline)
            }
        }
        // A driver that takes these turns alone takes few.
        #expect(situation == .offline ? turns == 0 : (1...100).contains(turns))
    }
}
