public import DataTree
public import SyncProtocol

/// The actions of real nodes and real clients, for the checks that judge simulated ones.
///
/// The clients send one request after the other, as simulated ones do: session guarantees are judged from one
/// answer to the next request. Times are microseconds by a clock that all processes share.
public struct RecordedRun {
    /// The checks that apply to real nodes: what they show between turns is not recorded, nor every reason
    /// of a node to refuse.
    public static let checks: [Check] = [
        .replicasEqual, .acknowledgedWritesSurvive, .acknowledgedPushes, .pushKeys,
        .incrementsAddUp, .writeConcernsHold, .readYourWrites, .monotonicReads, .monotonicWrites,
        .writesFollowReads, .causalOrder, .updatesAreAtomic, .restartIdentity, .stableIsFinal,
        .stampsAscend, .nodesCatchUpBeforeService,
    ]

    let names: [String]
    private(set) var scenario: Scenario
    private(set) var operations: [RecordedOperation] = []
    /// The stamping writers of clients.
    private var clients: [WriterID: Int] = [:]
    private(set) var incarnations: [RecordedIncarnation] = []
    private(set) var losses: [Loss] = []
    private(set) var crashes: [(node: Int, time: UInt64)] = []

    package init(nodes names: [String], clients: Int, durability: Durability) {
        self.names = names
        scenario = Scenario(name: "recorded")
        scenario.cluster.replicas = names.count
        scenario.cluster.durability = durability
        scenario.clients.count = clients
        scenario.workload.operations = .max
    }

    // MARK: What happened

    /// Adds a request of a client; the requests of each client in order.
    public mutating func add(_ operation: RecordedOperation) { operations.append(operation) }

    /// Sets the writer under which a client stamps.
    public mutating func record(writer: WriterID, of client: Int) { clients[writer] = client }

    /// Adds the records of one incarnation of a node.
    ///
    /// - Throws: when they cannot be read.
    public mutating func add(incarnation bytes: [UInt8], of node: Int) throws(FrameError) {
        incarnations.append(
            RecordedIncarnation(node: node, try NodeRecordReader.records(in: bytes)))
    }

    /// A node was killed.
    public mutating func noteKill(of node: Int, at microseconds: UInt64) {
        crashes.append((node, microseconds))
    }

    /// A node lost all data on its disk.
    public mutating func noteLoss(of node: Int, at microseconds: UInt64) {
        losses.append(Loss(node: node, since: 0, until: microseconds, kind: .known))
    }

    // MARK: Judging

    /// Judges what was recorded, one result for each of `checks`.
    ///
    /// - Parameter trees: The final trees of the nodes, in their order.
    /// - Complexity: for the longest checks, operations times the nodes' incarnations.
    public func evaluate(trees: [Value]) -> [CheckResult] {
        let evidence = evidence(trees: trees, replay)
        return RecordedRun.checks.map { $0.evaluate(evidence) }
    }

    /// The record of the nodes, in the form of a simulated run.
    var replay: RecordReplay {
        var replay = RecordReplay(nodes: names.count)
        replay.play(incarnations)
        return replay
    }

    func evidence(trees: [Value], _ replay: RecordReplay) -> Evidence {
        let history = History(operations: servedOperations(replay))
        let nodes = names.indices.map { node in
            let vector = replay.recording.states[node].last?.vector
            let entries = replay.archive.batches(in: vector ?? VersionVector())
            return Evidence.Node(
                name: names[node], value: trees[node], vector: vector, writer: nil,
                operations: Evidence.operations(in: entries), diskFailure: nil)
        }
        return Evidence(
            scenario, history, replay.recording, nodes: nodes, losses: losses,
            crashes: crashes.map { node, time in
                let since = scenario.cluster.unsyncedWindow.map { time - min(time, $0) }
                return UnsyncedEnd(node: node, time: time, unsyncedSince: since)
            })
    }

    /// The operations, each with what nodes did of it.
    func servedOperations(_ replay: RecordReplay) -> [ClientOperation] {
        var asked: [RequestKey: (operation: Int, connection: Int)] = [:]
        var served = operations.map(\.unserved)
        for (index, operation) in operations.enumerated() {
            for request in operation.requests {
                asked[RequestKey(client: operation.client, number: request.number)] =
                    (index, request.connection)
            }
        }
        for serving in replay.servings(of: clients) {
            guard let place = asked[serving.request] else { continue }
            served[place.operation].servings.append(serving.found(on: place.connection))
        }
        for index in served.indices { served[index].node = served[index].acknowledged?.node }
        return served
    }
}

/// A request of a client, and its outcome.
public struct RecordedOperation: Sendable {
    package enum Work: Sendable {
        case push(list: Path, key: Key, value: Value)
        case increment(counter: Path, by: Int64)
        /// A write of several places, each relative to the path, or of one.
        case write(Path, [Write])
        case get(Path)
    }

    package enum Outcome: Sendable {
        /// With what a read found, and the write concern at which a write was acknowledged, if it had one.
        case acknowledged(Value?, acknowledgedAt: WriteConcern?)
        case failed
        case unknown
    }

    package let client: Int
    package let work: Work
    package let invoked: UInt64
    package var completed: UInt64?
    /// Counts how often its client gave up what it had seen.
    public var session = 0
    package var outcome = Outcome.unknown
    /// As often as it was sent: on which of the client's connections, under which number.
    public var requests: [(connection: Int, number: UInt64)] = []

    package init(client: Int, _ work: Work, invoked: UInt64) {
        self.client = client
        self.work = work
        self.invoked = invoked
    }

    fileprivate var unserved: ClientOperation {
        var operation = ClientOperation(
            client: client, kind: kind, fingerprint: Fingerprint(of: writes), invoked: invoked,
            session: session)
        operation.completed = completed
        // The answer came on the connection on which the request was sent last.
        operation.connection = requests.last?.connection
        switch outcome {
        case .acknowledged(let answer, let acknowledgedAt):
            operation.outcome = .acknowledged
            (operation.answer, operation.acknowledgedAt) = (answer, acknowledgedAt)
        case .failed: operation.outcome = .failed
        case .unknown: operation.outcome = .unknown
        }
        return operation
    }

    private var kind: ClientOperation.Kind {
        switch work {
        case .push(let list, let key, let value): .push(list: list, key: key, value: value)
        case .increment(let counter, let delta): .increment(counter: counter, delta: delta)
        case .write(let path, _): .write(path)
        case .get(let path): .get(path)
        }
    }

    private var writes: [Write] {
        switch work {
        case .push(let list, let key, let value):
            [Write(path: list.appending(key), value: value)]
        case .increment(let counter, let delta):
            [Write(path: counter, value: .deferred(.increment(.integer(delta))))]
        case .write(let path, let writes):
            writes.map { Write(path: path.appending($0.path), value: $0.value) }
        case .get: []
        }
    }
}

/// Names a request among those of all clients: none of them uses a number twice.
struct RequestKey: Hashable {
    var client: Int
    var number: UInt64
}
