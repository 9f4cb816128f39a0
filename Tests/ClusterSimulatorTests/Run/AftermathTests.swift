import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The answers that nodes at rest may give.
@Suite struct AftermathTests {
    private var aftermath = Aftermath(random: SplitMix64(seed: 1, part: 1))

    @Test mutating func `a write on all nodes has to be on all`() {
        var id = aftermath.ask(.write, of: 0)
        #expect(aftermath.received(.acknowledged(id: id, concern: .all)) == true)
        #expect(aftermath.failure == nil)
        id = aftermath.ask(.write, of: 1)
        #expect(aftermath.received(.acknowledged(id: id, concern: .majority)) == true)
        #expect(aftermath.failure?.hasPrefix("once all is at rest: n2 answers a write") == true)
    }

    @Test mutating func `the first refusal counts, but for a transaction without a coordinator`() {
        var id = aftermath.ask(.transaction, of: 0)
        #expect(aftermath.received(.error(id: id, code: .undecided, problem: "", fix: "")) == true)
        #expect(aftermath.failure == nil)
        aftermath.course = .oneIsEvicted(2)
        for problem in ["first", "second"] {
            id = aftermath.ask(.stability, of: 1)
            #expect(
                aftermath.received(.error(id: id, code: .notStable, problem: problem, fix: ""))
                    == true)
        }
        #expect(
            aftermath.failure
                == "once n3 is gone and evicted: n2 refuses a wait for stability: notStable, first")
    }

    @Test mutating func `what it has not asked for, or not of this answer, is none of its own`() {
        let id = aftermath.ask(.localWrite, of: 0)
        #expect(aftermath.received(.ok(id: 1)) == false)
        #expect(aftermath.received(.value(id: id, value: .null)) == false)
        #expect(aftermath.open.count == 1)
        #expect(aftermath.received(.ok(id: id)) == true)
        #expect(aftermath.received(.ok(id: id)) == false)
        #expect(aftermath.count == 1)
    }
}
