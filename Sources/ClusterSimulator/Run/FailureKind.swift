/// What a failed run has violated.
public enum FailureKind: String, CaseIterable, Sendable {
    /// What was acknowledged is not there.
    case durability
    /// Something wrong was shown or done.
    case safety
    /// The cluster did not come to rest once all faults were over.
    case liveness
}

extension SimulationReport {
    /// What the run has violated; nil if nothing failed.
    ///
    /// In a cluster that never came to rest, what is there in the end proves nothing else.
    public var failureKind: FailureKind? {
        let failed = checks.filter { $0.verdict == .invalid }.map(\.check)
        return FailureKind(failed, failure: failure, hasConverged: hasConverged)
            ?? (verdict == .invalid ? .safety : nil)
    }
}

extension FailureKind {
    /// What checks that have failed say together; nil if none has.
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
