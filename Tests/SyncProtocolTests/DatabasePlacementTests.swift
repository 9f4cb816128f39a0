import DataTree
import SyncProtocol
import Testing

@Suite struct DatabasePlacementTests {
    private static let nodes = Value.object(named: [("n1", .boolean(true))])

    @Test(
        arguments: [
            DatabasePlacement(epoch: 1, nodes: ["n2", "n1"]),
            DatabasePlacement(epoch: 7, movingFrom: ["n3", "n1"], to: ["n2", "n1"]),
            DatabasePlacement(creatingOn: ["n2", "n1"]),
            DatabasePlacement(
                epoch: 7, movingFrom: ["n3", "n1"], to: ["n2", "n1"], since: ["n2": 7, "n3": 4]),
        ])
    func `a placement comes back from the catalog as it was`(placement: DatabasePlacement) {
        #expect(DatabasePlacement(placement.value) == placement)
    }

    @Test(
        arguments: [
            PlacementEntry(nil),
            PlacementEntry(nil, next: DatabasePlacement(epoch: 1, nodes: ["n1"])),
            PlacementEntry(DatabasePlacement(epoch: 1, nodes: ["n1"])),
            PlacementEntry(
                DatabasePlacement(epoch: 1, nodes: ["n1"]),
                next: DatabasePlacement(epoch: 2, movingFrom: ["n1"], to: ["n2"])),
        ])
    func `an entry comes back from the catalog as it was`(entry: PlacementEntry) {
        #expect(PlacementEntry(entry.value) == entry)
        #expect(DatabasePlacement(entry.value) == entry.placement)
    }

    @Test(arguments: [.string("x"), .object(named: [("next", .string("x"))])] as [Value])
    func `what is no entry is refused`(value: Value) {
        #expect(PlacementEntry(value) == nil)
        // A change that cannot be read must not be taken for none.
        var broken = PlacementEntry(DatabasePlacement(epoch: 1, nodes: ["n1"])).value
        broken.set(value, at: Path([Key(unchecked: "next")]))
        #expect(PlacementEntry(broken) == nil)
    }

    @Test func `while a database moves, the nodes of both placements hold it`() {
        let placement = DatabasePlacement(epoch: 7, movingFrom: ["n3", "n1"], to: ["n2", "n1"])
        #expect(placement.nodes == ["n1", "n2", "n3"])
        #expect(placement.isMoving)
        #expect(!DatabasePlacement(epoch: 8, nodes: ["n1"]).isMoving)
    }

    @Test(
        arguments: [
            [], [("epoch", .integer(1))], [("nodes", nodes)],
            [("epoch", .integer(0)), ("nodes", nodes)],
            [("epoch", .integer(1 << 32)), ("nodes", nodes)],
            [("epoch", .string("1")), ("nodes", nodes)],
        ] as [[(String, Value)]])
    func `another value is no placement`(members: [(String, Value)]) {
        #expect(DatabasePlacement(.object(named: members)) == nil)
    }

    @Test func `files belong to a node that has held the database since their epoch`() {
        let placement = DatabasePlacement(
            epoch: 7, movingFrom: ["n1"], to: ["n1", "n2"], since: ["n2": 7])
        let first = PlacementRecord(nil)
        let before = PlacementRecord(DatabasePlacement(epoch: 5, nodes: ["n1", "n2"]))
        for record in [first, before] {
            #expect(record.belongs(to: placement, at: "n1"))
            #expect(!record.belongs(to: placement, at: "n2"))
        }
        #expect(PlacementRecord(placement).belongs(to: placement, at: "n2"))
        // A database that is created on some nodes is none that a node had before.
        #expect(!first.belongs(to: DatabasePlacement(creatingOn: ["n1"]), at: "n1"))
    }

    @Test func `a record comes back from the disk as it was`() {
        let placement = DatabasePlacement(creatingOn: ["n1"])
        for rival in [nil, DatabasePlacement(epoch: 1, nodes: ["n2"])] {
            let record = PlacementRecord(placement, rival: rival)
            #expect(PlacementRecord(record.value) == record)
        }
        #expect(PlacementRecord(.string("x")) == nil)
    }

    @Test func `a move whose nodes are not those of both placements is none`() {
        var value = DatabasePlacement(epoch: 2, movingFrom: ["n1"], to: ["n2"]).value
        value.set(.boolean(true), at: Path([Key(unchecked: "nodes"), Key(unchecked: "n3")]))
        #expect(DatabasePlacement(value) == nil)
    }
}
