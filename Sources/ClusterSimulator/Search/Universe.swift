import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// A cluster so small that every order of its requests, frames, turns, disk operations and its
/// crash can be tried.
///
/// It is a value: a copy can take another course. Nothing is drawn, and there is no common clock.
/// Each node's actions depend only on the order of its own events. Two schedules that differ only
/// in the order of events of different nodes therefore lead to one state.
struct Universe {
    /// A client that sends the requests which the scenario names, one after the other.
    struct Requester {
        let node: Int
        private(set) var requests: [Workload.Request]
        /// The open request, by its number among all.
        var pending: Int?

        fileprivate init(node: Int, _ requests: [Workload.Request]) {
            self.node = node
            self.requests = requests
        }

        var next: Workload.Request? { requests.first }

        fileprivate mutating func takeNext() -> Workload.Request { requests.removeFirst() }
    }

    let scenario: Scenario
    private(set) var nodes: [UniverseNode]
    private(set) var clients: [Requester]
    /// By kind, sender and receiver.
    private var frames: [[UniverseFrame]]
    private(set) var archive = BatchArchive()
    private(set) var operations: [ClientOperation] = []
    private(set) var recording: Recording
    private(set) var names = WriterNames()
    private(set) var crashes: [UnsyncedEnd] = []
    /// How often each node may still crash and tick, and how many frames may be lost.
    private var crashesLeft: [Int]
    private var ticksLeft: [Int]
    private var lossesLeft: Int
    /// Counts the steps.
    private(set) var stepCount: UInt64 = 0
    /// A failure independent of the checks.
    private(set) var failure: String?

    /// A cluster that has started, and in which nothing is on its way.
    init(_ plan: UniversePlan) {
        scenario = plan.scenario
        let count = scenario.cluster.replicas
        nodes = (0..<count).map { UniverseNode($0, of: plan.scenario.cluster) }
        clients = plan.requests.enumerated().map { Requester(node: $0 % count, $1) }
        frames = Array(repeating: [], count: FrameWay.Kind.allCases.count * count * count)
        recording = Recording(nodes: count, isOn: true, keepsValues: true)
        crashesLeft = Array(repeating: 0, count: count)
        ticksLeft = crashesLeft
        lossesLeft = 0
        begin()
        crashesLeft = plan.crashes
        ticksLeft = Array(repeating: scenario.search.ticks, count: count)
        lossesLeft = scenario.search.losses
    }

    /// Starts all nodes, until each serves and knows the others.
    private mutating func begin() {
        for node in nodes.indices { execute(.started(node: node)) }
        for _ in 0..<20 { passRound() }
        precondition(nodes.allSatisfy(\.isServing), "a node of a whole cluster does not serve")
    }

    // MARK: Steps

    /// The possible next steps, in an order that depends on the state alone.
    var steps: [UniverseStep] {
        var steps: [UniverseStep] = []
        for node in nodes.indices {
            if nodes[node].needsTurn { steps.append(.turned(node: node)) }
            if !nodes[node].jobs.isEmpty { steps.append(.worked(node: node)) }
            if !nodes[node].isUp { steps.append(.started(node: node)) }
        }
        let ways = self.ways.filter { !frames[place(of: $0)].isEmpty }
        steps += ways.map { .arrived($0) }
        for (index, client) in clients.enumerated() {
            guard client.pending == nil, client.next != nil, nodes[client.node].isServing
            else { continue }
            steps.append(.requested(client: index))
        }
        for node in nodes.indices where nodes[node].isUp {
            if crashesLeft[node] > 0 {
                steps += (0...nodes[node].jobs.count).map { .crashed(node: node, after: $0) }
            }
            if ticksLeft[node] > 0 { steps.append(.ticked(node: node)) }
        }
        if lossesLeft > 0 { steps += ways.filter { $0.kind == .published }.map { .lost($0) } }
        return steps
    }

    /// The next step of a cluster without further failures.
    private var requiredStep: UniverseStep? {
        steps.first {
            if case .requested = $0 { false } else { $0.isRequired }
        }
    }

