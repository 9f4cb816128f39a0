import DataTree
import SyncProtocol

extension Check {
    package static let onDisconnectWaits: Check = Check(
        "on-disconnect-waits", judges: .idle,
        claim: "on-disconnect writes wait for their connection's end",
        criterion: "no node executes an on-disconnect write while its connection lives",
        evaluate: OnDisconnectWaits.evaluate)
}

/// No node does an on-disconnect write while the connection that it waits for lives.
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
                let ended = evidence.connections[Int(number)].ended
                if let ended, ended <= issued.time { continue }
                return .invalid(
                    "n\(issued.node + 1) did an on-disconnect write of c\(client + 1) at "
                        + "\(issued.time.description), while it was connected"
                ).at(issued)
            }
        }
        return .valid("\(places.count) idle applications, \(count) on-disconnect writes done")
    }
}
