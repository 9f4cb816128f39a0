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
    private struct Write {
        let id: WriteID
        let action: String
        let body: String
    }

    /// What waits for an answer.
    private enum Request {
        case listen(ServerListen)
        case write(WriteID)
        case transaction
        case other
    }

    /// How a client names a listen.
    private struct ListenName: Hashable {
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
    private(set) var failure: String?

    /// Whether its node has sent the handshake.
    private(set) var isReady = false
    /// The name that its last node gave to the session.
    private var session = ""
    private var tree = SyncTree()
    private var writes: [Write] = []
    private var transaction: FirebaseTransaction?
    private var requests: [Int64: Request] = [:]
    /// The number of the request that began each listen.
    private var begun: [ListenName: Int64] = [:]
    private var lastNumber: Int64 = 0
    private var lastListen: UInt64
    private var joiner = ChunkJoiner()
    private var outgoing: [[UInt8]] = []
    private var ended: [FirebaseTransaction] = []

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

    private mutating func beginSession(named name: String) {
        (session, isReady) = (name, true)
        for listen in tree.serverListens { begin(listen) }
        for write in writes { send(write) }
        if transaction != nil { runTransaction() }
    }

    private mutating func request(_ request: Request, _ action: String, _ body: String) {
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

    private mutating func finish(_ id: WriteID, isDone: Bool) {
        writes.removeAll { $0.id == id }
        take(isDone ? tree.acknowledge(id) : tree.revert(id))
    }
}

// MARK: - Transactions

extension FirebaseClient {
    var isTransacting: Bool { transaction != nil }

    /// Begins a transaction, which is recorded as this one of the history.
    mutating func transact(at path: Path, recordedAs record: Int) {
        lastListen += 1
        let listen = ListenID(number: lastListen)
        transaction = FirebaseTransaction(record: record, path: path, listen: listen)
        take(tree.listen(listen, at: path, to: Query()))
        runTransaction()
    }

    /// Runs the function on what is here, null if that is nothing, as Firebase's clients do.
    private mutating func runTransaction() {
        guard var transaction else { return }
        if let write = transaction.write { take(tree.revert(write)) }
        let old = tree.value(at: transaction.path) ?? .null
        let name = "c\(index + 1)-\(lastNumber)-\(transaction.tries)"
        transaction.run(on: old, as: name)
        let (write, outputs) = tree.set(transaction.new, at: transaction.path)
        transaction.write = write
        transaction.isSent = isReady
        self.transaction = transaction
        take(outputs)
        guard isReady else { return }
        request(
            .transaction, "p",
            FirebaseText.put(transaction.path, transaction.new, if: DataHash(of: old)))
    }

    private mutating func decideTransaction(_ status: String) {
        guard let transaction else { return }
        switch status {
        case "ok": endTransaction(.acknowledged)
        case "datastale" where transaction.tries < FirebaseTransaction.triesLimit: runTransaction()
        case "datastale": endTransaction(.failed)
        default: endTransaction(.unknown)
        }
    }

    private mutating func endTransaction(_ outcome: ClientOperation.Outcome) {
        guard var transaction = transaction.take() else { return }
        if let write = transaction.write { take(tree.revert(write)) }
        take(tree.unlisten(transaction.listen))
        transaction.outcome = outcome
        ended.append(transaction)
    }
}

// MARK: - Listens

extension FirebaseClient {
    private mutating func take(_ outputs: [SyncOutput]) {
        for output in outputs {
            switch output {
            case .start(let listen): if isReady { begin(listen) }
            case .stop(let listen):
                begun[ListenName(listen)] = nil
                if isReady { request(.other, "n", FirebaseText.end(of: listen)) }
            case .observed(let observed): take(observed)
            }
        }
    }

    private mutating func take(_ observed: SyncEvents) {
        for id in observed.listens where id.number < UInt64(streams.count) {
            streams[Int(id.number)].take(observed.events)
            if observed.path == ApplicationProgram.pair { streams[Int(id.number)].checkPair() }
        }
    }

    private mutating func begin(_ listen: ServerListen) {
        // Native clients of Firebase send hashes of ranges as well, the one of JavaScript does not.
        let sendsRanges = index.isMultiple(of: 2)
        let body = FirebaseText.listen(
            listen, holding: tree.heldValue(for: listen), withRanges: sendsRanges)
        request(.listen(listen), "q", body)
        begun[ListenName(listen)] = lastNumber
    }

    /// The listen may have ended, and another one of its name begun.
    private mutating func confirm(_ listen: ServerListen, _ number: Int64) {
        if begun[ListenName(listen)] == number { take(tree.confirm(listen)) }
    }
}

// MARK: - Messages of the node

extension FirebaseClient {
    mutating func receive(_ text: [UInt8], by reader: JSONReader) {
        guard case .message(let bytes) = joiner.append(text) else { return }
        guard let message = FirebaseMessage(bytes, by: reader) else {
            failure = failure ?? "cannot read \(String(decoding: bytes, as: UTF8.self))"
            return
        }
        switch message {
        case .handshake(let name): beginSession(named: name)
        case .overwrite(let path, let value, let tag):
            take(tree.overwrite(path, with: value, tag: tag))
        case .merge(let path, let writes, let tag):
            take(tree.merge(path, with: writes, tag: tag))
        case .ranges(let path, let ranges, let tag): replace(ranges, at: path, tag)
        case .response(let number, let status): finish(number, status)
        }
    }

    private mutating func replace(
        _ ranges: [(range: LeafRange, value: Value)], at path: Path, _ tag: Tag?
    ) {
        guard let listen = tree.serverListens.first(where: { $0.path == path && $0.tag == tag }),
            var value = tree.heldValue(for: listen)
        else { return }
        value.replace(ranges.map(\.range), by: ranges.flatMap { $0.range.parts(of: $0.value) })
        take(tree.overwrite(path, with: value, tag: tag))
    }

    private mutating func finish(_ number: Int64, _ status: String) {
        switch requests.removeValue(forKey: number) {
        case .listen(let listen)? where status == "ok": confirm(listen, number)
        case .listen(let listen)?: failure = failure ?? "\(status) for a listen at \(listen.path)"
        case .write(let id)?: finish(id, isDone: status == "ok")
        case .transaction?: decideTransaction(status)
        case .other?: break
        case nil: failure = failure ?? "an answer to request \(number), which nobody made"
        }
    }
}
