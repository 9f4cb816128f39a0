/// A guarantee of Hearth, as `guarantees.md` defines it.
public enum Guarantee: String, CaseIterable, Sendable {
    case c1 = "C1"
    case c2 = "C2"
    case s1 = "S1"
    case s2 = "S2"
    case s3 = "S3"
    case s4 = "S4"
    case s5 = "S5"
    case s6 = "S6"
    case e1 = "E1"
    case e2 = "E2"
    case e3 = "E3"
    case e4 = "E4"
    case e5 = "E5"
    case e6 = "E6"
    case p1 = "P1"
    case p2 = "P2"
    case p3 = "P3"
    case n1 = "N1"
    case d1 = "D1"
    case d2 = "D2"
    case d3 = "D3"
    case x1 = "X1"
    case x2 = "X2"
    case x3 = "X3"
    case h1 = "H1"
    case r1 = "R1"
    case r2 = "R2"
    case r3 = "R3"
    case a1 = "A1"
    case a2 = "A2"
    case a3 = "A3"
    case a4 = "A4"

    /// The words that name it.
    public var title: String {
        switch self {
        case .c1: "Strong eventual consistency"
        case .c2: "Convergence"
        case .s1: "Read your writes"
        case .s2: "Monotonic reads"
        case .s3: "Monotonic writes"
        case .s4: "Writes follow reads"
        case .s5: "Causal order"
        case .s6: "Order of a session"
        case .e1: "Events make the state"
        case .e2: "The previous sibling is right"
        case .e3: "No duplicate and no lost child event"
        case .e4: "Order of events"
        case .e5: "Old values are right"
        case .e6: "Changes tell the truth"
        case .p1: "Push IDs are unique"
        case .p2: "Push IDs of one client ascend"
        case .p3: "Appends do not conflict"
        case .n1: "Increments count once"
        case .d1: "Acknowledged writes survive"
        case .d2: "Restart identity"
        case .d3: "No resurrection"
        case .x1: "Updates are atomic"
        case .x2: "Transactions are exact"
        case .x3: "Stable is final"
        case .h1: "Stamps ascend"
        case .r1: "Reads over REST show the tree"
        case .r2: "HTTP is correct"
        case .r3: "Streams show the tree"
        case .a1: "Rules are enforced"
        case .a2: "No client sees data that it may not read"
        case .a3: "Rules converge"
        case .a4: "Writes are attributed"
        }
    }

    /// The checks that judge it.
    public var checks: [Check] {
        switch self {
        case .c1:
            [
                .replicasEqual, .everyTurnEqualsOracle, .equalVectorsEqualTrees, .digestsAgree,
                .lateWritesLand, .requestsDoWhatTheySay, .databasesStayApart, .databasesConverge,
            ]
        case .c2:
            [
                .staysLive, .nodesCatchUpInTime, .nodesServeAtRest, .databasesConverge,
                .databasesFallAsleep,
            ]
        case .s1: [.readYourWrites, .ownWritesShow, .readsAgree, .clientsKeepWhatTheySaw]
        case .s2: [.monotonicReads, .clientsKeepWhatTheySaw]
        case .s3: [.monotonicWrites]
        case .s4: [.writesFollowReads]
        case .s5: [.causalOrder]
        case .s6: [.sessionsKeepTheirOrder]
        case .e1: [.eventsMakeTheState, .listenersConverge]
        case .e2: [.childrenInPlace]
        case .e3: [.childrenComeOnce]
        case .e4: [.eventsInOrder, .eventsAreExact]
        case .e5: [.oldValuesAreRight]
        case .e6: [.changesTellTheTruth, .listenersConverge, .queriesShowTheTree]
        case .p1: [.pushKeys]
        case .p2: [.pushKeys]
        case .p3: [.acknowledgedPushes]
        case .n1: [.incrementsAddUp]
        case .d1:
            [
                .acknowledgedWritesSurvive, .readsAreDurable, .writeConcernsHold,
                .replaysConflictWithNothing, .databaseWritesSurvive,
                .placementsExcludeEachOther,
            ]
        case .d2: [.restartIdentity]
        case .d3: [.noResurrection, .removedDatabasesStayAway]
        case .x1: [.updatesAreAtomic, .eventsInOrder, .writesCountOnce]
        case .x2:
            [.transactionsCount, .transactionsLinearizable, .decisionsFollow, .writeConcernsHold]
        case .x3: [.stableIsFinal, .stableAnswersHold]
        case .h1: [.stampsAscend]
        case .r1: [.restReadsShowTheTree]
        case .r2: [.restAnswersAreRight, .malformedRequestsAreRefused]
        case .r3: [.streamsShowTheTree]
        case .a1: [.writesAreAllowed, .allowedIsAccepted]
        case .a2: [.readsAreAllowed]
        case .a3: [.rulesConverge]
        case .a4: [.writesAreAttributed]
        }
    }
}
