import DataTree
import ReplicaCore
import SyncProtocol

/// All that the checks look at, once a run is over.
struct Evidence {
    struct Node {
        var name: String
        /// Null for a node that is not up.
        var value: Value
        var vector: VersionVector?
        var writer: WriterID?
        /// What its vector says that it holds, in stamp order.
        var operations: [Operation]
        /// How its disk differs from what it says that it holds.
        var diskFailure: String?
    }

    struct Listener {
        var name: String
        /// The name of its node.
        var node: String
        var listening: Listening
    }

    let scenario: Scenario
    let history: History
    let recording: Recording
    let nodes: [Node]
    let losses: [Loss]
    let permittedLosses: PermittedLosses
    /// Whether a process ended that may have left something unsynced.
    let hasCrashed: Bool
    /// The operations that were acknowledged and must be there.
    let acknowledged: [ClientOperation]
    /// How many acknowledged operations need not be there.
    let permittedCount: Int

    // MARK: What only a simulator sees

    private(set) var listeners: [Listener] = []
    /// As they were in the end.
    private(set) var applications: [Application] = []
    /// All that there were.
    private(set) var connections: [Connection] = []
    private(set) var refusals: [Refusal] = []
    private(set) var duplicateNodes: [DuplicateNode] = []
    private(set) var everyTurn: [EveryTurnOracle] = []
    /// When the replicas became equal for good; nil if they never did.
    private(set) var converged: Microseconds?
    var quiescenceBegan: Microseconds { scenario.until }

    /// - Parameter losses: What went with disks; `crashes`: when processes ended that may have left
    ///   something unsynced.
    init(
        _ scenario: Scenario, _ history: History, _ recording: Recording, nodes: [Node],
        losses: [Loss], crashes: [(node: Int, time: Microseconds)]
    ) {
        self.scenario = scenario
        self.history = history
        self.recording = recording
        self.nodes = nodes
        self.losses = losses
        hasCrashed = !crashes.isEmpty
        let permittedLosses = PermittedLosses(
            scenario.cluster, recording, losses: losses, crashes: crashes)
        self.permittedLosses = permittedLosses
        let answered = history.operations.filter { $0.outcome == .acknowledged }
        acknowledged = answered.filter { !permittedLosses.mayBeLost($0) }
        permittedCount = answered.count - acknowledged.count
    }
}

extension Evidence {
    init(of run: SimulatedRun) {
        self.init(
            run.scenario, run.history, run.recording, nodes: Evidence.nodes(of: run),
            losses: run.losses, crashes: run.crashes)
        applications = run.applications.map { application in
            var application = application
            let value = application.node.flatMap { run.nodes[$0].replica?.value } ?? .null
            for index in application.streams.indices {
                application.streams[index].finish(showing: value)
            }
            return application
        }
        connections = run.connections
        refusals = run.refusals
        duplicateNodes = run.duplicateNodes
        everyTurn = run.everyTurn
        converged = run.quiescence.converged
        listeners = run.clients.compactMap { client in
            client.listening.map {
                Listener(
                    name: "c\(client.index + 1)", node: run.nodes[client.node].name, listening: $0)
            }
        }
    }

    private static func nodes(of run: SimulatedRun) -> [Node] {
        var decoded: (entries: [LogEntry], operations: [Operation])?
        return run.nodes.filter(\.belongs).map { node in
            let entries = run.archive.batches(in: node.replica?.vector ?? VersionVector())
            // Mostly all logs are equal, and need be read only once.
            if decoded?.entries != entries { decoded = (entries, operations(in: entries)) }
            return Node(
                name: node.name, value: node.replica?.value ?? .null, vector: node.replica?.vector,
                writer: node.replica?.writer, operations: decoded?.operations ?? [],
                diskFailure: diskFailure(of: node))
        }
    }

    /// Looks at a disk as the next process would.
    private static func diskFailure(of node: VirtualNode) -> String? {
        do throws(FrameError) {
            guard let replica = node.replica, let next = try node.restarted() else { return nil }
            if next.vector != replica.vector {
                return "\(node.name) holds \(replica.vector.line), and its disk \(next.vector.line)"
            }
            return next.value == replica.value
                ? nil : "\(node.name) shows \(replica.value), and its disk gives \(next.value)"
        } catch {
            return "what is on the disk of \(node.name) cannot be read: \(error)"
        }
    }

    static func operations(in entries: [LogEntry]) -> [Operation] {
        var operations: [Operation] = []
        for entry in entries {
            // A batch that cannot be read is missed by the checks, as it is by the replica.
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            operations += batch.operations
        }
        var united: [Operation] = []
        for operation in operations.sorted(by: { $0.stamp < $1.stamp }) {
            if let union = united.last?.union(with: operation) {
                united[united.count - 1] = union
            } else {
                united.append(operation)
            }
        }
        return united
    }

    var clientCount: Int { scenario.clients.count + scenario.clients.listeners }

    /// Said in every result, never passed over.
    var permittedNote: String {
        let count = permittedCount
        guard count > 0 else { return "" }
        return "; \(count) acknowledged before a node lost its disk, or crashed without "
            + "\"durability=commit\", and held by no other then, are left out"
    }
}

extension Check {
    /// Looks at a run.
    func judge(_ evidence: Evidence) -> CheckResult {
        let finding: Finding =
            switch self {
            case .replicasEqual: ReplicasEqual.judge(evidence)
            case .everyTurnEqualsOracle: EveryTurnEqualsOracle.judge(evidence)
            case .acknowledgedPushes: AcknowledgedPushes.judge(evidence)
            case .pushKeys: PushKeys.judge(evidence)
            case .incrementsAddUp: IncrementsAddUp.judge(evidence)
            case .acknowledgedWritesSurvive: AcknowledgedWritesSurvive.judge(evidence)
            case .writeConcernsHold: WriteConcernsHold.judge(evidence)
            case .refusalsHaveReasons: RefusalsHaveReasons.judge(evidence)
            case .oneOfAName: OneOfAName.judge(evidence)
            case .listenersConverge: ListenersConverge.judge(evidence)
            case .staysLive: StaysLive.judge(evidence)
            case .eventsMakeTheState, .childrenInPlace, .childrenComeOnce, .eventsInOrder,
                .oldValuesAreRight, .changesTellTheTruth:
                EventChecks.judge(self, evidence)
            case .transactionsCount: Transactions.judgeCount(evidence)
            case .transactionsLinearizable: Transactions.judgeRegister(evidence)
            case .onDisconnectWaits: OnDisconnectWaits.judge(evidence)
            case .equalVectorsEqualTrees: EqualVectors.judge(evidence)
            case .readYourWrites: Sessions(evidence).readYourWrites()
            case .monotonicReads: Sessions(evidence).monotonicReads()
            case .monotonicWrites: Sessions(evidence).monotonicWrites()
            case .writesFollowReads: Sessions(evidence).writesFollowReads()
            case .causalOrder: Sessions(evidence).causalOrder()
            case .restartIdentity: RestartIdentity.judge(evidence)
            case .noResurrection: NoResurrection.judge(evidence)
            case .updatesAreAtomic: UpdatesAreAtomic.judge(evidence)
            case .stableIsFinal: StableIsFinal.judge(evidence)
            case .stampsAscend: StampsAscend.judge(evidence)
            }
        return CheckResult(
            check: self, verdict: finding.verdict, details: finding.details,
            witness: finding.witness)
    }
}
