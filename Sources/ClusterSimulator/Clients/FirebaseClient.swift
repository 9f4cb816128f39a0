import ClientCore
import DataTree
import GatewayCore
import JSONText
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program that speaks Firebase's WebSocket protocol as Firebase's clients do: it listens with tags and hashes, sends
/// unanswered writes again after a reconnection, without a mark, and transacts by hash. What it holds is the SDK's
/// `SyncTree`.
struct FirebaseClient {
    /// A write that no node has answered.
    struct Write {
        let id: WriteID
        let action: String
        let body: String
    }

    /// What waits for an answer.
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

        init(_ listen: ServerListen) { (path, tag) = (listen.path, listen.tag) }
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
    var connection: Int?
    /// The node to which it was connected last.
    private(set) var node: Int?
    /// Whether it does not read what its node sends.
    var isSlow = false
    /// What no correct node does.
    var failure: String?

    /// Whether its node has sent the handshake.
    private(set) var isReady = false
    /// The name that its last node gave to the session.
    private var session = ""
    var tree = SyncTree()
    var writes: [Write] = []
    var transaction: FirebaseTransaction?
    var requests: [Int64: Request] = [:]
    /// The number of the request that began each listen.
    var begun: [ListenName: Int64] = [:]
    var lastNumber: Int64 = 0
    var lastListen: UInt64
    var joiner = ChunkJoiner()
    private var outgoing: [[UInt8]] = []
    var ended: [FirebaseTransaction] = []

    init(
        index: Int, nodes: [Int], program: ApplicationProgram, streams: [EventStream],
        random: SplitMix64
    ) {
        self.index = index
        self.nodes = nodes
        self.program = program
        self.streams = streams
        self.random = random
        lastListen = UInt64(streams.count)
        for (number, stream) in streams.enumerated() {
            let id = ListenID(number: UInt64(number))
            take(tree.listen(id, at: stream.path, to: stream.query))
        }
    }

    /// All requests are answered, and all listens have a value.
    var isAtRest: Bool {
        isReady && requests.isEmpty && writes.isEmpty && transaction == nil
            && streams.allSatisfy { $0.value != nil }
    }

    /// The path of its presence.
    private var presence: Path {
        Path([Key(unchecked: "presence"), Key(unchecked: "c\(index + 1)")])
    }

    /// Removes and returns the messages to its node.
    mutating func takeOutgoing() -> [[UInt8]] {
        defer { outgoing = [] }
        return outgoing
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

    /// The upgrade to a WebSocket: all that matters of it is the session to be ended.
    var upgrade: [UInt8] { Array("ls=\(session)".utf8) }

    mutating func loseConnection() {
        connection = nil
        (isReady, isSlow) = (false, false)
        requests = [:]
        begun = [:]
        outgoing = []
        joiner = ChunkJoiner()
        // Nobody knows whether a transaction on its way was done.
        if transaction?.isSent == true { endTransaction(.unknown) }
    }

    mutating func beginSession(named name: String) {
        (session, isReady) = (name, true)
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
        take(outputs)
        writes.append(write)
        if isReady { send(write) }
    }

    private mutating func send(_ write: Write) {
        request(.write(write.id), write.action, write.body)
    }

    mutating func finish(_ id: WriteID, isDone: Bool) {
        writes.removeAll { $0.id == id }
        take(isDone ? tree.acknowledge(id) : tree.revert(id))
    }
}
