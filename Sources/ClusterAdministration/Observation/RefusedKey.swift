internal import SyncProtocol

/// A process that nodes refuse, because none of their configurations has its key.
package struct RefusedKey: Equatable {
    let key: String
    let address: String
    private(set) var agoSeconds: Int
    /// The nodes that refuse it.
    private(set) var nodes: [String]

    private static let memorySeconds = 600

    /// The processes that nodes report, each once, unless the last refusal was long ago.
    package static func all(in statuses: [ObservedNode]) -> [RefusedKey] {
        var all: [RefusedKey] = []
        for status in statuses {
            for report in status.refusedKeys where report.agoMilliseconds / 1000 < memorySeconds {
                let seconds = report.agoMilliseconds / 1000
                if let index = all.firstIndex(where: { $0.key == report.key }) {
                    all[index].agoSeconds = min(all[index].agoSeconds, seconds)
                    all[index].nodes.append(status.node.id)
                } else {
                    all.append(
                        RefusedKey(
                            key: report.key, address: report.address, agoSeconds: seconds,
                            nodes: [status.node.id]))
                }
            }
        }
        return all
    }

    /// The finding. The configuration of the command may list the process.
    package func finding(in cluster: ObservedCluster) -> Diagnosis.Finding {
        let refusing = nodes.joined(separator: " and ")
        if let node = cluster.nodes.first(where: { $0.publicKey == key }) {
            return .init(
                severity: .error, node: node.id,
                problem:
                    "at \(address) is not in the list of \(refusing), which refused its key \(agoSeconds) s ago",
                fix: "give all nodes the configuration that lists \(node.id), and start them again")
        }
        return .init(
            severity: .warning, node: nodes[0],
            problem:
                "refuses a process at \(address), last \(agoSeconds) s ago: no node in the configuration of \(refusing) has "
                + "its key \(key)",
            fix:
                "if it is a new node, list it with this \"publicKey\" in the configuration of all nodes, and start them "
                + "again; otherwise stop it")
    }
}
