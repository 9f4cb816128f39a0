import DataTree
import SyncProtocol

extension Check {
    package static let onDisconnectWritesAreDone: Check = Check(
        "on-disconnect-writes-are-done", judges: .all,
        claim: "a session's end executes its on-disconnect writes",
        criterion: """
            the end of a session executes its on-disconnect writes, except cancelled ones, and \
            nothing else; an evicted node executes them once it has rejoined, if no other node has
            """,
        evaluate: OnDisconnectWritesAreDone.evaluate)
}

/// The end of a session does its on-disconnect writes, those that were not taken back, and nothing else.
enum OnDisconnectWritesAreDone {
    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.recording.isOn else { return .unknown("the run is not recorded") }
        let issued = Dictionary(
            evidence.recording.issued.map { ($0.dot, $0.operation) }, uniquingKeysWith: { $1 })
        // Which of these are done depends on other sessions; `PresenceSurvivesANode` judges that.
        let settled = Set(
            evidence.recording.issued.flatMap { one in
                one.operation.records.filter {
                    $0.content == nil && $0.name.writer != one.dot.origin
                }
            }.map(\.name.session))
        var count = 0
        for end in evidence.sessionEnds {
            if end.made.contains(where: {
                evidence.recording.lost.contains($0) || issued[$0] == nil
            }) {
                continue
            }
            let operations = end.made.map { issued[$0]?.writes ?? [] }
            if !end.due.isEmpty { count += 1 }
            if end.wasPostponed, settled.contains(end.session.number) { continue }
            if end.wasPostponed,
                operations.contains(where: { difference(between: end.due, and: $0) == nil })
            {
                continue
            }
            let done = operations.flatMap { $0 }
            guard let difference = difference(between: end.due, and: done) else { continue }
            return .invalid(
                "the session of c\(end.client + 1) at n\(end.node + 1) ended at "
                    + "\(end.time.description), and \(difference): due was \(text(of: end.due)), and "
                    + "done \(text(of: done))")
        }
        return .valid(count, "sessions that left on-disconnect writes")
    }

    /// How the effects of two sets of writes differ, on an empty and on a full tree; nil if they do not.
    ///
    /// The node may drop a priority of nothing, and remove that of a location that it empties.
    private static func difference(between due: [Write], and done: [Write]) -> String? {
        for base in [Value.null, full] {
            if values(of: due, on: base) != values(of: done, on: base) {
                return "not these were done"
            }
        }
        let missing = due.first { write in
            guard write.path.last == .priority, !write.value.isNull, let place = write.path.parent
            else { return false }
            let isShown = due.contains {
                place.contains($0.path) && $0.path.last != .priority && !$0.value.isNull
            }
            return isShown && !done.contains(write)
        }
        return missing.map { "the priority at \($0.path) was not written" }
    }

    /// The result of writes on a tree, without priorities that are written alone.
    private static func values(of writes: [Write], on base: Value) -> Value {
        var value = base
        for write in writes where write.path.last != .priority {
            value.set(write.value, at: write.path)
        }
        return value
    }

    /// A tree with something at each place where dense programs write.
    private static let full: Value = {
        var full = Value.null
        for list in ["x", "y"] {
            for key in ["a", "b", "7", "10", "c"] {
                for leaf in [["n"], ["s", "t"], ["z"]] {
                    let keys = ([list, key] + leaf).map { Key(unchecked: $0) }
                    full.set(.string("old"), at: DenseProgram.root.appending(Path(keys)))
                }
            }
        }
        return full
    }()

    private static func text(of writes: [Write]) -> String {
        writes.isEmpty
            ? "nothing" : writes.map { "\($0.path) \($0.value)" }.joined(separator: ", ")
    }
}
