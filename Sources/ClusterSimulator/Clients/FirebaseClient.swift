import ClientCore
import DataTree
import GatewayCore
import JSONText
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program that speaks Firebase's WebSocket protocol as Firebase's clients do. It listens with
/// tags and hashes, repeats unanswered writes unmarked after a reconnection, and transacts by hash.
/// Its data are in the SDK's `SyncTree`.
struct FirebaseClient {
    /// A write that no node has answered.
    struct Write {
        let id: WriteID
        let action: String
        let body: String
    }

    /// A request without an answer.
    enum Request {
        case listen(ServerListen)
        case write(WriteID)
        case transaction
        case other
    }

    /// How a client names a listen.
    struct ListenName: Hashable {
        let path: Path
        let tag: Tag?

        init(_ path: Path, _ tag: Tag?) { (self.path, self.tag) = (path, tag) }
        init(_ listen: ServerListen) { self.init(listen.path, listen.tag) }
    }

    /// Among all clients.
    let index: Int
    /// In the order in which it connects to them.
    private let nodes: [Int]
    private var next = 0
    var random: SplitMix64
    var program: ApplicationProgram
    var streams: [EventStream]
    /// As the run numbers them.
    private(set) var connections: [FirebaseTransport.Lane: Int] = [:]
    /// Whether its sessions begin with polls.
    private let polls: Bool
    /// Nothing happens to nodes and connections, so that no node has a reason to end a session.
    private let isUndisturbed: Bool
    /// The node to which it was connected last.
    private(set) var node: Int?
    /// Whether it does not read what its node sends.
    var slowConnection: Int?
    /// An action that no correct node takes.
    var failure: String?

    /// Whether its node has sent the handshake.
    private(set) var isReady = false
    /// The name that its last node gave to the session.
    private var session = ""
    var tree = SyncTree()
    var writes: [Write] = []
    var transaction: FirebaseTransaction?
    var successions: Successions
    var requests: [Int64: Request] = [:]
    /// The number of the request that began each listen.
    var begun: [ListenName: Int64] = [:]
    /// The requests of listens of which the client holds nothing, and has been told nothing yet.
    var untold: Set<Int64> = []
    var lastNumber: Int64 = 0
    var lastListen: UInt64
    var joiner = ChunkJoiner()
    private var outgoing: [[UInt8]] = []
    private var transport = FirebaseTransport()
    /// Its node has no WebSocket for it.
    private(set) var isRefused = false
    var ended: [FirebaseTransaction] = []
    /// When either end has said something last.
    private var lastTraffic: Microseconds = 0
    /// Until when it need not say that it is there.
    private(set) var keepAliveTime: Microseconds = 0

    init(
        index: Int, nodes: [Int], program: ApplicationProgram, streams: [EventStream],
        random: SplitMix64, polls: Bool = false, isUndisturbed: Bool = false
    ) {
        self.index = index
        (self.polls, self.isUndisturbed) = (polls, isUndisturbed)
        successions = Successions(of: index)
        self.nodes = nodes
        self.program = program
        self.streams = streams
        self.random = random
        lastListen = UInt64(streams.count)
        for (number, stream) in streams.enumerated() {
            let id = ListenID(number: UInt64(number))
            apply(tree.listen(id, at: stream.path, to: stream.query))
        }
    }

    /// All requests are answered, and all listens have a value.
    var isAtRest: Bool {
        isReady && transport.isAtRest && requests.isEmpty && writes.isEmpty && transaction == nil
            && streams.allSatisfy { $0.value != nil }
    }

    /// After so long a silence a client says that it is there, as Firebase's do.
    private static let keepAliveInterval: Microseconds = .seconds(45)

    mutating func noteTraffic(at now: Microseconds) { lastTraffic = now }

    /// Says that it is there, if neither end has said anything for long.
    mutating func keepAlive(at now: Microseconds) {
        if now >= lastTraffic + FirebaseClient.keepAliveInterval {
            if isReady, !transport.hasPolls { outgoing.append(FirebaseText.keepAlive) }
            lastTraffic = now
        }
        keepAliveTime = lastTraffic + FirebaseClient.keepAliveInterval
    }

    /// Whether a poll of it has no answer, although it has sent a later one.
    var awaitsEarlierPoll: Bool { transport.awaitsEarlierPoll }

    /// The path of its presence.
    private var presence: Path {
        Path([Key(unchecked: "presence"), Key(unchecked: "c\(index + 1)")])
    }

    /// Removes and returns the messages to its node.
    mutating func takeOutgoing() -> [[UInt8]] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Removes and returns the bytes for its node.
    mutating func removeBytes() -> [(lane: FirebaseTransport.Lane, bytes: [UInt8])] {
        transport.removeBytes(of: takeOutgoing(), &random)
    }

    /// Removes and returns the transactions that have an outcome.
    mutating func takeEnded() -> [FirebaseTransaction] {
        defer { ended = [] }
        return ended
    }
}

// MARK: - Connections

