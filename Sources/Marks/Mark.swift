/// A path that only rare circumstances reach: the simulator counts how often its runs did.
///
/// A mark stands where a bug would hide. `sometimes` says that it is reached.
public enum Mark: Int, CaseIterable, Sendable {
    // MARK: Convergence

    /// A whole write arrives above a newer one.
    case newerWriteStandsBelow
    /// A write arrives below a newer one.
    case writeIsCoveredFromAbove
    /// A whole write arrives above something that was written before it came.
    case valueSurvivesOlderWrite
    /// A location with a remembered priority has a value again.
    case hiddenPriorityShowsAgain
    /// A location loses its value, and its priority is remembered.
    case priorityIsHidden
    /// A write below a counter arrives among its increments.
    case writeBelowEndsASum
    /// A write that carries increments arrives behind a newer increment.
    case incrementCoversMixedWrite
    /// A whole write arrives behind a newer increment.
    case incrementSurvivesOlderWrite
    /// A sum is folded whose later terms are not stable.
    case sumIsStableInPart
    /// The table of stamps is full.
    case deduplicationTableShrinks
    /// A client's stamp arrives behind a later one.
    case stampArrivesOutOfOrder
    /// A record of on-disconnect writes arrives behind its removal.
    case recordArrivesBehindItsRemoval

    // MARK: Store

    /// The rows that a peer gave make no checkpoint.
    case receivedCheckpointIsDamaged
    /// A batch of the log does not continue the checkpoint that is installed.
    case logHasAGapAtInstallation
    /// A truncation takes more than one transaction.
    case truncationGoesOnInPieces
    /// A truncation ends within a batch, which stays.
    case truncationEndsWithinABatch
    /// An evicted node keeps batches beside its log.
    case orphansAreKept
    /// A peer reads on, and the checkpoint is another one by now.
    case transferMeetsNewerCheckpoint
    /// A peer reads rows where there is no checkpoint, or a damaged one.
    case checkpointIsReadBeforeThereIsOne
    /// A start finds a batch of the log damaged.
    case recoveryMeetsDamagedBatch
    /// A start finds that the log has lost its end.
    case recoveryMissesDependencies
    /// A start reads a log of more than one piece.
    case recoveryReadsTheLogInPieces
    /// A checkpoint is written as a whole, since the last one is damaged.
    case checkpointIsRewritten
    /// A location that had rows of its own is an entry again.
    case largeChildBecomesSmall
    /// A slice of a checkpoint is full in the middle of a location.
    case sliceEndsWithinALocation

    // MARK: Replica

    /// No tree of another member is compared in a round.
    case comparisonBringsNothing
    /// The members of a round still apply operations in later turns.
    case comparisonTakesTurns

