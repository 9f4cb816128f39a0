import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import HearthCommand

/// The columns of `cluster status` on narrow terminals.
@Suite struct ColumnSelectionTests {
    /// The lines of two serving nodes.
    private func lines(within limit: Int) throws -> [String] {
        let file = ClusterFile(nodeCount: 2, basePort: 7001, durability: "commit")
        let cluster = try ObservedCluster(
            Cluster(creating: file, inFolder: try TemporaryFolder().path))
        let statuses = cluster.nodes.map { node in
            var report = NodeStatus()
            report.data.lag = 7
            report.data.stableMilliseconds = 1_000
            report.identity.wallMilliseconds = 6_500
            report.exchange.connectedPeers = ["n1": 1, "n2": 1, "n3": 1]
            return ObservedNode(
                node: node, process: nil, isLocal: false, answer: .status(report))
        }
        return StatusTable(statuses, within: limit).lines
    }

    @Test(arguments: [100, 80, 60])
    func `state, lag, peers and stable time remain, and the others are named`(limit: Int) throws {
        let lines = try lines(within: limit)
        #expect(lines.allSatisfy { $0.count <= limit }, "\(lines)")
        let titles = lines[0].split(separator: " ").map(String.init)
        for title in ["NODE", "STATE", "LAG", "PEERS", "STABLE"] { #expect(titles.contains(title)) }
        #expect(
            lines[1].contains("7") && lines[1].contains("n1,n2,n3") && lines[1].contains("5.5 s"))
        let omission = lines[3...].joined(separator: " ")
        #expect(omission.hasPrefix("omitted: "))
        for title in StatusTable.legend.rows.map(\.name) {
            #expect(titles.contains(title) != omission.contains(" \(title),") || title == "HELD")
        }
        #expect(omission.hasSuffix("HELD; a wider terminal or --json shows them"))
    }

    @Test func `the order of the columns is that of the legend`() throws {
        let titles = try lines(within: 100)[0].split(separator: " ").map(String.init)
        #expect(titles == StatusTable.legend.rows.map(\.name).filter(titles.contains))
    }

    @Test func `a wide terminal omits nothing`() throws {
        let lines = try lines(within: 400)
        #expect(lines.count == 3 && lines[0].hasSuffix("HELD"))
    }

    @Test func `the most important columns are shown even if they do not fit`() {
        let selection = ColumnSelection(
            ["A", "B", "C", "D"], widths: [9, 9, 9, 9], ranked: ["C", "A"], required: 2, within: 10)
        #expect(selection.columns == [0, 2])
        #expect(
            selection.omission(within: 20) == [
                "omitted: B, D;", "a wider terminal or --json shows them",
            ])
    }
}
