import Convergence
import DataTree
import SyncProtocol
import Testing

/// Which writes count as overwritten: those that arrive after a later write that had not seen them.
@Suite struct OverwrittenWriteTests {
    private func operation(
        at milliseconds: UInt64, by writer: WriterID, _ writes: [(Path, Value)]
    ) -> Operation {
        Operation(
            stamp: Stamp(time: HybridTime(milliseconds: milliseconds), writer: writer),
            writes: writes.map { Write(path: $0.0, value: $0.1) })
    }

    /// The count after the operations have arrived in this order.
    private func count(_ operations: Operation...) -> UInt64 {
        var tree = ConvergentTree()
        for operation in operations { _ = tree.apply(operation) }
        return tree.overwrittenWrites
    }

    private static let increment = Value.deferred(.increment(.integer(1)))

    @Test func `a write below a later one of another writer counts, whatever arrives first`() {
        let earlier = operation(at: 1, by: 1, [("a/b", 1)])
        for later in ["a/b", "a", ""] as [Path] {
            let winner = operation(at: 2, by: 2, [(later, ["x": 1])])
            #expect(count(winner, earlier) == 1, "a write at /\(later) is there")
            #expect(count(earlier, winner) == 0, "the winner may have seen it")
        }
    }

    @Test func `writes that both stay do not count`() {
        let earlier = operation(at: 1, by: 1, [("a/b", 1)])
        #expect(count(operation(at: 2, by: 2, [("a/c", 1)]), earlier) == 0)
        let whole = operation(at: 1, by: 1, [("a", ["b": 1, "c": 2])])
        #expect(count(operation(at: 2, by: 2, [("a/b", 3)]), whole) == 0)
        let sum = operation(at: 1, by: 1, [("n", Self.increment)])
        #expect(count(operation(at: 2, by: 2, [("n", Self.increment)]), sum) == 0)
        #expect(
            count(
                operation(at: 2, by: 2, [("n", Self.increment)]),
                operation(at: 1, by: 1, [("n", 5)])) == 0)
    }

    @Test func `a write that the same writer has replaced does not count`() {
        let later = operation(at: 2, by: 1, [("a", 2)])
        #expect(count(later, operation(at: 1, by: 1, [("a", 1)])) == 0)
        #expect(count(later, later) == 0)
    }

    @Test func `each lost location of an update counts, and so do increments and priorities`() {
        let update = operation(at: 1, by: 1, [("a", 1), ("b", 1), ("c", 1)])
        #expect(count(operation(at: 2, by: 2, [("a", 2), ("c", .null)]), update) == 2)
        let increment = operation(at: 1, by: 1, [("n", Self.increment)])
        #expect(count(operation(at: 2, by: 2, [("n", 7)]), increment) == 1)
        let priority = operation(at: 1, by: 1, [("a/.priority", 1)])
        #expect(count(operation(at: 2, by: 2, [("a/.priority", 2)]), priority) == 1)
        #expect(count(operation(at: 2, by: 2, [("a", 2)]), priority) == 1)
        let mixed = operation(at: 2, by: 2, [("a", ["n": Self.increment, "x": 1])])
        #expect(count(mixed, operation(at: 1, by: 1, [("a/x", 3)])) == 1)
        #expect(
            count(mixed, operation(at: 1, by: 1, [("a/n", 3)])) == 0, "the increment adds to it")
    }

    @Test func `a stable write does not count any more`() {
        var tree = ConvergentTree()
        _ = tree.apply(operation(at: 2, by: 2, [("a", 2)]))
        tree.forget(through: Stamp(time: 2, writer: 2))
        _ = tree.apply(operation(at: 1, by: 1, [("a", 1)]))
        #expect(tree.overwrittenWrites == 0)
    }
}
