import DataTree
import SyncProtocol
import Testing

@Suite struct DatabaseLimitsTests {
    private func limits(_ kinds: [DatabaseLimits.Kind: Int]) -> DatabaseLimits {
        kinds.reduce(into: DatabaseLimits()) { $0[$1.key] = $1.value }
    }

    @Test func `limits are read from an entry of the catalog, and written to it`() throws {
        let entry = Value.object(named: [
            ("connections", .integer(5)), ("writesPerSecond", .integer(0)),
        ])
        let limits = try DatabaseLimits(entry)
        #expect(limits == self.limits([.connections: 5, .writesPerSecond: 0]))
        #expect(limits.value == entry)
        #expect(try DatabaseLimits(.null).isEmpty)
        #expect(DatabaseLimits().value.isNull)
    }

    @Test(arguments: [
        (Value.object(named: [("writes", .integer(1))]), "unknown limit \"writes\""),
        (.object(named: [("dataBytes", .integer(-1))]), "\"dataBytes\""),
        (.object(named: [("dataBytes", .string("1"))]), "\"dataBytes\""),
        (.integer(1), "no object"),
    ])
    func `an unusable entry is refused with the reason`(entry: Value, reason: String) {
        let error = #expect(throws: DataError.self) { try DatabaseLimits(entry) }
        #expect(error?.problem.contains(reason) == true)
        #expect(error?.fix.contains("connections, dataBytes, writesPerSecond") == true)
    }

    @Test func `0 is no limit, and hides a less specific one`() throws {
        let chat = try #require(DatabaseName("chat"))
        var table = DatabaseLimitTable()
        table.general = limits([.connections: 10, .answerBytes: 100])
        table.configured[chat] = limits([.connections: 0])
        #expect(table.limits(of: chat).limit(.connections) == nil)
        #expect(table.limits(of: chat).limit(.answerBytes) == 100)
        #expect(table.limits(of: .default).limit(.connections) == 10)
    }

    @Test func `limits in the catalog come before those of the configuration`() throws {
        let chat = try #require(DatabaseName("chat"))
        var table = DatabaseLimitTable()
        table.configured[chat] = limits([.connections: 1, .dataBytes: 2])
        table.setCataloged(limits([.connections: 3]), of: chat)
        #expect(table.limits(of: chat) == limits([.connections: 3, .dataBytes: 2]))
        table.setCataloged(DatabaseLimits(), of: chat)
        #expect(table.limits(of: chat) == limits([.connections: 1, .dataBytes: 2]))
    }

    @Test func `metrics write names as they write others`() {
        #expect(DatabaseLimits.Kind.writesPerSecond.label == "writes_per_second")
    }
}
