import ClusterAdministration
import DataTree
import SyncProtocol
import Testing

@testable import HearthCommand

@Suite struct DatabaseTableTests {
    private func database(_ members: [(String, Value)]) throws -> ListedDatabase {
        try #require(ListedDatabase(.object(named: members)))
    }

    @Test func `the columns are aligned, and unknown numbers are dashes`() throws {
        let databases = [
            try database([
                ("name", .string("default")), ("state", .string("awake")),
                ("dataBytes", .integer(1_234_567)), ("operations", .integer(12)),
                ("connections", .integer(3)),
            ]),
            try database([
                ("name", .string("chat")), ("state", .string("asleep")), ("dataBytes", .integer(9)),
                ("connections", .integer(0)),
            ]),
            try database([("name", .string("old"))]),
        ]
        #expect(
            DatabaseTable(databases).lines == [
                "NAME     STATE     SIZE  OPERATIONS  CONNECTIONS",
                "default  awake   1.2 MB          12            3",
                "chat     asleep     9 B           -            0",
                "old      -            -           -            -",
            ])
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
        (12_340_000_000, "12.3 GB"),
    ])
    func `sizes have one decimal`(bytes: Int, text: String) {
        #expect(DatabaseTable.size(bytes) == text)
    }

    @Test func `limits are listed with their names`() {
        var limits = DatabaseLimits()
        (limits[.connections], limits[.answerBytes]) = (7, 0)
        #expect(
            DatabaseLimitsVerb.lines(of: limits) == [
                "connections      7", "dataBytes        none", "writesPerSecond  none",
                "bytesPerSecond   none", "answerBytes      none",
            ])
    }
}

@Suite struct LargestDatabasesTests {
    private func node(_ sizes: [String: Int]) -> NodeStatus.Process {
        var process = NodeStatus.Process()
        process.largestDatabases = sizes
        return process
    }

    @Test func `the line names the largest databases of all nodes`() {
        let sizes = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5_000]
        #expect(
            ClusterStatus.largestDatabases(of: [node(sizes), node(["a": 6, "default": 0])])
                == "largest databases: e 5.0 kB, a 6 B, d 4 B, c 3 B, b 2 B")
        #expect(ClusterStatus.largestDatabases(of: [node(["default": 7])]) == nil)
    }
}
