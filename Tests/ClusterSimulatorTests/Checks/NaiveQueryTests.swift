import DataTree
import QueryEngine
import Testing

@testable import ClusterSimulator

@Suite struct NaiveQueryTests {
    private let list = NaiveQueryTests.object([
        ("7", .integer(2)), ("a", .integer(1)), ("b", .integer(2)), ("c", .string("x")),
    ])

    private static func object(_ members: [(String, Value)]) -> Value {
        var children = Children()
        for (name, value) in members { children[Key(unchecked: name)] = value }
        return Value(children)
    }

    private func keys(_ query: Query) -> [String] {
        NaiveQuery(query).entries(of: list).map(\.key.text)
    }

    @Test func `values order children, and keys break ties`() throws {
        #expect(keys(try Query().orderedByValue()) == ["a", "7", "b", "c"])
        #expect(keys(Query()) == ["7", "a", "b", "c"])
    }

    @Test func `a bound with a key divides the children of its value`() throws {
        let byValue = try Query().orderedByValue()
        #expect(keys(try byValue.starting(at: .integer(2), key: "b")) == ["b", "c"])
        #expect(keys(try byValue.starting(after: .integer(2), key: "7")) == ["b", "c"])
        #expect(keys(try byValue.starting(after: .integer(2))) == ["c"])
        #expect(keys(try byValue.ending(before: .integer(2))) == ["a"])
        #expect(keys(try byValue.ending(at: .integer(2), key: "7")) == ["a", "7"])
    }

    @Test func `a limit counts within the range`() throws {
        let query = try Query().orderedByKey().starting(at: .string("a"))
        #expect(keys(try query.limited(toFirst: 2)) == ["a", "b"])
        #expect(keys(try query.limited(toLast: 1)) == ["c"])
    }

    @Test func `the events of a change are removals, additions, moves, changes and the value`()
        throws
    {
        let old = NaiveQueryTests.object([("a", .integer(1)), ("b", .integer(2))])
        let new = NaiveQueryTests.object([("b", .integer(3)), ("c", .integer(0))])
        let events = NaiveQuery(try Query().orderedByValue())
            .events(from: old, wasComplete: true, to: new)
        let (b, c) = (Key(unchecked: "b"), Key(unchecked: "c"))
        #expect(
            events == [
                ViewEvent(.childRemoved, Key(unchecked: "a"), .integer(1)),
                ViewEvent(.childAdded, c, .integer(0)),
                ViewEvent(.childMoved, b, after: c, .integer(3)),
                ViewEvent(.childChanged, b, after: c, .integer(3)),
                ViewEvent(.value, nil, new),
            ])
    }
}
