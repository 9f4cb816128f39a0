/// Mistakes that can be planted on purpose, to show that the checks find each of them.
///
/// The first ten are the mutants of the executable model (`convergence.md`, section 9). A replica that serves
/// anybody has none.
public enum Defect: String, CaseIterable, Sendable {
    /// A write that is covered when it arrives no longer ends the primitives above it.
    case coveredWriteDoesNotKill = "covered-write-does-not-descendantWrite"
    /// An increment does not clear what is strictly below it.
    case noStrictClear = "no-strict-clear"
    /// Increments are added in the order of their arrival.
    case sumInArrivalOrder = "sum-in-arrival-order"
    /// Increments older than a reset still count.
    case keepDeadIncrements = "keep-dead-incs"
    /// Removing something below a primitive ends the primitive.
    case nullWriteKills = "null-write-endsPrimitives"
    /// A set that carries increments covers the places of the increments as well.
    case pruneUnderHoles = "prune-under-holes"
    /// A remove of nothing leaves no trace.
    case noTombstone = "no-tombstone"
    /// Of two writes at one place, the one that arrives later wins.
    case firstComeOnEqualPlace = "first-come-on-equal-place"
    /// An increment inside a set starts from nothing.
    case setCoversItsIncrements = "set-covers-its-increments"
    /// Registers are forgotten although an older operation is still missing.
    case compactPastAGap = "compact-past-a-gap"
    /// A checkpoint leaves out what must be remembered of late operations.
    case checkpointWithoutRegisters = "checkpoint-without-registers"
    /// Operations of a writer whose incarnation is over are taken although no member shows them.
    case takesFromClosedWriters = "takes-from-closed-writers"
    /// Registers are forgotten although not all members know which writers are closed.
    case compactsWithoutAgreement = "compacts-without-agreement"
    /// Operations are applied before what they depend on.
    case ignoresDependencies = "ignores-dependencies"
    /// Stamps follow the wall clock, also when it steps back.
    case stampsFollowTheWall = "stamps-follow-the-wall"
    /// Stamps are ahead of every clock.
    case stampsRunAhead = "stamps-run-ahead"
    /// Stamps do not follow those of what a node takes from others.
    case ignoresStampsOfOthers = "ignores-stamps-of-others"
    /// Who asks for operations that the log has no more gets no answer that says so.
    case hidesWhatIsGone = "hides-what-is-gone"
    /// What was here stays beside what a peer's checkpoint has.
    case joinsOldState = "joins-old-state"
    /// A write counts as durable everywhere once it is here.
    case answersConcernsEarly = "answers-writeConcernWaiters-early"
    /// A replica that is out by decision goes on taking writes.
    case writesWhileOut = "writes-while-out"
    /// A node does not keep on disk what it knows of evictions.
    case forgetsEvictions = "forgets-evictions"
    /// A vote that was refused for want of a majority stands all the same.
    case keepsRefusedVotes = "keeps-refused-votes"
    /// What was done again after an eviction is not known to be what a client may still ask for.
    case forgetsWhatIsDoneAgain = "forgets-what-is-done-again"
    /// A node does not keep which nodes made up its cluster.
    case forgetsRemovals = "forgets-removals"
    /// A node that lost its disk serves before others know of its new incarnation.
    case servesUnknown = "serves-unknown"
    /// A replica whose disk has room again does not notice.
    case staysFull = "stays-full"
    /// A second node of a name is taken for the first.
    case welcomesTwins = "welcomes-twins"
    /// A node does not remember which stamps of clients were used.
    case forgetsStamps = "forgets-stamps"
    /// A checkpoint leaves out which stamps of clients were used.
    case checkpointWithoutStamps = "checkpoint-without-stamps"
    /// A node takes stamps of clients below what it has promised its peers, as if the closed timestamp lagged.
    case acceptsBelowPromise = "accepts-below-closedTimestamp"
    /// A node serves a client although it does not hold what that has seen elsewhere.
    case greetsBeforeCovered = "greets-before-covered"
    /// A candidate decides transactions without the votes of a majority.
    case leadsWithoutMajority = "leads-without-majority"
    /// A coordinator decides before it holds what its voters hold.
    case leadsBeforeCatchingUp = "leads-before-catching-up"
    /// A transaction is answered before most members hold it.
    case answersTransactionsEarly = "answers-transactions-early"
    /// A coordinator does not stamp after all that earlier ones may have stamped.
    case ignoresFormerCeilings = "ignores-former-ceilings"
}

extension Defect {
    /// Those of the tree alone, which need no cluster to show.
    public static let ofTree: [Defect] = allCases.filter { !ofCluster.contains($0) }

    /// Those that take a cluster to show.
    public static let ofCluster: [Defect] = [
        .checkpointWithoutRegisters, .takesFromClosedWriters, .compactsWithoutAgreement,
        .ignoresDependencies, .stampsFollowTheWall, .stampsRunAhead, .ignoresStampsOfOthers,
        .hidesWhatIsGone, .joinsOldState,
        .answersConcernsEarly, .writesWhileOut, .staysFull, .welcomesTwins, .forgetsStamps,
        .checkpointWithoutStamps, .acceptsBelowPromise, .greetsBeforeCovered,
        .forgetsEvictions, .keepsRefusedVotes, .forgetsWhatIsDoneAgain, .forgetsRemovals,
        .servesUnknown, .leadsWithoutMajority, .leadsBeforeCatchingUp,
        .answersTransactionsEarly, .ignoresFormerCeilings,
    ]
}
