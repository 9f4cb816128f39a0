// The check behind each name. Checks know the evidence, and none of them this list.

extension Check {
    /// Judges a run.
    func judge(_ evidence: Evidence) -> CheckResult {
        let finding: Finding =
            switch self {
            case .replicasEqual: ReplicasEqual.judge(evidence)
            case .everyTurnEqualsOracle: EveryTurnEqualsOracle.judge(evidence)
            case .lateWritesLand: LateWritesLand.judge(evidence)
            case .requestsDoWhatTheySay: RequestsDoWhatTheySay.judge(evidence)
            case .nodesCatchUpInTime: NodesCatchUpInTime.judge(evidence)
            case .nodesCatchUpBeforeService: NodesCatchUpBeforeService.judge(evidence)
            case .nodesServeAtRest: NodesServeAtRest.judge(evidence)
            case .replaysConflictWithNothing: ReplaysConflictWithNothing.judge(evidence)
            case .acknowledgedPushes: AcknowledgedPushes.judge(evidence)
            case .pushKeys: PushKeys.judge(evidence)
            case .incrementsAddUp: IncrementsAddUp.judge(evidence)
            case .acknowledgedWritesSurvive: AcknowledgedWritesSurvive.judge(evidence)
            case .readsAreDurable: ReadsAreDurable.judge(evidence)
            case .writeConcernsHold: WriteConcernsHold.judge(evidence)
            case .refusalsHaveReasons:
                MirrorChecks.failure(of: self, evidence) ?? RefusalsHaveReasons.judge(evidence)
            case .oneOfAName: OneOfAName.judge(evidence)
            case .listenersConverge: ListenersConverge.judge(evidence)
            case .staysLive: StaysLive.judge(evidence)
            case .eventsMakeTheState, .childrenInPlace, .childrenComeOnce, .eventsInOrder,
                .oldValuesAreRight, .changesTellTheTruth, .eventsAreExact:
                EventChecks.judge(self, evidence)
            case .queriesShowTheTree, .ownWritesShow, .clientsKeepWhatTheySaw, .readsAgree,
                .nonsenseIsRefused, .requestsEndInTime, .stableAnswersHold:
                MirrorChecks.judge(self, evidence)
            case .onDisconnectWritesAreDone: OnDisconnectWritesAreDone.judge(evidence)
            case .answersInTime: AnswersInTime.judge(evidence)
            case .smallRequestsWaitBriefly: SmallRequestsWaitBriefly.judge(evidence)
            case .writesCountOnce: WritesCountOnce.judge(evidence)
            case .memoryIsFreed: MemoryIsFreed.judge(evidence)
            case .outcomesBecomeKnown: OutcomesBecomeKnown.judge(evidence)
            case .statusTellsTheTruth: StatusTellsTheTruth.judge(evidence)
            case .nodesServeInTime: ServiceInTime.judgeNodes(evidence)
            case .clientsConnectInTime: ServiceInTime.judgeClients(evidence)
            case .goneClientsAreNoticed: GoneClients.judge(evidence)
            case .transactionsCount: Transactions.judgeCount(evidence)
            case .transactionsLinearizable: Transactions.judgeRegister(evidence)
            case .sessionsKeepTheirOrder: SessionsKeepTheirOrder.judge(evidence)
            case .decisionsFollow: DecisionsFollow.judge(evidence)
            case .onDisconnectWaits: OnDisconnectWaits.judge(evidence)
            case .equalVectorsEqualTrees: EqualVectors.judge(evidence)
            case .readYourWrites: Sessions(evidence).readYourWrites()
            case .monotonicReads: Sessions(evidence).monotonicReads()
            case .monotonicWrites:
                MirrorChecks.failure(of: self, evidence) ?? Sessions(evidence).monotonicWrites()
            case .writesFollowReads: Sessions(evidence).writesFollowReads()
            case .causalOrder: Sessions(evidence).causalOrder()
            case .restartIdentity: RestartIdentity.judge(evidence)
            case .noResurrection: NoResurrection.judge(evidence)
            case .updatesAreAtomic: UpdatesAreAtomic.judge(evidence)
            case .stableIsFinal: StableIsFinal.judge(evidence)
            case .stampsAscend:
                MirrorChecks.failure(of: self, evidence) ?? StampsAscend.judge(evidence)
            case .invariantsHold: InvariantsHold.judge(evidence)
            case .expectationsHold: ExpectationsHold.judge(evidence)
            case .restReadsShowTheTree, .restAnswersAreRight, .malformedRequestsAreRefused,
                .streamsShowTheTree, .nodesReportTheTruth:
                PortChecks.judge(self, evidence)
            case .gatewaysForgetClients: PortChecks.judgeLeftovers(evidence)
            case .writesAreAllowed, .allowedIsAccepted, .readsAreAllowed, .writesAreAttributed:
                UserChecks.judge(self, evidence)
            case .rulesConverge: UserChecks.judgeRules(evidence)
            }
        return CheckResult(
            check: self, verdict: finding.verdict, details: finding.details,
            witness: finding.witness, subject: finding.subject,
            moment: finding.moment, invariant: finding.invariant)
    }
}
