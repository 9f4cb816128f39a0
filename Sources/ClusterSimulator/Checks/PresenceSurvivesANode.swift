import DataTree
import SyncProtocol

extension Check {
    package static let presenceSurvivesANode: Check = Check(
        "presence-survives-a-node", judges: .idle,
        claim: "on-disconnect writes survive their node",
        criterion: """
            at rest, no record of a session remains that ended 20 s before the end; a node that \
            does the writes of another one's session does all, except those that a later \
            registration covers; clients that said last that they are there are shown so
            """,
        evaluate: PresenceSurvivesANode.evaluate)
}

/// The on-disconnect writes of clients whose node has ended, or was silent, are done by others.
enum PresenceSurvivesANode {
    /// A node notices a suspended client within 18 s.
    private static let noticed: Microseconds = .seconds(20)

    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.recording.isOn else { return .unknown("the run is not recorded") }
        guard let vector = evidence.nodes.first(where: { $0.vector != nil })?.vector else {
            return .unknown("no node is up")
        }
        let issued = evidence.recording.issued.filter { !$0.operation.records.isEmpty }
            .sorted { $0.operation.stamp < $1.operation.stamp }
        var registered: [DisconnectRecord.Name: (content: DisconnectRecord.Content, stamp: Stamp)] =
            [:]
        var settled = 0
        for one in issued where vector.covers(one.dot) {
            for record in one.operation.records {
                if let content = record.content {
                    registered[record.name] = (content, one.operation.stamp)
                    continue
                }
                guard let last = registered.removeValue(forKey: record.name),
                    one.dot.origin != record.name.writer, !one.operation.rerecords(record.name)
                else { continue }
                settled += 1
                for write in last.content.writes
                where !one.operation.writes.contains(where: { $0.path == write.path })
                    && !covers(write.path, after: last.stamp, except: record.name.writer, issued)
                {
                    return .invalid(
                        "n\(one.node + 1) removed the record of session \(record.name.session) at "
                            + "\(one.time.description), and did not write \(write.path)"
                    ).at(one)
                }
            }
        }
        for name in registered.keys.sorted() {
            let index = Int(clamping: name.session) - 1
            guard evidence.connections.indices.contains(index) else { continue }
            let connection = evidence.connections[index]
            guard !connection.isToPort, let ended = connection.ended,
                ended + noticed <= evidence.scenario.until
            else { continue }
            return .invalid(
                "the connection of c\(connection.client + 1) to n\(connection.node + 1) ended at "
                    + "\(ended.description), and its on-disconnect writes are not done")
        }
        if let problem = absentee(in: evidence) { return .invalid(problem) }
        return .valid(settled, "sessions whose writes another node has done")
    }

    /// Whether a session of another incarnation has registered a write at or above a location after a stamp.
    private static func covers(
        _ path: Path, after stamp: Stamp, except writer: WriterID, _ issued: [Recording.Issued]
    ) -> Bool {
        issued.contains { one in
            one.operation.stamp > stamp
                && one.operation.records.contains { record in
                    record.name.writer != writer
                        && record.content?.writes.contains { $0.path.contains(path) } == true
                }
        }
    }

    /// A client that is connected, and is not shown to be there.
    private static func absentee(in evidence: Evidence) -> String? {
        for client in evidence.applications where client.program == .presence {
            guard let number = client.connection, client.open.isEmpty,
                evidence.connections.indices.contains(number),
                evidence.connections[number].ended == nil
            else { continue }
            for node in evidence.nodes where node.vector != nil {
                let shown = node.value[client.presence]
                if shown != .string("here") {
                    return "c\(client.index + 1) is connected, and \(node.name) shows \(shown)"
                }
            }
        }
        return nil
    }
}

extension Operation {
    /// Whether a node that has rejoined as another writer records the same session again.
    fileprivate func rerecords(_ name: DisconnectRecord.Name) -> Bool {
        records.contains { $0.content != nil && $0.name.session == name.session }
    }
}
