internal import ClusterSimulator
internal import CommandLineKit

/// `hearth sim checks`.
enum SimulationChecksVerb {
    static let verb = Verb(
        "checks", "Names the checks that a scenario can claim, and whom each judges.",
        examples: ["hearth sim checks"]
    ) { (_) throws(CommandError) in
        for line in lines { StandardOutput.shared.print(line) }
        return .success
    }

    /// A line for each check: its name, whom it judges, and what it claims.
    static var lines: [String] {
        let width = Check.allCases.map(\.rawValue.count).max() ?? 0
        let names = Judged.allCases.map(\.rawValue.count).max() ?? 0
        return Check.allCases.map { check in
            check.rawValue.padded(to: width) + "  " + check.judged.rawValue.padded(to: names)
                + "  " + check.claim
        }
    }

    /// Whose doings a check judges: without any of these in a scenario it has nothing to check.
    enum Judged: String, CaseIterable {
        case nodes
        case clients = "clients of count"
        /// Protocol clients do not say what they have seen.
        case library = "count, not protocol"
        case listeners
        case programs = "applications, firebase"
        case dense
        case idle
        case rest
        case streams
        case users
        case all = "nodes and clients"
        case scenario = "nodes, as you say"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

extension Check {
    /// Whom the check judges.
    var judged: SimulationChecksVerb.Judged {
        switch self {
        case .replicasEqual, .everyTurnEqualsOracle, .oneOfAName, .memoryIsFreed,
            .equalVectorsEqualTrees, .causalOrder, .restartIdentity, .noResurrection,
            .stableIsFinal, .stampsAscend, .statusTellsTheTruth, .nodesServeInTime,
            .goneClientsAreNoticed, .nodesReportTheTruth, .gatewaysForgetClients, .rulesConverge,
            .lateWritesLand, .requestsDoWhatTheySay, .nodesCatchUpInTime,
            .nodesCatchUpBeforeService,
            .replaysConflictWithNothing, .nodesServeAtRest:
            .nodes
        case .acknowledgedPushes, .pushKeys, .incrementsAddUp, .acknowledgedWritesSurvive,
            .writeConcernsHold, .refusalsHaveReasons, .answersInTime, .updatesAreAtomic,
            .smallRequestsWaitBriefly,
            .nonsenseIsRefused, .outcomesBecomeKnown, .readsAreDurable:
            .clients
        case .readYourWrites, .monotonicReads, .monotonicWrites, .writesFollowReads,
            .clientsConnectInTime, .requestsEndInTime, .writesCountOnce:
            .library
        case .restReadsShowTheTree, .restAnswersAreRight, .malformedRequestsAreRefused: .rest
        case .streamsShowTheTree: .streams
        case .writesAreAllowed, .allowedIsAccepted, .readsAreAllowed, .writesAreAttributed: .users
        case .listenersConverge: .listeners
        case .eventsMakeTheState, .childrenInPlace, .childrenComeOnce, .eventsInOrder,
            .oldValuesAreRight, .changesTellTheTruth, .eventsAreExact, .transactionsCount,
            .transactionsLinearizable, .decisionsFollow, .sessionsKeepTheirOrder:
            .programs
        case .queriesShowTheTree, .ownWritesShow, .clientsKeepWhatTheySaw, .readsAgree,
            .stableAnswersHold:
            .dense
        case .onDisconnectWaits: .idle
        case .staysLive, .onDisconnectWritesAreDone: .all
        case .invariantsHold, .expectationsHold: .scenario
        }
    }