extension FirebaseClient {
    /// The node to connect to.
    mutating func nextNode() -> Int {
        defer { next += 1 }
        let node = nodes[next % nodes.count]
        self.node = node
        return node
    }

    /// Begins a session, whose request names the one to be ended.
    mutating func connect(to host: String) {
        isRefused = false
        let last = session.isEmpty ? "" : "&ls=\(session)"
        if polls {
            transport.beginPolls(at: host, last)
        } else {
            transport.beginSocket(at: host, last)
        }
    }

    /// The connection on which it reads.
    var connection: Int? { connections[.socket] ?? connections[.firstPoll] }

    mutating func use(_ connection: Int, as lane: FirebaseTransport.Lane) {
        connections[lane] = connection
    }

    private func lane(of connection: Int) -> FirebaseTransport.Lane? {
        FirebaseTransport.Lane.allCases.first { connections[$0] == connection }
    }

    /// Whether its session goes on without a connection that has ended.
    mutating func goesOn(without connection: Int) -> Bool {
        guard let lane = lane(of: connection), transport.goesOn(without: lane) else { return false }
        connections[lane] = nil
        return true
    }

    /// Whether it has a session that uses polls.
    var hasPolls: Bool { isReady && transport.hasPolls }

    /// Changes its session to a WebSocket, if it uses polls.
    mutating func beginChange() {
        if isReady, transport.mayChange { transport.beginChange(of: session) }
    }

    /// Receives bytes of its node.
    mutating func receive(bytes: [UInt8], on connection: Int, by reader: JSONReader) {
        guard let lane = lane(of: connection) else { return }
        for event in transport.receive(bytes, on: lane, by: reader, &random) {
            switch event {
            case .text(let text): receive(text, by: reader)
            case .message(let message): receive(message)
            case .ended(let code):
                refuse()
                // As another session of its own has begun after a failure, or the node stops.
                // 1011: nobody knows whether its transaction was done.
                let isExpected = !isUndisturbed && [1_000, 1_001, 1_011].contains(code)
                if !isExpected { fail("its node closed with \(code)") }
            case .refused(let status):
                refuse()
                if status != 503 { fail("no WebSocket, but \(status)") }
            case .failure(let problem): fail(problem)
            }
        }
    }

    /// Its node does not serve it, so that it goes to another one.
    mutating func refuse() { isRefused = true }

    mutating func fail(_ problem: String) { failure = failure ?? problem }

    /// Goes to a node first, since its own one has said so.
    mutating func redirect(to host: String) {
        if let place = nodes.firstIndex(where: { "n\($0 + 1)" == host }) { next = place }
    }

    /// Forgets its connections, and returns them.
    @discardableResult
    mutating func loseConnection() -> [Int] {
        defer { connections = [:] }
        transport = FirebaseTransport()
        (isReady, slowConnection) = (false, nil)
        requests = [:]
        (begun, untold) = ([:], [])
        outgoing = []
        joiner = ChunkJoiner()
        // The outcome of a transaction on its way is unknown.
        if transaction?.isSent == true { endTransaction(.unknown) }
        return FirebaseTransport.Lane.allCases.compactMap { connections[$0] }
    }

    mutating func beginSession(named name: String) {
        (session, isReady) = (name, true)
        successions.beginSession()
        for listen in tree.serverListens { begin(listen) }
        for write in writes { send(write) }
        if transaction != nil { runTransaction() }
    }

    mutating func request(_ request: Request, _ action: String, _ body: String) {
        lastNumber += 1
        requests[lastNumber] = request
        outgoing.append(FirebaseText.request(lastNumber, action, body))
    }
}

// MARK: - The program

extension FirebaseClient {
    mutating func put(_ value: Value, at path: Path) {
        let (id, outputs) = tree.set(value, at: path)
        add(Write(id: id, action: "p", body: FirebaseText.put(path, value)), outputs)
    }

    mutating func merge(_ writes: [SyncProtocol.Write], at path: Path) {
        let (id, outputs) = tree.update(path, with: writes.map { ($0.path, $0.value) })
        add(Write(id: id, action: "m", body: FirebaseText.merge(path, writes)), outputs)
    }

    mutating func arrive() { put(.string("here"), at: presence) }

    mutating func leaveForItsEnd() {
        if isReady { request(.other, "o", FirebaseText.put(presence, .string("gone"))) }
    }

    private mutating func add(_ write: Write, _ outputs: [SyncOutput]) {
        apply(outputs)
        writes.append(write)
        if isReady { send(write) }
    }

    private mutating func send(_ write: Write) {
        request(.write(write.id), write.action, write.body)
    }

    /// The complete data of its listeners may have come from that write.
    private mutating func noteRefusedWrite() {
        for index in streams.indices { streams[index].mayBePartial = true }
    }

    mutating func finish(_ id: WriteID, isDone: Bool) {
        writes.removeAll { $0.id == id }
        if !isDone { noteRefusedWrite() }
        apply(isDone ? tree.acknowledge(id) : tree.revert(id))
    }
}
