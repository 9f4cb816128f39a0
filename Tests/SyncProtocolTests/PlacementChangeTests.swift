import SyncProtocol
import Testing

@Suite struct PlacementChangeTests {
    private static let cluster = ["n1", "n2", "n3"]
    private let placed = DatabasePlacement(epoch: 4, nodes: ["n1", "n2"])
    private let moving = DatabasePlacement(
        epoch: 5, movingFrom: ["n1", "n2"], to: ["n3"], since: ["n3": 5])
    private let moved = DatabasePlacement(epoch: 6, nodes: ["n3"], since: ["n3": 5])

    /// Has a change propose a placement, which then takes effect.
    private func replace(
        _ change: inout PlacementChange, _ placement: DatabasePlacement?,
        by next: DatabasePlacement
    ) {
        #expect(change.request == .replaceEntry(PlacementEntry(placement, next: next)))
        change.replaceEntry(true)
        #expect(change.request == .replaceEntry(PlacementEntry(next)))
        change.replaceEntry(true)
    }

    private func change(_ goal: PlacementChange.Goal) -> PlacementChange {
        PlacementChange(goal, in: Self.cluster)
    }

    @Test func `a move waits for all nodes of both placements, and then for all nodes`() {
        var change = change(.moved(to: ["n3"]))
        #expect(change.request == .readEntry)
        change.readEntry(PlacementEntry(placed))
        replace(&change, placed, by: moving)
        #expect(change.isCopying && change.request == .askNodes(Self.cluster))
        change.learn(from: "n2", epoch: 5, isCopied: true)
        change.learn(from: "n3", epoch: 4, isCopied: true)
        change.learn(from: "n1", epoch: 5, isCopied: false)
        #expect(change.request == .askNodes(["n1", "n3"]))
        for node in ["n1", "n3"] { change.learn(from: node, epoch: 5, isCopied: true) }
        // Another one may have given it up meanwhile.
        #expect(!change.isCopying && change.request == .readEntry)
        change.readEntry(PlacementEntry(moving))
        replace(&change, moving, by: moved)
        change.learn(from: "n1", epoch: 5, isCopied: true)
        change.learn(from: "n2", epoch: 6, isCopied: false)
        #expect(change.request == .askNodes(["n1", "n3"]))
        for node in ["n1", "n3"] { change.learn(from: node, epoch: 7, isCopied: false) }
        #expect(change.request == nil && change.conflict == nil && !change.wasThere)
    }

    @Test func `a move goes on where another one has ended`() {
        var change = change(.moved(to: ["n3"]))
        change.readEntry(PlacementEntry(moving))
        #expect(change.isCopying && change.request == .askNodes(Self.cluster))
    }

    @Test func `a placement that another change has proposed is decided first`() {
        let entry = PlacementEntry(placed, next: moving)
        for goal in [.moved(to: ["n3"]), .cancelled] as [PlacementChange.Goal] {
            var change = change(goal)
            change.readEntry(entry)
            // Its write may not have been acknowledged.
            #expect(change.request == .replaceEntry(entry))
            replace(&change, placed, by: moving)
            if goal == .cancelled {
                replace(&change, moving, by: DatabasePlacement(epoch: 6, nodes: ["n1", "n2"]))
            }
            #expect(change.isCopying == (goal != .cancelled))
        }
    }

    @Test func `a database without a placement moves away from all nodes`() {
        var change = change(.moved(to: ["n2"]))
        change.readEntry(PlacementEntry(nil))
        let first = DatabasePlacement(epoch: 2, movingFrom: Self.cluster, to: ["n2"])
        #expect(change.request == .replaceEntry(PlacementEntry(nil, next: first)))
    }

    @Test func `a database that is there already does not move`() {
        var change = change(.moved(to: ["n2", "n1"]))
        change.readEntry(PlacementEntry(placed))
        #expect(change.request == nil && change.conflict == nil && change.wasThere)
    }

    @Test func `a creation places a database that has no placement`() {
        var change = change(.created(on: ["n2"]))
        change.readEntry(PlacementEntry(nil))
        replace(&change, nil, by: DatabasePlacement(epoch: 1, nodes: ["n2"], since: ["n2": 1]))
        for node in Self.cluster { change.learn(from: node, epoch: 1, isCopied: false) }
        #expect(change.request == nil && change.conflict == nil)
    }

    @Test func `a cancelled move goes back to the nodes of before`() {
        var change = change(.cancelled)
        change.readEntry(PlacementEntry(moving))
        let back = DatabasePlacement(epoch: 6, nodes: ["n1", "n2"])
        replace(&change, moving, by: back)
        #expect(change.request == .askNodes(["n1", "n2"]))
    }

    @Test func `a change ends if the catalog contradicts it`() {
        func conflict(
            _ goal: PlacementChange.Goal, _ entry: DatabasePlacement?
        ) -> PlacementChange.Conflict? {
            var change = change(goal)
            change.readEntry(PlacementEntry(entry))
            return change.conflict
        }
        #expect(conflict(.created(on: ["n3"]), placed) == .exists(on: ["n1", "n2"]))
        #expect(conflict(.moved(to: ["n1"]), moving) == .movesElsewhere(to: ["n3"]))
        #expect(conflict(.cancelled, placed) == .doesNotMove)
        #expect(conflict(.cancelled, nil) == .doesNotMove)
    }