    /// What the check claims.
    var claim: String {
        switch self {
        case .replicasEqual: "in the end all nodes hold and show the same"
        case .everyTurnEqualsOracle: "after each turn a node shows what its operations give"
        case .lateWritesLand: "an operation that came late would do what it should"
        case .requestsDoWhatTheySay: "a request does what one database alone would do"
        case .nodesCatchUpInTime: "a node soon holds what a peer that it reaches made"
        case .nodesCatchUpBeforeService: "a node whose disk is lost serves once it has its data"
        case .stableAnswersHold: "a wait for stability ends once all earlier writes came"
        case .nodesServeAtRest: "nodes do what they are asked for once all is at rest"
        case .replaysConflictWithNothing: "an evicted node replays nothing over other data"
        case .acknowledgedPushes: "each acknowledged push is everywhere, once, in order"
        case .pushKeys: "no two pushes got one key; those of a client ascend"
        case .incrementsAddUp: "each counter shows what was acknowledged"
        case .acknowledgedWritesSurvive: "no acknowledged write is lost, in memory or on disk"
        case .readsAreDurable: "what a client is shown is on the disk of its node"
        case .writeConcernsHold: "a write was on as many disks as its answer says"
        case .refusalsHaveReasons: "a node refuses only what it cannot take, and says why"
        case .oneOfAName: "a second process under the name of a node ends"
        case .listenersConverge: "what a listener was told makes up what its node shows"
        case .staysLive: "the nodes become equal once all faults are over"
        case .eventsMakeTheState: "child events make what value events show"
        case .childrenInPlace: "the child before, which an event names, is that"
        case .childrenComeOnce: "a child is added once, and only what is there goes"
        case .eventsInOrder: "a change tells its events in their order"
        case .oldValuesAreRight: "a removal shows what was there"
        case .changesTellTheTruth: "nothing is told that changes nothing"
        case .eventsAreExact: "each change tells just the events that comparing gives"
        case .queriesShowTheTree: "what is told of a query is what the tree gives"
        case .ownWritesShow: "a listener shows its client's open writes at once"
        case .clientsKeepWhatTheySaw: "no node that serves a client holds less than it saw"
        case .onDisconnectWritesAreDone: "the end of a session does what it had left"
        case .answersInTime: "no client waits longer than `answer`"
        case .smallRequestsWaitBriefly: "clients that send much do not delay others"
        case .requestsEndInTime: "a request ends when its patience is over"
        case .writesCountOnce: "a write is done once at most, a refused one never"
        case .memoryIsFreed: "what is stable is forgotten"
        case .transactionsCount: "each committed transaction counts once"
        case .transactionsLinearizable: "transactions on a value rest one upon the other"
        case .sessionsKeepTheirOrder: "a session's writes take effect in their order"
        case .decisionsFollow: "a coordinator knows what earlier ones have decided"
        case .onDisconnectWaits: "on-disconnect writes wait until their connection ends"
        case .equalVectorsEqualTrees: "nodes that hold the same show the same, at any time"
        case .readYourWrites: "a read shows what its client has written"
        case .monotonicReads: "a read shows what an earlier one has shown"
        case .monotonicWrites: "no node shows a later write without the earlier one"
        case .writesFollowReads: "no node shows a write without what its client had read"
        case .causalOrder: "a node shows no operation without what its origin held"
        case .restartIdentity: "no sequence is used twice, no announced one is lost"
        case .noResurrection: "what was removed stays removed"
        case .updatesAreAtomic: "an update of several places shows as a whole"
        case .stableIsFinal: "nothing arrives that is older than what is stable"
        case .stampsAscend: "stamps ascend, and stay near the fastest clock"
        case .readsAgree: "a read gives what a listener at its place is shown"
        case .nonsenseIsRefused: "what cannot be asked is refused, and named"
        case .outcomesBecomeKnown: "a client learns what became of its writes"
        case .statusTellsTheTruth: "what a node says of itself agrees with the run"
        case .nodesServeInTime: "nodes serve soon after they start"
        case .clientsConnectInTime: "clients are connected soon after nodes serve"
        case .goneClientsAreNoticed: "a client that is gone without a word is noticed"
        case .restReadsShowTheTree: "a read over REST shows what its node showed then"
        case .restAnswersAreRight: "each request over HTTP gets the right answer"
        case .malformedRequestsAreRefused: "what is no request is refused, as HTTP says"
        case .streamsShowTheTree: "the events of a stream make up what its node shows"
        case .writesAreAllowed: "nothing is accepted that the rules of a node refuse"
        case .writesAreAttributed: "the log names the user of each write, and the rules"
        case .allowedIsAccepted: "nothing is denied that the rules of a node allow"
        case .readsAreAllowed: "nobody is told what the rules do not let him read"
        case .rulesConverge: "in the end all nodes enforce the last rules"
        case .nodesReportTheTruth: "health and metrics of a node agree with the run"
        case .gatewaysForgetClients: "no port keeps anything for clients that are gone"
        case .invariantsHold: "`check every`, `count` and `sum` hold after each turn"
        case .expectationsHold: "each line `at TIME n1 reads PATH expect VALUE` is met"
        }
    }
}
