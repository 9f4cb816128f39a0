import DataTree
import QueryEngine
import SyncProtocol

@testable import ClientCore

/// An application with its client: it listens, writes and counts by transactions, at random.
struct VirtualUser {
    /// The outputs that a driver would carry out.
    enum Effect {
        case connect(String)
        case disconnect
        case send([UInt8])
    }

    /// A counter that all users increase by transactions.
    static let counter = path("n")
    /// A counter that all users increase by increments.
    static let sum = path("m")

    private let defect: ClientWorld.Defect?
    private var configuration: Configuration
    private var client: Client
    /// The state that the next incarnation continues with.
    private var keptWrites: [UInt64: [UInt8]] = [:]
    private var keptValues: [String: [UInt8]] = [:]
    private var outputs: [Output] = []
    private var now: UInt64 = 0
    private var isInTurn = false
    private var listeners: [ListenID: NaiveListener] = [:]
    private var lastNumber: UInt64
    private var open: Set<RequestID> = []
    /// Those that count up.
    private var counts: Set<RequestID> = []
    /// Functions that are to be run.
    private var calls: [(id: RequestID, value: Value)] = []
    /// Those that increment.
    private var increments: Set<RequestID> = []
    private(set) var commits = 0
    private(set) var unknownCommits = 0
    private(set) var added = 0
    private(set) var unknownAdded = 0

    private let places = ["", "a", "a/b", "a/c", "d", "n"].map(path)

    init(_ index: Int, nodes: [String], _ defect: ClientWorld.Defect?) {
        self.defect = defect
        lastNumber = UInt64(index) << 32
        // They begin at different nodes.
        let first = index % nodes.count
        var configuration = Configuration(
            nodes: Array(nodes[first...] + nodes[..<first]),
            writer: WriterID(bits: UInt64(index + 1) << 32))
        configuration.rangeBytes = 100
        configuration.isPersistent = true
        self.configuration = configuration
        client = Client(configuration)
    }

    var isAtRest: Bool {
        open.isEmpty && client.requests.isEmpty && client.link.isOpen && calls.isEmpty
    }

    /// Every listener sees what its query shows of the truth.
    func check(_ truth: Value) throws {
        for (_, listener) in listeners { try listener.checkFinal(truth[listener.path]) }
    }
}

// MARK: - Turns

extension VirtualUser {
    mutating func begin(at now: UInt64) {
        if isInTurn { return }
        self.now = now
        isInTurn = true
        step(.turnBegan(elapsedMilliseconds: now, wallMilliseconds: 1_700_000_000_000 + now))
    }

    mutating func end() throws -> [Effect] {
        step(.turnEnded)
        isInTurn = false
        var effects: [Effect] = []
        while !outputs.isEmpty {
            let taken = outputs
            outputs = []
            for output in taken { if let effect = try take(output) { effects.append(effect) } }
        }
        return effects
    }

    /// The process dies and starts again; it listens to the same as before, and what it had asked for is
    /// done once.
    mutating func restart() throws {
        for id in open.sorted() {
            if increments.contains(id) { added += 1 } else { loseSight(of: id) }
        }
        open = []
        calls = []
        outputs = []
        configuration.writer = WriterID(bits: configuration.writer.bits + 1)
        client = Client(configuration)
        step(.restored(keptWrites.map { KeptWrite(number: $0.key, frame: $0.value) }))
        for (id, listener) in listeners.sorted(by: { $0.key < $1.key }) {
            listeners[id] = NaiveListener(path: listener.path, query: listener.query)
            step(.listened(id, listener.path, listener.query, .all))
        }
    }

    mutating func receive(_ frame: [UInt8]) { step(.received(frame)) }

    mutating func loseConnection() { step(.connectionLost) }

    private mutating func step(_ input: Input) { outputs += client.step(input) }

