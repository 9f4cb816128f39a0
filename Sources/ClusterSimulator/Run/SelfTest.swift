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
            Row(.losesAside, in: "evicted-node-is-killed", by: .acknowledgedWritesSurvive),
            Row(.dropsWhatFindsNoRoom, in: "full-disk", by: .restartIdentity),
            Row(.ignoresFailedSyncs, in: "failing-disk", by: .restartIdentity),
            Row(.trustsDamagedLog, in: "spoilt-log", by: .replicasEqual),
            Row(.trustsDamagedLog, in: "rotten-row", by: .replicasEqual),
            Row(.trustsPlaces, in: "misdirected-writes", by: .replicasEqual),
            Row(.trustsDamagedCheckpoint, in: "rotten-row", by: .replicasEqual),
            Row(.truncatesWhatIsHeld, in: "checkpoint-and-tail", by: .acknowledgedWritesSurvive),
            Row(.refusedTwinGoesOn, in: "two-of-a-name", by: .oneOfAName),
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
        ]

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
