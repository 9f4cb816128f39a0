import ReplicaCore
import Store
import SyncProtocol

/// One node of a universe: the replica and the store that ship.
///
/// Its clock goes on with its own steps alone. So what a process is follows from what was on its disk when it started, and
/// from its turns and the work of its disk since, in order: `history` is a hash of that.
struct UniverseNode {
    /// The jobs of its disk, in order.
    enum Job {
        case commit(Turn)
        case perform(StoreRequest)
    }

    /// The work of the last turn for a client.
    struct Served {
        var session: SessionID
        var before: VersionVector
        var after: VersionVector
    }

    /// How far the clock goes on with each turn, and with one that stands for a while without any.
    private static let turnMilliseconds: UInt64 = 1
    static let tickMilliseconds: UInt64 = 300

    let index: Int
    private let configuration: ReplicaConfiguration
    /// Nil while the node is down.
    private(set) var replica: Replica?
    private(set) var store: DurableStore<MemoryTables>
    private(set) var jobs: [Job] = []
    /// The inputs since the last turn, with a hash of each.
    private(set) var inbox: [(input: Input, hash: UInt64)] = []
    private(set) var isServing = false
    private(set) var incarnation = 0
    private(set) var history = TraceHash()
    var oracle: EveryTurnOracle
    private(set) var elapsedMilliseconds: UInt64 = 0
    /// A turn is due although nothing has arrived.
    private var owesTurn = false

    /// A node that is down, with an empty disk.
    init(_ index: Int, of cluster: ClusterSettings) {
        self.index = index
        // Statements about disks multiply the orders by a thousand. The other searches cover them.
        var configuration = cluster.configuration(of: index)
        configuration.versions = 1...1
        self.configuration = configuration
        store = DurableStore(MemoryTables(), limits: VirtualDisk.limits)
        oracle = EveryTurnOracle(isOn: true, node: index)
    }

    var name: String { index.nodeName }
    var isUp: Bool { replica != nil }
    var needsTurn: Bool {
        isUp && (owesTurn || !inbox.isEmpty || replica?.hasDueWork ?? false)
    }
    var isIdle: Bool { isUp && !needsTurn && jobs.isEmpty }

    var moment: Moment {
        Moment(
            wallMilliseconds: VirtualClock.beginning + elapsedMilliseconds,
            elapsedMilliseconds: elapsedMilliseconds)
    }

    // MARK: Processes

    /// Starts a process on what is durable.
    mutating func start() throws(MemoryTables.Failure) {
        history.combine(1)
        incarnation += 1
        var configuration = configuration
        configuration.seed = UInt64(1 + index) << 32 | UInt64(incarnation)
        store = DurableStore(store.tables, limits: VirtualDisk.limits)
        replica = try store.recover { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        } replay: {
            $0.replay($1)
        }
        store.rewrite()
        owesTurn = true
    }

    /// The power goes once the disk has done the first few of its jobs, which the process does not learn.
    mutating func crash(after count: Int) {
        for job in jobs.prefix(count) {
            switch job {
            case .commit(let turn): try? store.commit([turn])
            case .perform(let request): _ = try? store.execute(request)
            }
        }
        store.tables.losePower(keeping: 0)
        replica = nil
        isServing = false
        jobs.removeAll()
        inbox.removeAll()
        history = TraceHash()
        history.combine(store.tables)
        history.combine(elapsedMilliseconds)
        history.combine(incarnation)
    }

    /// The node as its next process would start if the power failed now.
    func restarted() throws(MemoryTables.Failure) -> UniverseNode {
        var node = self
        node.crash(after: 0)
        try node.start()
        return node
    }

    // MARK: Steps

    mutating func receive(_ input: Input, hash: UInt64) {
        inbox.append((input, hash))
    }

    /// A turn with all that has arrived.
    mutating func turn() -> (outputs: [Output], served: [Served]) {
        history.combine(4)
        elapsedMilliseconds += UniverseNode.turnMilliseconds
        owesTurn = false
        var outputs = replica!.step(.turnBegan(moment))
        var served: [Served] = []
        for (input, hash) in inbox {
            history.combine(hash)
            let before = replica!.vector
            outputs += replica!.step(input)
            if case .requested(_, let session) = input {
                served.append(Served(session: session, before: before, after: replica!.vector))
            }
        }
        inbox.removeAll()
        outputs += replica!.step(.turnEnded)
        if outputs.contains(.serve) { isServing = true }
        return (outputs, served)
    }

    /// Lets some time pass, at whose end a turn is due.
    mutating func pass(milliseconds: UInt64) {
        history.combine(5)
        elapsedMilliseconds += milliseconds
        owesTurn = true
    }

    mutating func add(_ job: Job) { jobs.append(job) }

    /// The disk does its next job.
    mutating func work() throws(MemoryTables.Failure) -> [Output] {
        history.combine(6)
        switch jobs.removeFirst() {
        case .commit(let turn):
            try store.commit([turn])
            return replica!.step(.stored(turn: turn.number))
        case .perform(let request):
            switch try store.execute(request) {
            case .done: break
            case .unfinished(let rest): jobs.append(.perform(rest))
            case .replied(let reply): inbox.append((.storeReplied(reply), 7))
            }
            return []
        }
    }
}

extension TraceHash {
    /// All that is stored.
    fileprivate mutating func combine(_ tables: MemoryTables) {
        for table in Table.allCases {
            for row in tables.allRows(in: table) {
                combine(row.owner)
                combine(row.number)
                combine(row.bytes)
            }
        }
        for name in Property.Name.allCases.map(\.rawValue) + ["checkpoint"] {
            combine(tables.property(name) ?? [])
        }
    }
}