    mutating func execute(_ step: UniverseStep) {
        stepCount += 1
        do throws(MemoryTables.Failure) {
            switch step {
            case .requested(let client): request(client)
            case .arrived(let way): arrive(way)
            case .turned(let node): turn(node)
            case .worked(let node): execute(try nodes[node].work(), of: node)
            case .started(let node): try start(node)
            case .crashed(let node, let count): crash(node, after: count)
            case .ticked(let node): tick(node)
            case .lost(let way):
                lossesLeft -= 1
                frames[place(of: way)].removeFirst()
            }
        } catch {
            fail("a disk that never failed cannot be used: \(error)")
        }
    }

    /// A time for the recording, in which steps follow one another.
    private var now: Microseconds { .milliseconds(stepCount) }

    private mutating func fail(_ problem: String) { failure = failure ?? problem }

    // MARK: Processes

    private mutating func start(_ node: Int) throws(MemoryTables.Failure) {
        try nodes[node].start()
        guard let replica = nodes[node].replica else { return }
        names.add(replica.writer, node: node)
        recording.record(
            start: .init(replica), node: node, incarnation: nodes[node].incarnation, at: now)
        nodes[node].oracle.restart(
            on: archive.batches(in: replica.vector), showing: replica.value)
    }

    /// All connections of the node end, and with them what is on its way.
    private mutating func crash(_ node: Int, after count: Int) {
        crashesLeft[node] -= 1
        crashes.append(UnsyncedEnd(node: node, time: now))
        nodes[node].crash(after: count)
        for way in ways where way.from == node || way.to == node {
            frames[place(of: way)].removeAll()
        }
        for index in clients.indices where clients[index].node == node {
            guard let pending = clients[index].pending.take() else { continue }
            operations[pending].outcome = .unknown
        }
    }

    private mutating func tick(_ node: Int) {
        ticksLeft[node] -= 1
        nodes[node].pass(milliseconds: UniverseNode.tickMilliseconds)
        turn(node)
    }

    private mutating func turn(_ node: Int) {
        let stableTime = nodes[node].replica?.stableTime ?? .zero
        recording.record(wallMilliseconds: nodes[node].moment.wallMilliseconds + 1, at: now)
        let (outputs, served) = nodes[node].turn()
        execute(outputs, of: node)
        guard let replica = nodes[node].replica else { return }
        recording.record(
            turnOf: .init(replica), node: node, incarnation: nodes[node].incarnation,
            stableTime: stableTime, at: now)
        for served in served { record(served, by: node, replica.writer) }
    }

    private mutating func record(_ served: UniverseNode.Served, by node: Int, _ writer: WriterID) {
        let client = Int(served.session.number) - 1
        guard let pending = clients[client].pending else { return }
        let isWrite = served.after[writer] > served.before[writer]
        let dot = isWrite ? Dot(origin: writer, sequence: served.after[writer]) : nil
        operations[pending].servings.append(
            .init(
                connection: client, node: node, time: now, before: served.before,
                vector: served.after, made: dot, dot: dot))
    }

    // MARK: Clients

    private mutating func request(_ client: Int) {
        let request = clients[client].takeNext()
        let node = clients[client].node
        operations.append(
            ClientOperation(
                client: client, kind: request.kind, fingerprint: request.fingerprint, invoked: now))
        clients[client].pending = operations.count - 1
        // Numbered by the client's own requests: those of others may come before or after.
        let frame = UniverseFrame(
            request.message(id: UInt64(clients[client].requests.count + 1)).frame)
        nodes[node].receive(
            .requested(frame.bytes, by: SessionID(number: UInt64(client + 1))), hash: frame.hash)
    }

    private mutating func reply(_ bytes: [UInt8], to session: SessionID) {
        let client = Int(session.number) - 1
        for case .message(let message) in (try? FrameReader<NodeMessage>.messages(in: bytes)) ?? []
        {
            guard let pending = clients[client].pending else { continue }
            switch message {
            case .ok, .acknowledged, .pushed, .value:
                operations[pending].outcome = .acknowledged
                operations[pending].node = clients[client].node
                operations[pending].connection = client
            case .error: operations[pending].outcome = .failed
            default: continue
            }
            operations[pending].completed = now
            clients[client].pending = nil
        }
    }

    // MARK: Frames

    private var ways: [FrameWay] {
        FrameWay.Kind.allCases.flatMap { kind in
            nodes.indices.flatMap { from in
                nodes.indices.filter { $0 != from }
                    .map { FrameWay(kind: kind, from: from, to: $0) }
            }
        }
    }

    private func place(of way: FrameWay) -> Int {
        (way.kind.rawValue * nodes.count + way.from) * nodes.count + way.to
    }

