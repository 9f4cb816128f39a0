import Convergence
import DataTree
import ReplicaCore
import SyncProtocol

extension Check {
    package static let updatesAreAtomic: Check = Check(
        "updates-are-atomic", judges: .clients, guarantees: "X1",
        claim: "an update of several locations shows as a whole",
        criterion: """
            an update of several locations is one operation, and reads show the result of whole \
            operations, one after the other
            """,
        evaluate: UpdatesAreAtomic.evaluate)
}

/// An update is one operation, and every read shows whole operations.
enum UpdatesAreAtomic {
    /// Reads times operations, beyond which comparing them takes too long.
    private static let limit = 100_000_000

    static func evaluate(_ evidence: Evidence) -> Finding {
        let reads = evidence.history.operations.count { $0.isRead && $0.acknowledged != nil }
        guard reads * evidence.recording.issued.count <= limit else {
            return .unknown("there were too many reads to compare them")
        }
        return judgeReads(evidence)
    }

    private static func judgeReads(_ evidence: Evidence) -> Finding {
        var operations: [Dot: Recording.Issued] = [:]
        for issued in evidence.recording.issued { operations[issued.dot] = issued }
        let ordered = evidence.recording.issued.sorted {
            $0.operation.stamp < $1.operation.stamp
        }
        var reads = 0
        var updates = 0
        for operation in evidence.history.operations {
            guard let serving = operation.acknowledged else { continue }
            if let answer = operation.answer, case .get(let path) = operation.kind {
                reads += 1
                // Writes beside the path do not change the value read.
                let shown = ordered.filter {
                    serving.vector.covers($0.dot) && $0.operation.touches(path)
                }
                let value = SequentialExecution.value(after: shown.map(\.operation))[path]
                guard value != answer else { continue }
                return .invalid(
                    "a read found \(answer), where \(shown.count) whole operations give \(value)",
                    operation.line
                ).about(operation)
            }
            guard let print = operation.fingerprint, let dot = serving.dot,
                let issued = operations[dot]
            else { continue }
            if issued.operation.writes.count > 1 { updates += 1 }
            guard Fingerprint(of: issued.operation.writes) != print else { continue }
            return .invalid(
                "a write was not done as the one operation that was asked for", operation.line,
                issued.line
            ).about(operation)
        }
        if reads == 0 { return .unknown("there were no reads") }
        return .valid(
            updates, "updates of several places as one operation each, and \(reads) reads")
    }
}
