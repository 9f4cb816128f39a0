import DataTree
import SyncProtocol
import Testing

@testable import ClusterAdministration

/// Which of the operations at a location won, and to which one each other lost.
@Suite struct LocationHistoryTests {
    /// An operation with one write, named by its time.
    private func operation(
        _ milliseconds: Int, _ path: String, _ kind: String = "value"
    ) -> LocatedOperation {
        var write = LocatedOperation.LocatedWrite()
        (write.path, write.kind) = (path, kind)
        var operation = LocatedOperation()
        (operation.milliseconds, operation.writer, operation.writes) = (milliseconds, "1", [write])
        return operation
    }

    /// The times of the winners over the operations, the earliest operation first; 0 for one that shows.
    private func winners(over operations: LocatedOperation..., at path: String = "a") throws
        -> [Int]
    {
        var history = LocationHistory(at: try Path(path))
        history.append(operations)
        return history.entries.map { $0.winner?.milliseconds ?? 0 }
    }

    @Test func `a later write at the location or above it wins, in whatever order they are read`()
        throws
    {
        #expect(try winners(over: operation(1, "/a"), operation(2, "/a")) == [2, 0])
        #expect(try winners(over: operation(2, "/a"), operation(1, "/a")) == [2, 0])
        #expect(try winners(over: operation(1, "/a/b"), operation(2, "/", "nothing")) == [2, 0])
        #expect(try winners(over: operation(1, "/a", "increment"), operation(2, "/a")) == [2, 0])
        #expect(
            try winners(over: operation(1, "/a"), operation(2, "/a"), operation(3, "/a"))
                == [2, 3, 0])
    }

    @Test func `an increment and a write below an object leave the earlier write`() throws {
        #expect(try winners(over: operation(1, "/a"), operation(2, "/a", "increment")) == [0, 0])
        #expect(try winners(over: operation(1, "/a", "object"), operation(2, "/a/b")) == [0, 0])
        #expect(try winners(over: operation(1, "/a/b"), operation(2, "/a/c")) == [0, 0])
        #expect(try winners(over: operation(1, "/a"), operation(2, "/a/.priority")) == [0, 0])
    }

    @Test func `a child ends a value above it, and a removal of a child does not`() throws {
        #expect(try winners(over: operation(1, "/a"), operation(2, "/a/b")) == [2, 0])
        #expect(try winners(over: operation(1, "/a"), operation(2, "/a/b", "nothing")) == [0, 0])
    }

    @Test func `a write that two nodes accepted is listed once, and old writes are dropped`() throws
    {
        #expect(try winners(over: operation(1, "/a"), operation(1, "/a")) == [0])
        var history = LocationHistory(at: try Path("a"))
        for first in stride(from: 3_000, to: 0, by: -100) {
            history.append((0..<100).map { operation(first + $0, "/a") })
        }
        #expect(history.droppedCount + history.entries.count == 3_000)
        #expect(history.entries.count <= 2_000)
        #expect(history.entries.last?.operation.milliseconds == 3_099)
    }
}
