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
    /// The operation of each acknowledged write is held by every replica, and is on its disk.
    case acknowledgedWritesSurvive = "acknowledged-writes-survive"
    /// What was acknowledged as durable on most nodes, or on all, was so.
    case writeConcernsHold = "write-concerns-hold"
    /// A write is refused only by a node that cannot take it then, and says why.
    case refusalsHaveReasons = "refusals-have-reasons"
    /// A second process of a name ends.
    case oneOfAName = "one-of-a-name"
    /// What each listener was told makes up what its node shows, and no change tells nothing.
    case listenersConverge = "listeners-converge"
    /// Once all faults are over, the replicas become equal in bounded time.
    case staysLive = "stays-live"
    /// The child events of an application's listener make what its value events show.
    case eventsMakeTheState = "events-make-the-state"
    /// The child that an event names as the one before is that.
    case childrenInPlace = "children-in-place"
    /// A child is added once, and only one that is there changes, moves or goes.
    case childrenComeOnce = "children-come-once"
    /// Removals, additions, moves, changes and one value: all that a change tells, together.
    case eventsInOrder = "events-in-order"
    /// A removal shows what was there, and a change differs from it.
    case oldValuesAreRight = "old-values-are-right"
    /// Nothing is told that changes nothing, and in the end a listener shows what its node does.
    case changesTellTheTruth = "changes-tell-the-truth"
    /// Each transaction counts once, at whatever node it was made.
    case transactionsCount = "transactions-count"
    /// Transactions on one value rest one upon the other, in an order that agrees with time.
    case transactionsLinearizable = "transactions-linearizable"
    /// No on-disconnect write is done while the connection that it waits for lives.
    case onDisconnectWaits = "on-disconnect-waits"
    /// Replicas that held the same operations showed the same tree, whenever that was.
    case equalVectorsEqualTrees = "equal-vectors-equal-trees"
    /// A read shows what its client has written before.
    case readYourWrites = "read-your-writes"
    /// A read shows all that an earlier one of its client has shown.
    case monotonicReads = "monotonic-reads"
    /// Of two writes of a client the later has the later stamp, and nobody shows it alone.
    case monotonicWrites = "monotonic-writes"
    /// A write has a later stamp than all that its client had read, and is nowhere without that.
    case writesFollowReads = "writes-follow-reads"
    /// A node that shows an operation shows all that its origin held.
    case causalOrder = "causal-order"
    /// No sequence is used twice, and no node comes back without what it had announced.
    case restartIdentity = "restart-identity"
    /// What was removed shows again only where something newer wrote.
    case noResurrection = "no-resurrection"
    /// An update is one operation, and reads show whole operations.
    case updatesAreAtomic = "updates-are-atomic"
    /// Nothing arrives that is older than what counted as stable.
    case stableIsFinal = "stable-is-final"
    /// Stamps ascend, and stay near the fastest clock.
    case stampsAscend = "stamps-ascend"
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
    package let check: Check
    package let verdict: Verdict
    /// What was checked; or the smallest witness of what is wrong; or why nothing was checked.
    public let details: String
    /// The few lines of the history that show what is wrong.
    public var witness: [String] = []
}
