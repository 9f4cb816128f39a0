import SyncProtocol

extension Check {
    package static let goneClientsAreNoticed: Check = Check(
        "gone-clients-are-noticed", judges: .nodes,
        traits: [.timed],
        claim: "nodes notice clients that vanish without a word",
        criterion: """
            if their node lives, the on-disconnect writes of a vanished client are done within 6 \
            s, and of a suspended one within 18 s
            """,
        evaluate: GoneClients.evaluate)
}

/// If its node lives, the on-disconnect writes of a vanished client are done in time. The node notices by an
/// unanswered probe, or by a long silence.
enum GoneClients {
    private static func limit(of gone: Connection.Gone) -> Microseconds {
        gone.takesFrames ? .seconds(18) : .seconds(6)
    }

    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.recording.isOn else { return .unknown("the run is not recorded") }
        var count = 0
        for connection in evidence.connections {
            guard let gone = connection.gone, !connection.onDisconnect.isVague,
                !connection.onDisconnect.writes.isEmpty
            else { continue }
            let end = gone.time + limit(of: gone)
            guard evidence.lives(connection.node, connection.incarnation, until: end) else {
                continue
            }
            count += 1
            let done = evidence.recording.issued.filter {
                $0.node == connection.node && $0.incarnation == connection.incarnation
                    && gone.time <= $0.time && $0.time <= end
            }.flatMap(\.operation.writes)
            for write in connection.onDisconnect.writes where !done.contains(write) {
                return .invalid(
                    "c\(connection.client + 1) was gone at \(gone.time.description), and n"
                        + "\(connection.node + 1) has not written \(write.value) at \(write.path) by "
                        + end.description)
            }
        }
        return .valid(count, "clients that were gone without a word")
    }
}

extension Evidence {
    /// Whether a process goes on until a time, before the run ends.
    fileprivate func lives(_ node: Int, _ incarnation: Int, until time: Microseconds) -> Bool {
        guard time <= scenario.until else { return false }
        let next = recording.starts.first { $0.node == node && $0.incarnation > incarnation }
        return next.map { $0.time > time } ?? true
    }
}
