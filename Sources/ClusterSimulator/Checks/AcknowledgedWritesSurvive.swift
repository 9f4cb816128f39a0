import DataTree
import JSONText
import SyncProtocol

extension Check {
    package static let acknowledgedWritesSurvive: Check = Check(
        "acknowledged-writes-survive", judges: .clients, guarantees: "D1",
        failure: .durability,
        traits: [.atEnd],
        claim: "no acknowledged write is lost, in memory or on disk",
        criterion: """
            every node holds the operation of each acknowledged write, or one that stores it \
            under `_conflicts`, and has its operations on its disk: the next process would hold \
            and show the same
            """,
        evaluate: AcknowledgedWritesSurvive.evaluate)
}

/// Every replica holds the operation of each acknowledged write, or one that keeps it under `_conflicts`,
/// and all that a replica holds is on its disk.
enum AcknowledgedWritesSurvive {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let wanted = evidence.acknowledged.compactMap { operation in
            operation.fingerprint.map { (print: $0, operation: operation) }
        }.sorted { $0.print < $1.print }
        if wanted.isEmpty {
            return .unknown("no write was acknowledged" + evidence.permittedNote)
        }
        for node in evidence.nodes {
            if let failure = node.diskFailure { return .invalid(failure) }
            var held = node.operations.flatMap { [$0.writes, $0.kept] }
                .compactMap { Fingerprint(of: $0) }.sorted()[...]
            for (print, operation) in wanted {
                held = held.drop { $0 < print }
                guard held.first == print else {
                    // Equal writes have equal fingerprints.
                    let equal = wanted.lazy.filter { $0.print == print }.map(\.operation)
                    let lost = equal.first { node.lacks($0) } ?? operation
                    return .invalid("\(node.name) does not hold: \(lost)").about(lost)
                }
                held.removeFirst()
            }
        }
        return .valid(
            "\(wanted.count) writes on \(evidence.nodes.count) replicas"
                + evidence.permittedNote)
    }
}

extension Evidence.Node {
    /// Whether the node never got the operation that was acknowledged, as far as that is recorded.
    fileprivate func lacks(_ operation: ClientOperation) -> Bool {
        guard let vector, let dot = operation.acknowledged?.dot else { return false }
        return !vector.covers(dot)
    }
}

extension Operation {
    /// Whether it keeps what may have been done.
    var isKeptInDoubt: Bool {
        !kept.isEmpty && writes[0].value[Key(unchecked: "mayBeDone")] == .boolean(true)
    }

    /// The writes that it keeps under `_conflicts`: those of an operation that only an evicted node had.
    var kept: [Write] {
        guard let write = writes.first, write.path.keys.first?.text == "_conflicts"
        else { return [] }
        return write.value[Key(unchecked: "writes")].children.compactMap { _, kept in
            guard case .string(let text) = kept[Key(unchecked: "path")].content,
                let path = try? Path(text)
            else { return nil }
            let value = kept[Key(unchecked: "value")]
            guard case .string(let json) = kept[Key(unchecked: "json")] else {
                return Write(path: path, value: value)
            }
            return (try? JSONReader().parse(json)).map { Write(path: path, value: $0) }
        }
    }
}
