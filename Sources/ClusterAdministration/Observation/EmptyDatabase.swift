internal import SyncProtocol

/// A database on chosen nodes, none of which holds any of its data: a new one, or one whose disks were all lost or emptied.
struct EmptyDatabase: Equatable {
    let name: String
    let nodes: [String]

    /// The databases whose nodes all answer, and hold nothing.
    static func all(in statuses: [ObservedNode]) -> [EmptyDatabase] {
        var holders: [String: (listed: String, empty: [String])] = [:]
        for status in statuses {
            for (name, nodes) in status.report?.process?.emptyDatabases ?? [:] {
                holders[name, default: (nodes, [])].empty.append(status.node.id)
            }
        }
        return holders.keys.inKeyOrder.compactMap { name in
            let (listed, empty) = holders[name]!
            let nodes = listed.split(separator: ",").map(String.init)
            return nodes.allSatisfy(empty.contains) ? EmptyDatabase(name: name, nodes: nodes) : nil
        }
    }

    var finding: Diagnosis.Finding {
        .init(
            severity: .warning, node: nodes[0],
            problem: "the database \(name) is empty at all its nodes "
                + "(\(nodes.joined(separator: ", ")))",
            fix: "if it had data, their disks have lost it: bring back a backup with "
                + "`hearth restore`, or write to it if it is new")
    }
}
