internal import SyncProtocol

/// A database that nodes show differently, although they hold the same operations: at the last comparison of their trees.
struct DifferingTrees {
    /// The database; the default one has no name in a status.
    private let database: String
    /// The nodes that show the same, the largest group first; the nodes of a group ascend.
    private let groups: [[String]]
    /// How long ago the first of the nodes has found the difference.
    private let ageMilliseconds: Int

    /// The databases that differ, in the order of their names.
    static func all(in statuses: [ObservedNode]) -> [DifferingTrees] {
        var differences: [String: [(node: String, peer: String, age: Int)]] = [:]
        for status in statuses {
            guard let report = status.report else { continue }
            var found = report.process?.differingDatabases ?? [:]
            found["default"] = report.exchange.differingTrees
            for (database, peers) in found {
                for (peer, age) in peers {
                    differences[database, default: []].append((status.node.id, peer, age))
                }
            }
        }
        return differences.sorted { $0.key < $1.key }.map { database, pairs in
            DifferingTrees(
                database: database, groups: groups(of: pairs.map { [$0.node, $0.peer] }),
                ageMilliseconds: pairs.map(\.age).max() ?? 0)
        }
    }

    /// Groups the nodes so that no two of a group are a pair that differs.
    private static func groups(of pairs: [[String]]) -> [[String]] {
        let differing = Set(pairs.map { $0.sorted() })
        var groups: [[String]] = []
        for node in Set(pairs.joined()).sorted() {
            let index = groups.firstIndex { group in
                group.allSatisfy { !differing.contains([$0, node].sorted()) }
            }
            if let index { groups[index].append(node) } else { groups.append([node]) }
        }
        return groups.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    }

    /// A finding for each node that differs from the majority; one for all if there is none.
    var findings: [Diagnosis.Finding] {
        let all = groups.joined()
        let seconds = ageMilliseconds / 1_000
        guard 2 * groups[0].count > all.count else {
            let names = groups.map { $0.joined(separator: " and ") }
            return [
                .init(
                    severity: .error, node: names[0],
                    problem: "and \(names.dropFirst().joined(separator: " and ")) show different "
                        + "data in the database \(database) since \(seconds) s, although they hold "
                        + "the same operations, and no majority shows the same",
                    fix:
                        "compare the data of the nodes (`hearth export / FILE --node NODE\(option)`), choose the "
                        + "node whose data is right, and then, one after the other, "
                        + repair("each other node"))
            ]
        }
        return groups.dropFirst().joined().map { node in
            .init(
                severity: .error, node: node,
                problem: "shows other data in the database \(database) than "
                    + "\(groups[0].joined(separator: " and ")) since \(seconds) s, although they "
                    + "hold the same operations",
                fix: "keep a copy (`hearth export / \(node).json --node \(node)\(option)`), then "
                    + repair(node))
        }
    }

    /// The option of commands that names the database.
    private var option: String { database == "default" ? "" : " --database \(database)" }

    /// The steps that give a node the data of the others.
    private func repair(_ node: String) -> String {
        let folder = database == "default" ? "" : "databases/\(database)/"
        return
            "stop \(node) (`hearth cluster stop`, or systemctl), move `\(folder)log.sqlite*` out of "
            + "its folder, and start it again: it fetches the data of the others"
    }
}
