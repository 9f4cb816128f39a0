import DataTree
import SyncProtocol
import Testing

@testable import ClusterSimulator

@Suite struct NaiveDatabaseTests {
    /// The tree of a database after some requests at 9 ms; each request is a list of writes.
    private func shown(after requests: [[(String, Value)]]) throws -> Value {
        var database = NaiveDatabase(.null)
        for request in requests {
            let writes = try request.map { Write(path: try Path($0), value: $1) }
            database.apply(writes, at: 9)
        }
        return database.value
    }

    /// `{"a": 1}` with the priority 5.
    private var object: Value {
        var object = Value.null
        object.set(.integer(1), at: Path([Key(unchecked: "a")]))
        return object.prioritized(.integer(5))
    }

    private func path(_ text: String) throws -> Path { try Path(text) }

    @Test func `a place that is emptied loses its priority`() throws {
        #expect(try shown(after: [[("/o", object)], [("/o/a", .null)]]).isNull)
        let again = try shown(
            after: [[("/o", object)], [("/o/a", .null)], [("/o/b", .integer(2))]])
        #expect(again[try path("/o")].priority.isNull)
        #expect(again[try path("/o/b")] == .integer(2))
    }

    @Test func `an update that empties a place and fills it again keeps the priority`() throws {
        let shown = try shown(
            after: [[("/o", object)], [("/o/a", .null), ("/o/b", .integer(2))]])
        #expect(shown[try path("/o")].priority == .integer(5))
    }

    @Test func `a priority needs a value`() throws {
        let owner = try path("/o")
        let write = Write(path: owner.appending(.priority), value: .integer(5))
        var database = NaiveDatabase(.null)
        database.apply([write], at: 9)
        #expect(database.value.isNull)
        database.apply([Write(path: owner, value: .integer(1))], at: 9)
        database.apply([write], at: 9)
        #expect(database.value[owner] == Value.integer(1).prioritized(.integer(5)))
    }

    @Test func `a child takes the place of a leaf above, and its removal does not`() throws {
        let leaf = [("/o", Value.integer(1))]
        #expect(try shown(after: [leaf, [("/o/a", .null)]])[try path("/o")] == .integer(1))
        let object = try shown(after: [leaf, [("/o/a", .integer(2))]])
        #expect(object[try path("/o")].isPrimitive == false)
        #expect(object[try path("/o/a")] == .integer(2))
    }

    @Test func `times and sums are resolved by what was there`() throws {
        let sum = Value.deferred(.increment(.integer(2)))
        let shown = try shown(
            after: [
                [("/n", .integer(3)), ("/s", .string("x"))],
                [("/n", sum), ("/s", sum), ("/t", .deferred(.timestamp))],
            ])
        #expect(shown[try path("/n")] == .integer(5))
        #expect(shown[try path("/s")] == .integer(2))
        #expect(shown[try path("/t")] == .integer(9))
    }
}
