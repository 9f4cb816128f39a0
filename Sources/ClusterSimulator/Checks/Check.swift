/// What a scenario may claim of a run.
public enum Check: String, CaseIterable, Sendable {
    /// All replicas are byte-equal and hold the same operations, and show what executing those one
    /// after the other gives.
    case replicasEqual = "replicas-equal"
    /// After each turn, each replica shows what executing the operations it has received gives.
    case everyTurnEqualsOracle = "every-turn-equals-oracle"
    /// Each acknowledged push is on every replica, once, with its value, in the order of the keys.
    case acknowledgedPushes = "acknowledged-pushes"
    /// No two pushes ever got the same key, and the keys of a client ascend.
    case pushKeys = "push-keys"
    /// Each counter shows the sum of its acknowledged increments, and at most those with unknown
    /// outcome besides.
    case incrementsAddUp = "increments-add-up"
    /// The operation of each acknowledged write is held by every replica.
    case acknowledgedWritesSurvive = "acknowledged-writes-survive"
    /// What each listener was told makes up what its node shows, and no change tells nothing.
    case listenersConverge = "listeners-converge"
    /// Once all faults are over, the replicas become equal in bounded time.
    case staysLive = "stays-live"
}

/// What a check found.
public enum Verdict: String, Sendable {
    case valid
    case invalid
    /// There was nothing to check; this is no success.
    case unknown
}

/// The finding of one check in one run.
public struct CheckResult: Equatable, Sendable {
    public let check: Check
    public let verdict: Verdict
    /// What was checked; or the smallest witness of what is wrong; or why nothing was checked.
    public let details: String
}