    /// A request for batches is overdue, and is sent again.
    case repairAsksAnotherHolder
    /// An answer to a request for batches had nothing useful.
    case repairWaitsAfterUselessAnswer
    /// A batch arrives before its dependencies.
    case batchWaits
    /// A full reorder buffer drops a batch for one that can be applied sooner.
    case waitingBatchGivesWay
    /// A waiting batch came in another way meanwhile.
    case waitingBatchIsHeldAlready
    /// A batch arrives that is held already.
    case batchArrivesAgain
    /// A batch of a closed writer arrives, or one that this replica must not accept now.
    case batchIsDropped
    /// A heartbeat arrives behind a later one.
    case heartbeatArrivesLate
    /// A heartbeat of an evicted incarnation arrives.
    case heartbeatOfEvicted
    /// A heartbeat leaves out other origins than this replica has folded.
    case heartbeatNamesOtherFolds
    /// Members fold the origins of ended incarnations.
    case originsAreFolded
    /// A peer requests batches that are in the checkpoint alone.
    case compactedLogIsAskedFor
    /// A peer requests batches that cannot be read.
    case damagedBatchIsAskedFor
    /// A node refuses another one that says hello.
    case helloIsRefused
    /// A replica requests a checkpoint, since logs begin after what it holds.
    case transferBegins
    /// A peer does not answer requests for its checkpoint.
    case transferIsGivenUp
    /// A peer's checkpoint lacks operations that this replica's log no longer has.
    case checkpointLacksWhatIsTruncated
    /// A node gets no checkpoint that rests on an eviction of which it has not heard.
    case checkpointRestsOnUnknownEviction
    /// Rows of another checkpoint arrive than those before.
    case transferBeginsAnew
    /// Rows of a checkpoint arrive that do not follow the last ones.
    case rowsArriveAgain
    /// A checkpoint that a peer gave cannot be installed.
    case installationFails
    /// A replica accepts writes while its tree is replaced.
    case writesComeDuringInstallation
    /// The rows for a peer show that the node's own checkpoint is damaged.
    case ownCheckpointIsFoundDamaged
    /// A member learns that it was evicted.
    case memberLearnsOfItsEviction
    /// All that knew of a member's eviction have lost their disks.
    case evictionIsForgotten
    /// A heartbeat of a new incarnation arrives before the statement about its disk.
    case heartbeatWaitsForStatement
    /// A peer remembers that this replica began on an old disk.
    case oldDiskIsDiscovered
    /// A replica on an old disk has made operations that peers can no longer accept.
    case incarnationEndsAlone
    /// A replica on an old disk has made operations, and all of them may stay.
    case operationsOnOldDiskStay
    /// The transfer of a node that rejoins begins again.
    case rejoinStartsOver
    /// A session ends at a node that rejoins.
    case disconnectWritesArePostponed
    /// An evicted node cannot replay what only its checkpoint has.
    case orphansAreOnlyInTheCheckpoint
    /// An operation that only an evicted node had is replayed.
    case orphanIsReplayed
    /// It is forgotten whether an operation that only an evicted node had was done elsewhere.
    case orphanMayBeDone
    /// An operation that only an evicted node had is kept as text, because it is too deep under `_conflicts`.
    case orphanIsKeptAsText
    /// An operation that only an evicted node had is kept under `_conflicts`.
    case orphanIsQuarantined
    /// An orphaned operation was repeated by its client at another node.
    case orphanWasDoneElsewhere
    /// A node has waited long enough for its peers.
    case servesWithoutAllPeers
    /// The on-disconnect writes of a client are done whose node has ended.
    case sessionOfEndedNodeIsSettled
    /// A node learns that another one did the on-disconnect writes of a client that is connected to it.
    case settledSessionLives
    /// A node that lost its vote learns it from all others.
    case voteIsLearntFromPeers
    /// The incarnation that holds the lease has ended.
    case leaseOfEndedHolderIsReleased
    /// A candidate or a coordinator gives up its term.
    case termIsLost
    /// A coordinator that decides gives up its term.
    case termIsLostWhileDeciding
    /// A candidate gives its vote to another one.
    case candidateVotesForAnother
    /// A transaction comes again whose outcome no node knows.
    case transactionIsForgotten
    /// A transaction comes again that an earlier coordinator decided.
    case transactionOfFormerTermComesAgain
    /// A transaction comes again that this coordinator decided.
    case transactionIsAskedAgain
    /// The condition of a transaction does not hold.
    case transactionConflicts
    /// A verdict arrives for a transaction that is answered, or sent elsewhere.
    case verdictIsNotWantedAnyMore
    /// The basis of an earlier coordinator's verdict has not arrived, and a later coordinator is asked.
    case verdictIsForgotten
    /// A transaction is sent to a second coordinator.
    case transactionGoesToAnotherCoordinator
    /// A request waits for the decision of a transaction of its session.
    case requestWaitsForDecision
    /// An operation of many writes is applied in several turns.
    case operationIsAppliedInParts
    /// Requests wait, since their session has used its share of a turn.
    case requestAwaitsShare
    /// A request waits until the index is built that it needs.
    case requestAwaitsIndex
    /// So many requests wait for their share of turns that a further one is refused.
    case tooManyRequestsAwaitShare
    /// A request is refused, as too many wait for decisions.
    case tooManyRequestsWait
    /// A write has waited for a transaction that was decided after the write's stamp.
    case stampIsOlderThanDecision
    /// A client is gone while a transaction of its session is undecided.
    case clientLeavesUndecided
    /// A write is answered with less than its concern.
    case concernIsNotReached
    /// A client reads too slowly.
    case clientIsSlow
    /// A client is too slow to receive differences.
    case slowClientLosesItsTree
    /// A slow client has missed more than one turn sends.
    case catchingUpTakesAnotherTurn
    /// The disk of a node takes nothing more.
    case diskRefusesWrites
    /// A node refuses a client's stamp: it is too old, or too far ahead.
    case stampComesTooLate
    /// A node refuses a write whose server timestamps are ahead of its clock.
    case serverTimeIsAhead
    /// A node refuses a write whose server timestamps are older than the retry window.
    case serverTimeIsOld
    /// A write comes again that was done.
    case writeIsAskedAgain
    /// A majority has evicted a member.
    case evictionIsDecided
    /// A candidate ends its term: no member holds the operations of its voters.
    case candidateWaitsForLostOperations
    /// A member moves its vote on to its holder's next term.
    case voteFollowsItsHolder
    /// A vote is dropped: the incarnation that it is against has ended, or another vote excludes it.
    case evictionVoteIsDropped
    /// A member votes for an eviction instead of another one, which excludes it.
    case evictionVoteYields
    /// A node is asked to evict a member and reaches too few others.
    case evictionLacksMajority
    /// The log no longer waits for members that are away.
    case logIsTooLong

    // MARK: Client

    /// A connection ends with requests that must not be repeated.
    case requestsAreLostWithConnection
    /// A node cannot say whether a write was done.
    case outcomeIsUndecided
    /// A write that no node has done gets a new stamp.
    case stampIsReplaced
    /// A client that has followed a wrong clock stamps as another writer.
    case clockStartsOver
    /// A transaction was sent upon one that does not hold.
    case transactionIsDoomed
    /// A client has tried all nodes in vain.
    case allNodesWereTried
    /// A node does not hold what a client has seen.
    case nodeIsBehind
    /// A client goes on without what it has seen.
    case sessionIsGivenUp

    /// A connection ends with writes whose stamps were refused.
    case refusedWritesLoseConnection
    /// A request ends, while its node has it, since the application waits no longer.
    case requestExpiresInFlight
    /// A request that a node may have done goes to a third one.
    case requestMeetsThirdNode
    /// A write that an earlier process has left behind is done by the next one.
    case keptWriteIsRestored

    // MARK: Gateway

    /// An answer leaves in parts.
    case answerLeavesInParts
    /// An event waits behind a large one that has not left.
    case eventWaitsBehindLargeOne
    /// A text waits behind a large value for a Firebase client.
    case textWaitsBehindLargeValue
    /// A large value waits behind another one for a Firebase client.
    case valueWaitsBehindAnother
    /// A Firebase client's next session ends its last one by its name.
    case sessionIsDisplaced
    /// A session changes from long polls to a WebSocket.
    case sessionChangesToSocket
    /// A message comes by the WebSocket of a session whose polls have not ended.
    case messageComesBeforePollsEnd
    /// A segment of a poll comes before an earlier one.
    case segmentComesEarly

    // MARK: Queries

    /// A full window of a query lets a child in.
    case windowPushesOut
    /// A child leaves a full window of a query, and another one follows.
    case windowRefills
    /// No child is left to follow into a window.
    case windowRunsDry
}
