import DataTree
import SyncProtocol

extension Check {
    package static let onDisconnectWaits: Check = Check(
        "on-disconnect-waits", judges: .idle,
        claim: "on-disconnect writes wait for their connection's end",
        criterion: """
            no node executes an on-disconnect write while its connection lives, except for another \
            node that is silent
            """,
        evaluate: OnDisconnectWaits.evaluate)
}

/// No node does an on-disconnect write while the connection that it waits for lives, unless that is at another node
/// which is silent.
///
/// Each of those that idle applications leave is the number of its connection.
enum OnDisconnectWaits {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let places = Dictionary(
            uniqueKeysWithValues: evidence.applications.filter { $0.program == .presence }.map {
                ($0.presence, $0.index)
            })
        guard !places.isEmpty else { return .unknown("there were no idle applications") }
        guard evidence.recording.isOn else { return .unknown("the run is not recorded") }
        var count = 0
        for issued in evidence.recording.issued {
            for write in issued.operation.writes {
                guard let client = places[write.path], case .integer(let number) = write.value,
                    evidence.connections.indices.contains(Int(number))
                else { continue }
                count += 1
                let connection = evidence.connections[Int(number)]
                if let ended = connection.ended, ended <= issued.time { continue }
                let isOfOther =
                    connection.node != issued.node || connection.incarnation != issued.incarnation
                // The node of the connection is cut off, and ends it once it learns this.
                if isOfOther, evidence.scenario.cluster.presence > 0 { continue }
                return .invalid(
                    "n\(issued.node + 1) did an on-disconnect write of c\(client + 1) at "
                        + "\(issued.time.description), while it was connected"
                ).at(issued)
            }
        }
        return .valid("\(places.count) idle applications, \(count) on-disconnect writes done")
    }
}
