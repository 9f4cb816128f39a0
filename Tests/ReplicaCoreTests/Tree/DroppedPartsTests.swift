import Convergence
import DataTree
import SyncProtocol
import Testing

@testable import ReplicaCore

/// Large parts that leave the tree are freed elsewhere, and a removal does not visit the removed values.
@Suite struct DroppedPartsTests {
    /// A list of so many records, packed as those of requests are.
    private static func list(_ count: Int) -> Value {
        var children = Children()
        for number in 0..<count {
            var record = Children()
            record[Key(unchecked: "n")] = .integer(Int64(number))
            children[Key(unchecked: "k\(number)")] = Value(record)
        }
        return Value(children)
    }

    private static func operation(_ number: Int, _ path: Path, _ value: Value) -> Operation {
        Operation(stamp: Universe.stamp(number), writes: [Write(path: path, value: value)])
    }

    @Test func `a removed list is a part, and a short one is not`() {
        for (count, isLarge) in [(5_000, true), (1_000, false)] {
            var tree = ConvergentTree()
            _ = tree.apply(Self.operation(1, "list", Self.list(count)))
            let changes = tree.apply(Self.operation(2, "list", .null))
            #expect(tree.takeDropped(changes).isEmpty == !isLarge)
            #expect(tree.takeDropped([]).isEmpty, "parts are taken once")
        }
    }

    @Test func `parts stay until nothing else refers to them`() {
        var value: Value? = Self.list(5_000)
        var parts = DroppedParts(values: [value!])
        parts.freeUnshared()
        #expect(!parts.isEmpty, "the value is still in use")
        value = nil
        parts.freeUnshared()
        #expect(parts.isEmpty)
    }

    @Test func `the newest removal drops all registers below at once`() {
        var tree = ConvergentTree()
        for number in 1...5_000 {
            _ = tree.apply(Self.operation(number, Universe.path("list/k\(number)"), 1))
        }
        #expect(tree.registerCount > 5_000)
        let changes = tree.apply(Self.operation(6_000, "list", .null))
        #expect(tree.registerCount == 2, "those of the list and of the root")
        #expect(tree.value == .null)
        var registers = DroppedParts(values: [])
        registers.append(tree.takeDropped(changes))
        #expect(!registers.isEmpty)
    }

    @Test func `a removal that is not the newest spares what is newer`() {
        var tree = ConvergentTree()
        _ = tree.apply(Self.operation(1, "list/a", 1))
        _ = tree.apply(Self.operation(3, "list/b", 2))
        _ = tree.apply(Self.operation(2, "list", .null))
        #expect(tree.value == Universe.object(["list": Universe.object(["b": 2])]))
        // A tree that was restored knows its newest operation, too.
        var restored = ConvergentTree(value: tree.value, registers: tree.registers)
        _ = restored.apply(Self.operation(2, "", .null))
        #expect(restored.value == tree.value)
    }

    @Test func `a removal at one node is freed elsewhere at all nodes`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: "list", value: Self.list(5_000)), to: "n1")
        #expect(cluster.freed.isEmpty)
        cluster.send(.put(id: 2, path: "list", value: .null), to: "n1")
        #expect(cluster.freed.sorted() == ["n1", "n2"])
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2)])
    }
}
