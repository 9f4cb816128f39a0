import ReplicaCore

/// Shows that the checks find mistakes: plants each one, and counts the seeds until a check sees it.
public enum SelfTest {
    /// A mistake, the scenario in which it is looked for, and the check that has to find it.
    public struct Row: Sendable {
        public let defect: PlantedDefect
        /// The name of a scenario file, without its ending.
        public let scenario: String
        public let check: Check

        init(_ defect: PlantedDefect, in scenario: String, by check: Check) {
            self.defect = defect
            self.scenario = scenario
            self.check = check
        }
    }

    /// What came of one row.
    public struct Result: Sendable {
        public let row: Row
        /// The seeds until the check found the mistake; nil if none of them showed it.
        public let seeds: UInt64?
        /// What the check said then.
        public let finding: CheckResult?
    }

    /// Each check is in some row.
    public static let rows: [Row] =
        [
            Row(.replica(.coveredWriteDoesNotKill), in: "crowded-tree", by: .everyTurnEqualsOracle),
            Row(.replica(.noStrictClear), in: "crowded-tree", by: .everyTurnEqualsOracle),
            Row(.replica(.keepDeadIncrements), in: "crowded-tree", by: .everyTurnEqualsOracle),
            Row(.replica(.nullWriteKills), in: "crowded-tree", by: .everyTurnEqualsOracle),
            Row(.replica(.pruneUnderHoles), in: "crowded-tree", by: .everyTurnEqualsOracle),
            Row(.replica(.setCoversItsIncrements), in: "crowded-tree", by: .everyTurnEqualsOracle),
            Row(
                .replica(.firstComeOnEqualPlace), in: "crowded-tree", by: .equalVectorsEqualTrees),
            Row(.replica(.noTombstone), in: "crowded-tree", by: .noResurrection),
            Row(.replica(.compactPastAGap), in: "crowded-tree", by: .stableIsFinal),
            Row(.replica(.ignoresDependencies), in: "sessions-stay", by: .causalOrder),
            Row(.replica(.ignoresDependencies), in: "sessions-stay", by: .writesFollowReads),
            Row(.replica(.stampsFollowTheWall), in: "sessions-stay", by: .stampsAscend),
            Row(.replica(.stampsFollowTheWall), in: "sessions-stay", by: .monotonicWrites),
            Row(.replica(.stampsRunAhead), in: "sessions-stay", by: .stampsAscend),
            Row(.replica(.ignoresStampsOfOthers), in: "sessions-stay", by: .stampsAscend),
            Row(
                .replica(.checkpointWithoutRegisters), in: "checkpoint-and-tail",
                by: .everyTurnEqualsOracle),
            Row(
                .replica(.takesFromClosedWriters), in: "lost-incarnation-is-heard-late",
                by: .everyTurnEqualsOracle),
            Row(
                .replica(.compactsWithoutAgreement), in: "lost-incarnation-is-heard-late",
                by: .everyTurnEqualsOracle),
            Row(.replica(.hidesWhatIsGone), in: "long-away", by: .staysLive),
            Row(.replica(.joinsOldState), in: "long-away", by: .noResurrection),
            Row(.replica(.answersConcernsEarly), in: "write-concerns-hold", by: .writeConcernsHold),
            Row(
                .replica(.writesWhileOut), in: "evicted-under-everything",
                by: .acknowledgedWritesSurvive),
            Row(.losesAside, in: "evicted-node-is-killed", by: .acknowledgedWritesSurvive),
            Row(.replica(.forgetsEvictions), in: "evicted-is-remembered", by: .stableIsFinal),
            Row(
                .replica(.keepsRefusedVotes), in: "eviction-needs-a-majority",
                by: .refusalsHaveReasons),
            Row(.replica(.servesUnknown), in: "lost-closed-timestamps-count", by: .stableIsFinal),
            Row(.replica(.forgetsRemovals), in: "removed-node-returns", by: .stableIsFinal),
            Row(
                .replica(.forgetsWhatIsDoneAgain), in: "evicted-and-asked-again",
                by: .incrementsAddUp),
            Row(.replica(.staysFull), in: "full-disk", by: .refusalsHaveReasons),
            Row(.replica(.staysFull), in: "full-disk", by: .staysLive),
            Row(.dropsWhatFindsNoRoom, in: "full-disk", by: .restartIdentity),
            Row(.ignoresFailedSyncs, in: "failing-disk", by: .restartIdentity),
            Row(.trustsDamagedLog, in: "spoilt-log", by: .replicasEqual),
            Row(.trustsDamagedLog, in: "rotten-row", by: .replicasEqual),
            Row(.trustsPlaces, in: "misdirected-writes", by: .replicasEqual),
            Row(.trustsDamagedCheckpoint, in: "rotten-row", by: .replicasEqual),
            Row(.truncatesWhatIsHeld, in: "checkpoint-and-tail", by: .acknowledgedWritesSurvive),
            Row(.refusedTwinGoesOn, in: "two-of-a-name", by: .oneOfAName),
            Row(.replica(.welcomesTwins), in: "two-of-a-name", by: .oneOfAName),
            Row(.keepsWriter, in: "lying-disk", by: .restartIdentity),
            Row(.keepsWriter, in: "older-copy-returns", by: .restartIdentity),
            Row(.servesStaleReads, in: "sessions-stay", by: .readYourWrites),
            Row(.servesStaleReads, in: "sessions-stay", by: .monotonicReads),
            Row(.splitsUpdates, in: "sessions-stay", by: .updatesAreAtomic),
            Row(.acknowledgesBeforeCommit, in: "crash-and-restart", by: .acknowledgedWritesSurvive),
            Row(.acknowledgesBeforeCommit, in: "crash-and-restart", by: .acknowledgedPushes),
            Row(.ignoresGaps, in: "three-nodes-converge", by: .staysLive),
            Row(.ignoresGaps, in: "three-nodes-converge", by: .replicasEqual),
            Row(.ignoresGaps, in: "subscription-is-lost", by: .staysLive),
            Row(.resendsIncrements, in: "increments-add-up", by: .incrementsAddUp),
            Row(.restampsRetries, in: "increments-count-once", by: .incrementsAddUp),
            Row(.replica(.forgetsStamps), in: "increments-count-once", by: .incrementsAddUp),
            Row(
                .replica(.checkpointWithoutStamps), in: "restarts-remember-stamps",
                by: .incrementsAddUp),
            Row(.replica(.acceptsBelowPromise), in: "increments-count-once", by: .stableIsFinal),
            Row(.replica(.greetsBeforeCovered), in: "sessions-move", by: .readYourWrites),
            Row(.replica(.greetsBeforeCovered), in: "sessions-move", by: .monotonicReads),
            Row(.takesLateForDone, in: "sessions-move", by: .readYourWrites),
            Row(.forgetsLastPushID, in: "moving-clients", by: .pushKeys),
            Row(.drawsPushIDsAlike, in: "three-nodes-converge", by: .pushKeys),
            Row(.drawsPushIDsAlike, in: "three-nodes-converge", by: .acknowledgedPushes),
            Row(.losesChanges, in: "moving-clients", by: .listenersConverge),
            Row(.losesChildren, in: "applications-follow", by: .eventsMakeTheState),
            Row(.misplacesChildren, in: "applications-follow", by: .childrenInPlace),
            Row(.doublesChildren, in: "applications-follow", by: .childrenComeOnce),
            Row(.valueComesFirst, in: "applications-follow", by: .eventsInOrder),
            Row(.splitsChanges, in: "applications-follow", by: .eventsInOrder),
            Row(.forgetsOldValues, in: "applications-follow", by: .oldValuesAreRight),
            Row(.losesChanges, in: "applications-follow", by: .changesTellTheTruth),
            Row(.ignoresConditions, in: "transactions-count", by: .transactionsCount),
            Row(.ignoresConditions, in: "transactions-follow", by: .transactionsLinearizable),
            Row(.pingsTooRarely, in: "idle-clients-stay", by: .onDisconnectWaits),
        ] + coordination

    /// What could go wrong with a coordinator.
    private static let coordination: [Row] = [
        .leadsWithoutMajority, .leadsBeforeCatchingUp, .answersTransactionsEarly,
        .ignoresFormerCeilings,
    ].map { Row(.replica($0), in: "coordinator-is-cut-off", by: .transactionsLinearizable) }

    /// Runs a scenario with the mistake of a row, with one seed after the other, until it is found.
    ///
    /// - Parameter scenario: The one that the row names.
    public static func run(_ row: Row, in scenario: Scenario, limit: UInt64 = 100) -> Result {
        var scenario = scenario
        scenario.checks = [row.check]
        for seed in 1...limit {
            let report = Simulation.run(scenario, seed: seed, defect: row.defect)
            guard report.checks[0].verdict == .invalid else { continue }
            return Result(row: row, seeds: seed, finding: report.checks[0])
        }
        return Result(row: row, seeds: nil, finding: nil)
    }
}