    private mutating func arrive(_ way: FrameWay) {
        let frame = frames[place(of: way)].removeFirst()
        let sender = nodes[way.from].name
        let input: Input =
            switch way.kind {
            case .published: .published(frame.bytes)
            case .asked: .asked(frame.bytes, by: sender)
            case .answered: .answered(frame.bytes, from: sender)
            }
        var hash = TraceHash()
        hash.combine(place(of: way))
        hash.combine(frame.hash)
        nodes[way.to].receive(input, hash: hash.bits)
    }

    /// Puts a frame on its way, unless its receiver is down.
    private mutating func send(_ bytes: [UInt8], _ kind: FrameWay.Kind, from: Int, to: Int) {
        guard nodes[to].isUp else { return }
        frames[place(of: FrameWay(kind: kind, from: from, to: to))].append(UniverseFrame(bytes))
    }

    private mutating func send(
        _ bytes: [UInt8], _ kind: FrameWay.Kind, from: Int, to member: String
    ) {
        guard let to = nodes.firstIndex(where: { $0.name == member }) else { return }
        send(bytes, kind, from: from, to: to)
    }

    /// The text of the oldest frame on a way.
    func text(of way: FrameWay) -> String {
        FrameText.peers(frames[place(of: way)][0].bytes).map(names.applied).joined(separator: "; ")
    }

    // MARK: Outputs

    private mutating func execute(_ outputs: [Output], of node: Int) {
        var stored: [LogEntry] = []
        for output in outputs {
            switch output {
            case .store(let turn):
                stored += turn.batches
                for entry in turn.batches { archive.record(entry) }
                nodes[node].add(.commit(turn))
            case .publish(let frame, _):
                recording.record(published: frame, node: node)
                for peer in nodes.indices where peer != node {
                    send(frame, .published, from: node, to: peer)
                }
            case .ask(let member, let frame): send(frame, .asked, from: node, to: member)
            case .answer(let member, let frame): send(frame, .answered, from: node, to: member)
            case .reply(let session, let frame): reply(frame, to: session)
            case .replyLarge(let session, let frame): reply(frame.encoded, to: session)
            case .perform(let request): nodes[node].add(.perform(request))
            case .giveUp(let problem, _): fail("\(nodes[node].name) gives up: \(problem)")
            case .serve, .synchronize, .replyMessages, .backUp, .free, .pauseReading,
                .resumeReading:
                break
            }
        }
        guard !stored.isEmpty, let replica = nodes[node].replica else { return }
        recording.record(
            stored: stored, by: replica.writer, node: node, incarnation: nodes[node].incarnation,
            at: now)
        nodes[node].oracle.record(stored, showing: replica.value, at: now)
        if let problem = nodes[node].oracle.failure { fail(names.applied(to: problem)) }
    }

    // MARK: Time

    /// A while passes at all nodes, in which everything on its way arrives.
    mutating func passRound() {
        for node in nodes.indices where nodes[node].isUp { nodes[node].pass(milliseconds: 100) }
        // A cluster that sends for ever is not at rest; its end is found unequal.
        for _ in 0..<10_000 {
            guard let step = requiredStep else { return }
            execute(step)
        }
    }

    // MARK: Equality

    /// Equal for states from which the same can follow.
    var fingerprint: UInt64 {
        var hash = TraceHash()
        for node in nodes {
            hash.combine(node.history.bits)
            hash.combine(node.inbox.count)
            for (_, bits) in node.inbox { hash.combine(bits) }
            // Lost operations must differ from those that were never announced.
            for entry in recording.announced(by: node.index)?.entries ?? [] {
                hash.combine(entry.origin.bits)
                hash.combine(entry.sequence)
            }
        }
        for (client, requester) in clients.enumerated() {
            hash.combine(requester.requests.count)
            for operation in operations where operation.client == client {
                hash.combine(operation.outcome.rank)
            }
        }
        for frames in frames {
            hash.combine(frames.count)
            for frame in frames { hash.combine(frame.hash) }
        }
        for left in crashesLeft + ticksLeft + [lossesLeft] { hash.combine(left) }
        return hash.bits
    }
}

extension ClientOperation.Outcome {
    /// Tells outcomes apart.
    fileprivate var rank: Int {
        switch self {
        case .open: 0
        case .acknowledged: 1
        case .failed: 2
        case .unknown: 3
        }
    }
}
