/// The kind of a failed run.
public enum FailureKind: String, CaseIterable, Sendable {
    /// Acknowledged data are missing.
    case durability
    /// Something wrong was shown or done.
    case safety
    /// The cluster was never at rest after all faults were over.
    case liveness
}

extension FailureKind {
    /// The kind of several failed checks; nil for none.
    init?(_ failed: [Check], failure: String?, hasConverged: Bool) {
        if failure != nil {
            self = failed.contains { $0.failureKind == .durability } ? .durability : .safety
            return
        }
        if !hasConverged, !failed.isEmpty,
            failed.allSatisfy({ $0.failureKind == .liveness || $0.judgesTheEnd })
        {
            self = .liveness
            return
        }
        let kinds = failed.map(\.failureKind)
        guard let worst = FailureKind.allCases.first(where: { kinds.contains($0) }) else {
            return nil
        }
        self = worst
    }
}
