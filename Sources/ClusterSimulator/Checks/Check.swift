/// What a scenario may claim of a run.
public enum Check: String, CaseIterable, Sendable {
    /// All replicas are byte-equal and hold the same operations, and show what executing those one
    /// after the other gives.
    case replicasEqual = "replicas-equal"
    /// After each turn, each replica shows what executing the operations it has received gives.
    case everyTurnEqualsOracle = "every-turn-equals-oracle"
    /// Operations that arrive late at a copy of a replica's state, or of what its disk gives, have the effect that the definition says.
    case lateWritesLand = "late-writes-land"
    /// A request to a copy of a replica, where nothing else happens, does what it would do to one database alone.
    case requestsDoWhatTheySay = "requests-do-what-they-say"
    /// A node that can ask another one soon holds all that the other one has made.
    case nodesCatchUpInTime = "nodes-catch-up-in-time"
    /// A node whose disk is lost serves once it holds what all others had.
    case nodesCatchUpBeforeService = "nodes-catch-up-before-service"
    /// A client that waits until all earlier writes have arrived is answered once its node holds them.
    case stableAnswersHold = "stable-answers-hold"
    /// Once all is at rest each node does what it is asked for, also when all have restarted, or one is gone for good and evicted.
    case nodesServeAtRest = "nodes-serve-at-rest"
    /// A replay after an eviction writes nothing where there is something.
    case replaysConflictWithNothing = "replays-conflict-with-nothing"
    /// Each acknowledged push is on every replica, once, with its value, in the order of the keys.
    case acknowledgedPushes = "acknowledged-pushes"
    /// No two pushes ever got the same key, and the keys of a client ascend.
    case pushKeys = "push-keys"
    /// Each counter shows the sum of its acknowledged increments, and at most those with unknown
    /// outcome besides.
    case incrementsAddUp = "increments-add-up"
    /// Every replica holds the operation of each acknowledged write, in memory and on disk.
    case acknowledgedWritesSurvive = "acknowledged-writes-survive"
    /// Where turns are durable before their outputs leave, what a client is shown was on its node's disk by then.
    case readsAreDurable = "reads-are-durable"
    /// Writes acknowledged at the concern `majority` or `all` were durable on that many nodes.
    case writeConcernsHold = "write-concerns-hold"
    /// A node refuses a write only while it cannot take it, and names the reason.
    case refusalsHaveReasons = "refusals-have-reasons"
    /// A duplicate node ends.
    case oneOfAName = "one-of-a-name"
    /// The changes that each listener received make up what its node shows, and none is empty.
    case listenersConverge = "listeners-converge"
    /// Once all faults are over, the replicas become equal in bounded time.
    case staysLive = "stays-live"
    /// The child events of an application's listener make what its value events show.
    case eventsMakeTheState = "events-make-the-state"
    /// The child that an event names as the previous one is that.
    case childrenInPlace = "children-in-place"
    /// A child is added once, and only one that is there changes, moves or goes.
    case childrenComeOnce = "children-come-once"
    /// The events of one change come together: removals, additions, moves, changes and one value.
    case eventsInOrder = "events-in-order"
    /// A removal shows what was there, and a change differs from it.
    case oldValuesAreRight = "old-values-are-right"
    /// Every event changes something, and at the end a listener shows what its node shows.
    case changesTellTheTruth = "changes-tell-the-truth"
    /// Each change tells exactly the events that a naive comparison of what a listener shows gives.
    case eventsAreExact = "events-are-exact"
    /// After each frame, what a client was told of its listens is what they show of its node's tree.
    case queriesShowTheTree = "queries-show-the-tree"
    /// A listener shows what its client was told, with the client's own unanswered writes over it, after each turn.
    case ownWritesShow = "own-writes-show"
    /// A read shows what a listener of its client shows, and is refused only while its client is offline.
    case readsAgree = "reads-agree"
    /// Requests and queries that make no sense are refused, and have no effect.
    case nonsenseIsRefused = "nonsense-is-refused"
    /// No node that serves a client holds less than the client has seen, and an acknowledged write is seen.
    case clientsKeepWhatTheySaw = "clients-keep-what-they-saw"
    /// A session's end does the on-disconnect writes that it had, and nothing else.
    case onDisconnectWritesAreDone = "on-disconnect-writes-are-done"
    /// No request waits longer than the scenario says for its outcome.
    case answersInTime = "answers-in-time"
    /// A request of a client that waits for each answer is served within two turns, whatever other clients have sent.
    case smallRequestsWaitBriefly = "small-requests-wait-briefly"
    /// A request with limited patience has an outcome when that is over, and does not give up before.
    case requestsEndInTime = "requests-end-in-time"
    /// A write of the library's clients is done once at most, and not at all if its client was told so.
    case writesCountOnce = "writes-count-once"
    /// Once all is stable, no node remembers what it no longer needs.
    case memoryIsFreed = "memory-is-freed"
    /// No request ends with an unknown outcome while the nodes that could tell it live.
    case outcomesBecomeKnown = "outcomes-become-known"
    /// Once all is at rest, what a node says of itself is true.
    case statusTellsTheTruth = "status-tells-the-truth"
    /// A node serves soon after its start if all other members do.
    case nodesServeInTime = "nodes-serve-in-time"
    /// A client is served soon after all nodes are, and does not pester them before.
    case clientsConnectInTime = "clients-connect-in-time"
    /// A client that is gone without a word is noticed, and its on-disconnect writes are done.
    case goneClientsAreNoticed = "gone-clients-are-noticed"
    /// Each committed transaction counts once, at any node.
    case transactionsCount = "transactions-count"
    /// Transactions on one value rest one upon the other, in an order that agrees with time.
    case transactionsLinearizable = "transactions-linearizable"
    /// The writes of a session at one location take effect in the order in which it has sent them, transactions included.
    case sessionsKeepTheirOrder = "sessions-keep-their-order"
    /// Coordinators of transactions follow one another: each stamps above all earlier ones, and knows what was said to be done.
    case decisionsFollow = "decisions-follow"
    /// No on-disconnect write is done while the connection that it waits for lives.
    case onDisconnectWaits = "on-disconnect-waits"
    /// Replicas that held the same operations showed the same tree, whenever that was.
    case equalVectorsEqualTrees = "equal-vectors-equal-trees"
    /// A read shows what its client has written before.
    case readYourWrites = "read-your-writes"
    /// A read shows all that an earlier one of its client has shown.
    case monotonicReads = "monotonic-reads"
    /// Of two writes of a client the later has the later stamp, and no node shows it without the earlier.
    case monotonicWrites = "monotonic-writes"
    /// A write has a later stamp than all that its client had read, and is nowhere without that.
    case writesFollowReads = "writes-follow-reads"
    /// A node that shows an operation shows all that its origin held.
    case causalOrder = "causal-order"
    /// No sequence is used twice, and no node restarts without what it had announced.
    case restartIdentity = "restart-identity"
    /// What was removed shows again only where something newer wrote.
    case noResurrection = "no-resurrection"
    /// An update is one operation, and reads show whole operations.
    case updatesAreAtomic = "updates-are-atomic"
    /// No operation arrives with a stamp at or below the stable time, and an evicted node makes none before it is waited for.
    case stableIsFinal = "stable-is-final"
    /// Stamps ascend, and stay near the fastest clock.
    case stampsAscend = "stamps-ascend"
    /// Each invariant of the scenario holds at every node after every turn.
    case invariantsHold = "invariants-hold"
    /// Each node shows what the scenario expects when it is read.
    case expectationsHold = "expectations-hold"
    /// What a read over REST shows is what its node's tree showed between the question and the answer.
    case restReadsShowTheTree = "rest-reads-show-the-tree"
    /// Each request over HTTP gets the answer that it has to get, and each connection ends when its node says so, and not before.
    case restAnswersAreRight = "rest-answers-are-right"
    /// A malformed request is refused, and its connection goes on or ends as HTTP says.
    case malformedRequestsAreRefused = "malformed-requests-are-refused"
    /// What a stream of events tells makes up what its node's tree shows, and each event changes something.
    case streamsShowTheTree = "streams-show-the-tree"
    /// What a node says of its health and of its port is so.
    case nodesReportTheTruth = "nodes-report-the-truth"
    /// No gateway keeps anything for clients that are gone.
    case gatewaysForgetClients = "gateways-forget-clients"
    /// Nothing was accepted from a user that the rules of its node refused at that moment.
    case writesAreAllowed = "writes-are-allowed"
    /// Nothing was denied that the rules allowed, no request and no listen.
    case allowedIsAccepted = "allowed-is-accepted"
    /// Nobody was told what he may not read, and a listen that is not allowed any more ends in that turn.
    case readsAreAllowed = "reads-are-allowed"
    /// The log names the user for whom each write was made, and the rules by which the node judged that took it.
    case writesAreAttributed = "writes-are-attributed"
    /// In the end every node enforces the rules of the last writer.
    case rulesConverge = "rules-converge"
}

extension Check {
    /// Whether it judges how long something takes.
    var isTimed: Bool {
        switch self {
        case .answersInTime, .requestsEndInTime, .outcomesBecomeKnown, .nodesServeInTime,
            .clientsConnectInTime, .goneClientsAreNoticed, .nodesCatchUpInTime,
            .nodesServeAtRest:
            true
        default: false
        }
    }
}

/// The verdict of a check.
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
    public internal(set) var details: String
    /// The few lines of the history that show what is wrong.
    public var witness: [String] = []
    /// The request of a client that it is about.
    var subject: ClientOperation.Name?
    /// Where and when it shows that something is wrong.
    var moment: FindingMoment?
    /// Which invariant of the scenario is violated, counted from 0.
    var invariant: Int?
}
