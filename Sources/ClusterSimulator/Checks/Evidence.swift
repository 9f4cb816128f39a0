import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// All that the checks judge, once a run is over.
struct Evidence {
    struct Node {
        var name: String
        /// Null for a node that is not up.
        var value: Value
        var vector: VersionVector?
        var writer: WriterID?
        /// The operations that its vector covers, in stamp order.
        var operations: [Operation]
        /// How its disk differs from its vector.
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
    /// Whether a process ended that may have left unsynced data.
    let hasCrashed: Bool
    /// The operations that were acknowledged and must be there.
    let acknowledged: [ClientOperation]
    /// How many acknowledged operations need not be there.
    let permittedCount: Int

    // MARK: What only a simulator observes

    /// The watches of the claimed checks.
    var watches: [any Watch] = []
    var listeners: [Listener] = []
    /// Their state at the end.
    var sdkClients: [SDKClient] = []
    /// The clients of the library by the writers that stamp for them.
    var clientWriters: [WriterID: Int] = [:]
    /// The listeners of applications and Firebase clients.
    var programs: [(index: Int, streams: [EventStream])] = []
    /// The findings of clients of HTTP.
    var httpTallies: [(index: Int, tally: CheckTally)] = []
    /// The gateways of all nodes.
    var ports: [Port] = []
    /// The verdicts on clients with identities; nil without any.
    var access: AccessJudgement?
    /// How a node enforced other rules in the end than those of the last writer.
    var rulesProblem: String?
    var sessionEnds: [SessionEnd] = []
    /// All that there were.
    var connections: [Connection] = []
    var refusals: [Refusal] = []
    var duplicateNodes: [DuplicateNode] = []
    /// How many trees each node compared with its own, and how many of them differed.
    var comparisons: [(node: String, compared: UInt64, differing: UInt64)] = []
    /// How long nodes took to serve that began while all others served.
    var starts: [ServiceStart] = []
    /// How long small requests waited at each node.
    var smallRequests: [(node: String, requests: SmallRequests)] = []
    /// Every batch that was handed to any disk.
    var archive = BatchArchive()
    /// When the replicas became equal for good; nil if they never did.
    var converged: Microseconds?
    /// The first node or client that was not at rest at the end, and the reason.
    var unrest: String?
    var quiescenceBegan: Microseconds { scenario.until }

    /// - Parameter losses: The losses of disks; `crashes`: when processes ended that may have left unsynced
    ///   data.
    init(
        _ scenario: Scenario, _ history: History, _ recording: Recording, nodes: [Node],
        losses: [Loss], crashes: [UnsyncedEnd]
    ) {
        self.scenario = scenario
        self.history = history
        self.recording = recording
        self.nodes = nodes
        self.losses = losses
        hasCrashed = !crashes.isEmpty
        let permittedLosses = PermittedLosses(
            recording, losses: losses, crashes: crashes)
        self.permittedLosses = permittedLosses
        let answered = history.operations.filter { $0.outcome == .acknowledged }
        acknowledged = answered.filter { !permittedLosses.mayBeLost($0) }
        permittedCount = answered.count - acknowledged.count
    }
}

extension Evidence {
    static func operations(in entries: [LogEntry]) -> [Operation] {
        var operations: [Operation] = []
        for entry in entries {
            // The checks skip a batch that cannot be read, as the replica does.
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            // Rules are no part of the tree.
            operations += batch.operations.filter { RulesRecord($0) == nil }
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

    /// The programs that do more than send one request after the other, or listen.
    var applications: [SDKClient] {
        sdkClients.filter { $0.program != .requests && $0.program != .listener }
    }

    var clientCount: Int { scenario.clients.count }

    /// The reason why a check finds no pushes although the scenario may have some.
    var pushNote: String {
        scenario.mix.contains(where: \.isUncheckedPush) ? Self.mixNote : ""
    }

    /// The same of increments.
    var incrementNote: String {
        scenario.mix.contains(where: \.isUncheckedIncrement) ? Self.mixNote : ""
    }

    private static let mixNote =
        "; those of `mix` do not count, because other requests may overwrite them"

    /// Said in every result, never passed over.
    var permittedNote: String {
        let count = permittedCount
        guard count > 0 else { return "" }
        return "; \(count) acknowledged before a node lost its disk, or crashed without "
            + "\"durability=commit\", and held by no other then, are left out"
    }
}
