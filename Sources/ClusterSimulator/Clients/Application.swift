import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program with the client that ships: it listens to queries, writes, transacts, leaves writes for
/// its end, goes offline and comes back.
struct Application {
    /// Where its listens are; an update of a pair is always one of both its sides.
    static let board = Path([Key(unchecked: "board")])
    static let data = Path([Key(unchecked: "data")])
    static let pair = Path([Key(unchecked: "pair")])
    static let count = Path([Key(unchecked: "count")])
    /// Where each transaction writes another value.
    static let register = Path([Key(unchecked: "register")])
    /// How long it waits for a transaction.
    static let transactionPatience: UInt64 = 4_000
    /// What all increments of applications add to.
    static let sum = Path([Key(unchecked: "counters"), Key(unchecked: "c1")])

    /// Counted on from the virtual clients.
    let index: Int
    var client: Client
    /// As the run numbers them.
    var connection: Int?
    var node: Int?
    /// By the number of the listen.
    var streams: [EventStream]
    var isOffline = false
    /// It does nothing but be present.
    let isIdle: Bool
    /// What was asked and has not come out, by the number of its request.
    var open: [UInt64: Work] = [:]
    private let transactions: Probability
    private(set) var remaining: Int
    private var lastRequest: UInt64 = 0
    private var random: SplitMix64

    enum Work {
        /// Recorded as this one of the history.
        case transaction(record: Int)
        /// An increment, recorded as this operation of the history.
        case increment(operation: Int)
        case other
    }

    init(
        index: Int, nodes: [String], remaining: Int, transactions: Probability, seed: UInt64
    ) {
        self.index = index
        self.transactions = transactions
        isIdle = false
        self.remaining = remaining
        random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        let first = random.index(below: nodes.count)
        client = Client(
            .init(
                nodes: Array(nodes[first...] + nodes[..<first]),
                writer: WriterID(bits: random.next() | 1)))
        streams = []
        let all = Application.queries
        let start = random.index(below: all.count)
        for step in 0..<4 {
            let (path, query) = all[(start + step) % all.count]
            streams.append(EventStream(path: path, query: query))
        }
        streams.append(EventStream(path: Application.pair, query: Query()))
    }

    /// One that leaves an on-disconnect write at each node that serves it, and then stays; every second one
    /// listens, too.
    init(idle index: Int, nodes: [String], seed: UInt64) {
        self.index = index
        isIdle = true
        transactions = .zero
        remaining = 0
        random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        let first = random.index(below: nodes.count)
        client = Client(
            .init(
                nodes: Array(nodes[first...] + nodes[..<first]),
                writer: WriterID(bits: random.next() | 1)))
        streams =
            index.isMultiple(of: 2) ? [] : [EventStream(path: Application.data, query: Query())]
    }

    private static let queries: [(Path, Query)] = [
        (board, Query()),
        (board, try? Query().ordered(byChild: "points").limited(toLast: 3)),
        (board, try? Query().orderedByKey().starting(at: .string("k2")).limited(toFirst: 3)),
        (board, try? Query().ordered(byChild: "points").starting(at: .integer(3))),
        (board, try? Query().orderedByValue().limited(toFirst: 2)),
        (data, Query()),
    ].compactMap { path, query in query.map { (path, $0) } }

    /// A node serves it, nothing is open, and each listener was told something.
    var isAtRest: Bool {
        client.isConnected && open.isEmpty && streams.allSatisfy { $0.value != nil }
    }

    /// What an idle one asks for when a node serves it: the write names the connection that it waits for.
    mutating func present() -> [ClientCore.Input] {
        guard isIdle, let connection else { return [] }
        let gone = Value.integer(Int64(connection))
        return [
            ask(.onDisconnectPut(presence, gone)), ask(.put(presence, .string("here"))),
        ]
    }

    mutating func stop() {
        remaining = 0
        isOffline = false
    }

    // MARK: What it does

    /// Something that the application does next; a request among it is open from then on.
    mutating func draw() -> ClientCore.Input? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if random.happens(transactions) { return drawTransaction() }
        switch random.index(below: 20) {
        case 0:
            isOffline.toggle()
            return isOffline ? .wentOffline : .wentOnline
        case 1, 2: return drawTransaction()
        case 3, 4: return ask(.merge(Application.pair, drawPair()))
        case 5: return ask(.onDisconnectPut(presence, .string("gone")))
        case 6: return ask(.put(presence, .string("here")))
        case 10: return .leftNode
        case 9:
            let delta = Int64(1 + random.number(below: 100))
            return ask(.put(Application.sum, .deferred(.increment(.integer(delta)))))
        case 7, 8: return ask(.put(Application.data.appending(drawKey("abc")), drawNumber()))
        default: return ask(drawOnBoard())
        }
    }

    /// Where it shows whether it is there.
    var presence: Path {
        Path([Key(unchecked: "presence"), Key(unchecked: "c\(index + 1)")])
    }

    private mutating func ask(
        _ work: Request.Work, patience: Request.Patience = .endless
    ) -> ClientCore.Input {
        lastRequest += 1
        open[lastRequest] = .other
        return .asked(Request(RequestID(number: lastRequest), work, patience: patience))
    }

    private mutating func drawTransaction() -> ClientCore.Input {
        let path = random.index(below: 2) == 0 ? Application.count : Application.register
        let patience = Request.Patience.limited(milliseconds: Application.transactionPatience)
        return ask(.transact(path), patience: patience)
    }

    private mutating func drawPair() -> [Write] {
        let tag = Value.string("c\(index + 1)-\(lastRequest)")
        return [
            Write(path: Path([Key(unchecked: "left")]), value: tag),
            Write(path: Path([Key(unchecked: "right")]), value: tag),
        ]
    }

    private mutating func drawOnBoard() -> Request.Work {
        let place = Application.board.appending(Key(unchecked: "k\(random.index(below: 6))"))
        let points = place.appending(Key(unchecked: "points"))
        switch random.index(below: 8) {
        case 0: return .put(place, .null)
        case 1: return .put(place, drawNumber())
        case 2: return .put(points, .deferred(.increment(.integer(2))))
        case 3: return .put(place.appending(.priority), drawNumber())
        case 4: return .put(Application.board, .null)
        default: return .put(points, drawNumber())
        }
    }

    private mutating func drawNumber() -> Value { .integer(Int64(random.number(below: 8))) }

    private mutating func drawKey(_ letters: String) -> Key {
        let letters = Array(letters)
        return Key(unchecked: String(letters[random.index(below: letters.count)]))
    }

    mutating func drawPace(_ pace: TimeRange) -> Microseconds { random.time(in: pace) }

    // MARK: What comes of it

    mutating func finish(_ request: RequestID) { open[request.number] = nil }

    mutating func observe(_ listen: ListenID, _ events: [ViewEvent]) {
        let index = Int(listen.number)
        streams[index].take(events)
        if streams[index].path == Application.pair { streams[index].checkPair() }
    }
}