    private mutating func take(_ output: Output) throws -> Effect? {
        switch output {
        case .connect(let node): return .connect(node)
        case .disconnect: return .disconnect
        case .send(let frame):
            return .send(defect == .ignoresConditions ? VirtualUser.unconditional(frame) : frame)
        case .persist(let records): for record in records { keep(record) }
        case .recall(let key): step(.recalled(key: key, frame: keptValues[key]))
        case .transact(let id, let value): calls.append((id, value))
        case .observed(let id, let events):
            if defect == .losesEvents, now % 50 == 0 { return nil }
            try listeners[id]?.take(events)
        case .succeeded(let id, let answer):
            try close(id)
            if case .committed = answer, counts.contains(id) { commits += 1 }
            if increments.contains(id) { added += 1 }
        case .failed(let id, let error):
            try close(id)
            if error.effect == .unknown { loseSight(of: id) }
        case .ended(_, let error): throw error
        case .connected, .disconnected, .unindexed: break
        }
        return nil
    }

    /// The same messages, but every put is done whatever is there.
    private static func unconditional(_ frame: [UInt8]) -> [UInt8] {
        var writer = FrameWriter()
        let messages: [Received<ClientMessage>] = (try? FrameReader.messages(in: frame)) ?? []
        for case .message(let message) in messages {
            var message = message
            if case .put(var put) = message.request {
                put.condition = nil
                message.request = .put(put)
            }
            writer.append(message)
        }
        return writer.bytes
    }

    private mutating func loseSight(of id: RequestID) {
        if counts.contains(id) { unknownCommits += 1 }
        if increments.contains(id) { unknownAdded += 1 }
    }

    private mutating func keep(_ record: Record) {
        switch record {
        case .write(let number, let frame):
            // The first frame has no stamp yet.
            if defect == .forgetsStamps, keptWrites[number] != nil { return }
            keptWrites[number] = frame
        case .writeEnded(let number): keptWrites[number] = nil
        case .value(let key, let frame): keptValues[key] = frame
        }
    }

    private mutating func close(_ id: RequestID) throws {
        // The answer belongs to an earlier incarnation.
        if id.number >= 1 << 63 { return }
        guard open.remove(id) != nil else {
            throw ClientWorld.Failure(description: "request \(id.number) ended twice")
        }
    }
}

// MARK: - What it does

extension VirtualUser {
    mutating func act(_ random: inout SeededNumbers) throws {
        switch random.below(16) {
        case 0, 1: try listen(&random)
        case 2: unlisten(&random)
        case 3: ask(.transact(places[random.below(5)], random.below(2) == 0 ? .shown : .hidden))
        case 4, 5: counts.insert(ask(.transact(VirtualUser.counter)))
        case 6: step(random.below(3) == 0 ? .wentOffline : .wentOnline)
        case 7: increments.insert(ask(.put(VirtualUser.sum, .deferred(.increment(.integer(1))))))
        case 8: ask(.get(places[random.below(6)], try random.query()))
        case 9, 10:
            let writes = [random.write(), random.write()]
            if writes[0].path.contains(writes[1].path) { return }
            if writes[1].path.contains(writes[0].path) { return }
            ask(.merge(.root, writes.map { Write(path: $0.path, value: $0.value) }))
        default:
            let write = random.write()
            ask(.put(write.path, write.value))
        }
    }

    /// Wants to be connected, and nothing new.
    mutating func calm() throws { step(.wentOnline) }

    /// Runs the function of a transaction that waits for it.
    mutating func runTransaction() throws {
        if calls.isEmpty { return }
        let (id, value) = calls.removeFirst()
        if counts.contains(id) {
            let count = value.number ?? .integer(0)
            step(.ran(id, .value((count + .integer(1)).value)))
        } else if value.isNull {
            step(.ran(id, .abort))
        } else {
            var new = value
            new.set(.integer(Int64(id.number % 5)), at: path("b"))
            step(.ran(id, .value(new)))
        }
    }

    @discardableResult
    private mutating func ask(_ work: Request.Work) -> RequestID {
        lastNumber += 1
        let id = RequestID(number: lastNumber)
        open.insert(id)
        step(.asked(Request(id, work)))
        return id
    }

    private mutating func listen(_ random: inout SeededNumbers) throws {
        lastNumber += 1
        let id = ListenID(number: lastNumber)
        let path = places[random.below(places.count)]
        let query = try random.query()
        listeners[id] = NaiveListener(path: path, query: query)
        step(.listened(id, path, query, .all))
    }

    private mutating func unlisten(_ random: inout SeededNumbers) {
        guard !listeners.isEmpty else { return }
        let id = listeners.keys.sorted()[random.below(listeners.count)]
        listeners[id] = nil
        step(.unlistened(id))
    }
}
