import SyncProtocol
import Testing

@testable import ReplicaCore

/// A replica remembers evictions, and two replicas that exchange them end with equal ones.
@Suite struct EvictionStageTests {
    private func eviction(_ stage: Eviction.Stage, of member: String = "n3") -> Eviction {
        Eviction(member: member, writer: 3, stage: stage)
    }

    @Test func `stages go forward only`() {
        var evictions = Evictions(own: "n1")
        let table: [(Eviction.Stage, isNew: Bool, is: Eviction.Stage)] = [
            (.out, true, .out), (.wanted, false, .out), (.out, false, .out), (.back, true, .back),
            (.over, true, .over), (.wanted, false, .over),
        ]
        for (stage, isNew, expected) in table {
            #expect(evictions.raise(eviction(.wanted), to: stage) == isNew)
            #expect(evictions.stage(of: eviction(.wanted)) == expected)
        }
        #expect(evictions.takeChange() == [eviction(.over)])
        #expect(evictions.takeChange() == nil)
    }

    @Test(
        arguments: [
            // The stage, the writer and what a heartbeat of n3 knows, and whether it says nothing.
            (.wanted, 3, [], false), (.out, 3, [], true), (.out, 4, [], true),
            (.out, 4, [.out], false), (.back, 4, [.wanted], true), (.over, 4, [.over], false),
        ] as [(Eviction.Stage, UInt64, [Eviction.Stage], Bool)])
    func `heartbeats of ended incarnations are ignored`(
        stage: Eviction.Stage, writer: UInt64, known: [Eviction.Stage], isExcluded: Bool
    ) {
        var evictions = Evictions(own: "n1")
        _ = evictions.raise(eviction(.wanted), to: stage)
        let heartbeat = Heartbeat.of(
            "n3", WriterID(bits: writer), evictions: known.map { eviction($0) })
        #expect(evictions.exclude(heartbeat) == isExcluded)
    }

    @Test func `a member learns that its own incarnation is over`() {
        var evictions = Evictions(own: "n3")
        let told = [eviction(.out), eviction(.out, of: "n2"), Eviction(member: "n3", writer: 9)]
        #expect(evictions.news(in: told) == [eviction(.out)])
        _ = evictions.raise(eviction(.out), to: .out)
        #expect(evictions.news(in: told) == [])
        #expect(evictions.own(at: .out) == [eviction(.out)])
        #expect(evictions.isAnythingOpen)
    }

    @Test func `members that are back replay in the order of their names`() {
        for (member, isPreceded) in [("n1", true), ("n2", false), ("n3", false)] {
            var evictions = Evictions(own: "n2")
            _ = evictions.raise(eviction(.out, of: member), to: .back)
            #expect(evictions.isPrecededByOther == isPreceded)
        }
    }

    @Test func `removals from the list are counted, and followed by others`() {
        var (first, second) = (Evictions(own: "n1"), Evictions(own: "n2"))
        first.noteRemoval(of: "n3")
        first.noteRemoval(of: "n3")
        second.follow(removals: first.all)
        #expect(second.all == first.all)
        #expect(second.all.map(\.subject) == [.allUntilRemoval(1), .allUntilRemoval(2)])
        #expect(second.all.allSatisfy { $0.isRemoval && $0.stage == .over })
        var third = Evictions(own: "n3")
        third.follow(removals: first.all)
        #expect(third.all == [], "of itself it learns by coming back")
    }
}
