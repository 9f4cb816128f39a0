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
                "NAME     STATE     SIZE  OPERATIONS  CONNECTIONS  NODES",
                "default  awake   1.2 MB          12            3  all",
                "chat     asleep     9 B           -            0  all",
                "old      -            -           -            -  all",
            ])
    }

    @Test func `a size that is not exact is marked`() throws {
        let lines = DatabaseTable([
            try database([
                ("name", .string("chat")), ("state", .string("awake")),
                ("dataBytes", .integer(1_234_567)), ("isEstimate", .boolean(true)),
            ])
        ]).lines
        #expect(lines.last == "chat  awake  ~1.2 MB           -            -  all")
    }

    @Test func `the nodes of a database are listed, and its move`() throws {
        func placed(_ name: String, _ placement: DatabasePlacement) throws -> ListedDatabase {
            let members = placement.value.children.map { ($0.key.text, $0.value) }
            return try database(
                members + [("name", .string(name)), ("state", .string("elsewhere"))])
        }
        let databases = [
            try placed("chat", DatabasePlacement(epoch: 1, nodes: ["n1", "n2"])),
            try placed(
                "game", DatabasePlacement(epoch: 2, movingFrom: ["n1", "n2"], to: ["n2", "n3"])),
        ]
        #expect(
            DatabaseTable(databases).lines == [
                "NAME  STATE      SIZE  OPERATIONS  CONNECTIONS  NODES",
                "chat  elsewhere     -           -            -  n1,n2",
                "game  elsewhere     -           -            -  moves from n1,n2 to n2,n3",
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
    private func node(_ id: String, _ sizes: [String: Int], of count: Int? = nil) -> NodeStatus {
        var status = NodeStatus()
        status.identity.member = id
        var process = NodeStatus.Process()
        (process.largestDatabases, process.databases) = (sizes, count ?? sizes.count)
        status.process = process
        return status
    }

    @Test func `the line names the largest databases of all nodes`() {
        let sizes = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5_000, "default": 0]
        var more = sizes
        more["a"] = 6
        #expect(
            ClusterStatus.largestDatabases(of: [node("n1", sizes), node("n2", more)])
                == "largest databases: e 5.0 kB, a 6 B, d 4 B, c 3 B, b 2 B")
        #expect(ClusterStatus.largestDatabases(of: [node("n1", ["default": 7])]) == nil)
    }

    @Test func `the line names the nodes of a database that others lack`() {
        let nodes = [
            node("n1", ["default": 1, "a": 3]), node("n2", ["default": 1, "a": 2]),
            node("n3", ["default": 1]),
        ]
        #expect(
            ClusterStatus.largestDatabases(of: nodes)
                == "largest databases: a 3 B on n1 and n2, default 1 B")
        // The third node may have it among those that it does not name.
        #expect(
            ClusterStatus.largestDatabases(of: nodes[..<2] + [node("n3", ["default": 1], of: 9)])
                == "largest databases: a 3 B, default 1 B")
    }
}
