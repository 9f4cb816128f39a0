import DataTree
import SyncProtocol

// The comparison of all data at the end of a run with several databases.

extension DatabasesRun {
    /// Compares what all nodes have on their disks.
    mutating func compare() {
        let lists = nodes.map { $0.core?.databaseNames.map(\.text).sorted() ?? [] }
        let all = Set(lists.joined()).sorted()
        for index in nodes.indices {
            let held = all.filter { nodes[index].holds(DatabaseName($0)!) }
            if lists[index] == held { continue }
            record.add(
                .equal, "n\(index + 1) has the databases \(lists[index]) instead of \(held)")
        }
        for name in ["default"] + all where !clients.removing.contains(name) {
            compare(name)
        }
        if lastCommand > 0 { comparePlacements(of: all) }
        for name in clients.removing.sorted() { checkRemoval(of: name, lists) }
    }

    private mutating func compare(_ name: String) {
        let holders = nodes.indices.filter { nodes[$0].holds(DatabaseName(name)!) }
        let replicas = holders.map { nodes[$0].stored(DatabaseName(name)!) }
        let trees = replicas.map { $0?.value ?? .null }
        for (index, tree) in zip(holders, trees) { check(tree, of: name, at: index) }
        record.count(.equal)
        if trees.isEmpty { return }
        if trees.contains(where: { $0 != trees[0] }) {
            record.add(.equal, "the trees of \(name) differ", in: name)
        } else if replicas.contains(where: { $0?.vector != replicas[0]?.vector }) {
            record.add(.equal, "the nodes hold different operations of \(name)", in: name)
        }
    }

    private mutating func check(_ tree: Value, of database: String, at node: Int) {
        for write in clients.acknowledged where write.database == database {
            if tree[Key(unchecked: write.key)] == .string(database) {
                record.count(.survive)
            } else if !isKept(write.key, of: database) {
                record.add(
                    .survive, "n\(node + 1) has lost \(write.key) of \(database)", in: database)
            }
        }
        for place in ["sum", "count"] {
            check(tree[Key(unchecked: place)], of: place, in: database, at: node)
        }
        for (key, value) in tree.children where value != .string(database) {
            if key.text == "sum" || key.text == "count" { continue }
            record.add(
                .apart, "\(key.text) of \(database) is \(value) at n\(node + 1)", in: database)
        }
    }

    /// Checks a sum. One of transactions may contain those whose answers were lost.
    private mutating func check(
        _ value: Value, of place: String, in database: String, at node: Int
    ) {
        let sum = clients.sums["\(place) \(database)"] ?? DatabaseClients.Sum()
        // A node that was left behind may have some in the files that it keeps aside.
        let least = isKept(database) ? 0 : sum.acknowledged
        let range = least...sum.acknowledged + sum.unknown
        if range.contains(value == .null ? 0 : value.whole ?? -1) { return }
        record.add(
            .survive, "\(place) of \(database) is \(value) at n\(node + 1), not in \(range)",
            in: database)
    }

    /// Checks that a database of an acknowledged removal is nowhere, and that a removed one has no files.
    private mutating func checkRemoval(of name: String, _ lists: [[String]]) {
        for index in nodes.indices {
            let isListed = lists[index].contains(name)
            if isListed, clients.removed.contains(name) {
                record.add(.removed, "n\(index + 1) has \(name), which was removed", in: name)
            } else if !isListed, nodes[index].disks[DatabaseName(name)!] != nil {
                record.add(.removed, "n\(index + 1) keeps the files of \(name)", in: name)
            }
        }
    }
}

extension Value {
    fileprivate var whole: Int? {
        switch self {
        case .integer(let number): Int(number)
        default: nil
        }
    }
}