    @Test func `a change ends if another one is made meanwhile`() {
        var refused = change(.created(on: ["n3"]))
        refused.readEntry(PlacementEntry(nil))
        refused.replaceEntry(false)
        #expect(refused.request == nil && refused.conflict == .changedMeanwhile)

        var cancelled = change(.moved(to: ["n3"]))
        cancelled.readEntry(PlacementEntry(moving))
        for node in Self.cluster { cancelled.learn(from: node, epoch: 5, isCopied: true) }
        cancelled.readEntry(PlacementEntry(DatabasePlacement(epoch: 6, nodes: ["n1", "n2"])))
        #expect(cancelled.conflict == .changedMeanwhile)
    }

    @Test func `a move goes on if another one has taken the same steps`() {
        var refused = change(.moved(to: ["n3"]))
        refused.readEntry(PlacementEntry(placed))
        refused.replaceEntry(false)
        #expect(refused.request == .readEntry)
        refused.readEntry(PlacementEntry(moving))
        #expect(refused.isCopying)
        // Its end is decided already.
        refused.learn(from: "n1", epoch: 6, isCopied: false)
        #expect(refused.request == .readEntry)
        var ended = refused
        ended.readEntry(PlacementEntry(moved))
        #expect(ended.request == .askNodes(Self.cluster) && !ended.isCopying)
        // A node that is cut off shows what was before the move: that is read again.
        var outdated = refused
        outdated.readEntry(PlacementEntry(placed))
        #expect(outdated.request == .readEntry && outdated.conflict == nil)
        // Its end is proposed.
        refused.readEntry(PlacementEntry(moving, next: moved))
        #expect(refused.request == .replaceEntry(PlacementEntry(moving, next: moved)))
        replace(&refused, moving, by: moved)
        #expect(refused.request == .askNodes(Self.cluster) && !refused.wasThere)
    }

    @Test func `a move leaves evicted nodes behind, and those that the cluster does not have`() {
        var change = PlacementChange(.moved(to: ["n3"]), in: Self.cluster, without: ["n1"])
        let placed = DatabasePlacement(epoch: 4, nodes: ["n1", "n2", "n9"])
        change.readEntry(PlacementEntry(placed))
        let moving = DatabasePlacement(
            epoch: 5, movingFrom: ["n2"], to: ["n3"], since: ["n3": 5])
        replace(&change, placed, by: moving)
        #expect(change.request == .askNodes(["n2", "n3"]))
        for node in ["n2", "n3"] { change.learn(from: node, epoch: 5, isCopied: true) }
        change.readEntry(PlacementEntry(moving))
        replace(&change, moving, by: DatabasePlacement(epoch: 6, nodes: ["n3"], since: ["n3": 5]))
        #expect(change.request == .askNodes(["n2", "n3"]))
    }

    @Test func `a move that waits for a node goes on without it once that is evicted`() {
        var change = PlacementChange(.moved(to: ["n3"]), in: Self.cluster, without: ["n1"])
        change.readEntry(PlacementEntry(moving))
        let next = DatabasePlacement(epoch: 6, movingFrom: ["n2"], to: ["n3"], since: ["n3": 5])
        replace(&change, moving, by: next)
        #expect(change.request == .askNodes(["n2", "n3"]))
    }

    @Test func `the nodes of before serve without an evicted node, too`() {
        var change = PlacementChange(.moved(to: ["n2"]), in: Self.cluster, without: ["n1"])
        change.readEntry(PlacementEntry(placed))
        replace(
            &change, placed, by: DatabasePlacement(epoch: 5, movingFrom: ["n2"], to: ["n2"]))
    }

    @Test func `a move does not drop the only copy`() {
        var change = PlacementChange(.moved(to: ["n3"]), in: Self.cluster, without: ["n1", "n2"])
        change.readEntry(PlacementEntry(placed))
        #expect(change.conflict == .isOnlyOn(["n1", "n2"]))
    }

    @Test func `of two placements of one epoch, a move prefers the one that it names`() {
        let rival = DatabasePlacement(epoch: 4, nodes: ["n2", "n3"])
        func change(to nodes: [String]) -> PlacementChange {
            var change = PlacementChange(.moved(to: nodes), in: Self.cluster, rivals: [rival])
            change.readEntry(PlacementEntry(placed))
            return change
        }
        #expect(
            change(to: ["n1"]).conflict == .isContested(by: ["n1", "n2"], and: ["n2", "n3"]))
        for (nodes, other) in [(["n1", "n2"], "n1"), (["n2", "n3"], "n3")] {
            var change = change(to: nodes)
            // The files of n2 may be of either.
            let moving = DatabasePlacement(
                epoch: 5, movingFrom: nodes, to: nodes, since: ["n2": 5])
            #expect(moving.since(of: other) == 0)
            replace(&change, placed, by: moving)
        }
    }
}
