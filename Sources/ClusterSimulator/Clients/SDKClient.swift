import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// The client that ships, and the program that uses it.
struct SDKClient {
    enum Program {
        /// It sends one request after the other.
        case requests
        /// It listens to one place, and does nothing more.
        case listener
        case application
        case dense
        /// It leaves an on-disconnect write at each node that serves it, and does nothing more.
        case presence
        /// It writes server timestamps, as a user.
        case times
    }

    /// A request without an outcome.
    enum Work {
        /// Recorded as this operation of the history; on how many nodes it is to be durable.
        case operation(Int, wanted: WriteConcern?)
        /// Recorded as this transaction of the history.
        case transaction(Int)
        /// Recorded as this transaction of the history, which moves an amount.
        case transfer(Int, Transfer)
        /// A transaction of a dense program, recorded as this one of the history.
        case modification(Int)
        /// A dense program waits until all writes made before this time have arrived.
        case stability(since: Microseconds)
        /// A read of a dense program.
        case read(ReadExpectation)
        /// It lists children.
        case listing(ListingExpectation)
        /// A request of a dense program that has to be refused.
        case invalid
        case other
    }

    /// How long it waits for a transaction.
    static let transactionPatience: UInt64 = 4_000

    // The properties that every turn reads come first, then those that its library reads. With
    // thousands of clients, each one has left the processor's caches by its next turn.

    let program: Program
    /// Its process or its machine has gone without a word.
    var isGone = false
    /// Among all clients.
    let index: Int
    /// As the run numbers them.
    var connection: Int?
    /// So many nodes it leaves as soon as they say something.
    var hops = 0
    let clock: ClientClock
    /// Stamps its writes.
    private(set) var writer: WriterID
    /// The results of transactions' functions that the library has not got yet.
    var results: [ClientCore.Input] = []
    /// Its search for a node.
    var search = NodeSearch()
    var listening: Listening?
    var core: Client

    var requests: RequestSource?
    var application: ApplicationProgram?
    var times: TimesProgram?
    var dense: DenseProgram?
    /// The data that a dense program has received and written.
    var mirror = ClientMirror()
    var tally = CheckTally()
    /// The data for its next process; nil if it keeps none.
    var file: ClientFile?
    /// The values that are being read from the file, and when that is done.
    var recalls: [(key: String, time: Microseconds)] = []
    /// When requests with limited patience have to have an outcome, by their numbers.
    var deadlines: [UInt64: RequestDeadline] = [:]
    /// The nodes that it has tried since one served it last.
    var tried: Set<Int> = []
    /// The stamps of a dense program's writes on the present connection, by their numbers there.
    var stamps: [UInt64: Stamp] = [:]
    /// The stamped writes of a dense program.
    var stampedWrites = StampedWrites()
    /// The names of transactions on the present connection, by their numbers there.
    var transactions: [UInt64: Stamp] = [:]
    /// Whether it looks for any node since the last one, whatever it has seen.
    var hasGivenUp = false
    /// The last known wall time of its node, and the milliseconds of the run at that moment.
    var nodeClock: (wall: UInt64, since: UInt64)?
    /// The latest stamp that it has sent.
    var lastStamp: Stamp?
    /// When it sends its next hello.
    var helloTime: Microseconds = 0
    /// The node to which it was connected last.
    var node: Int?
    /// By the number of the listen.
    var streams: [EventStream] = []
    /// By the number of the request.
    var open: [UInt64: Work] = [:]
    var session = ObservedSession()
    /// Counts the events that restart its patience: an answer, another node.
    var patience: UInt64 = 0
    /// The writers before this one.
    private(set) var formerWriters: [WriterID] = []
    private var configuration: Configuration
    var random: SplitMix64
    private var lastRequest: UInt64 = 0

    /// - Parameter nodes: Their names, in the order in which they are tried.
    init(
        _ program: Program, index: Int, nodes: [String], clock: ClientClock, random: SplitMix64
    ) {
        self.program = program
        self.index = index
        self.clock = clock
        self.random = random
        writer = WriterID(bits: self.random.next() | 1)
        configuration = Configuration(nodes: nodes, writer: writer)
        core = Client(configuration)
        // Half of them soon go on without what they have seen.
        guard index.isMultiple(of: 2) else { return }
        limitSession()
        core = Client(configuration)
    }

    private mutating func limitSession() {
        configuration.sessionMilliseconds = 1_200
        session.patience = .milliseconds(1_200)
    }

    /// A client whose dense program meets the limits of the library.
    init(
        index: Int, nodes: [String], clock: ClientClock, random: SplitMix64, dense: DenseProgram
    ) {
        self.init(.dense, index: index, nodes: nodes, clock: clock, random: random)
        (configuration.window, configuration.queueLimit) = (6, 40)
        (configuration.rangeBytes, configuration.frameBytes) = (40, 300)
        configuration.outcomeMilliseconds = 1_500
        let kind = self.random.index(below: 4)
        configuration.isPersistent = kind < 2
        if configuration.isPersistent { file = ClientFile() }
        if kind.isMultiple(of: 2) { limitSession() }
        core = Client(configuration)
        self.dense = dense
    }

    /// Its process ends, and the next one has a library of its own, which begins at any node.
    mutating func renewCore() {
        formerWriters.append(writer)
        writer = WriterID(bits: random.next() | 1)
        configuration.writer = writer
        random.shuffle(&configuration.nodes)
        core = Client(configuration)
    }

    /// The reason why the client is not at rest; nil once all requests are answered, and all
    /// listens have a value.
    var unrest: String? {
        if isGone { return nil }
        if let request = open.keys.min() {
            return "waits for the outcome of its request \(request)"
        }
        if let stream = streams.first(where: { !$0.isOver && $0.value == nil }) {
            return "has no value at \(stream.path)"
        }
        if listening?.isComplete == false { return "is not told what it listens to" }
        return core.isConnected || !needsNode ? nil : "is not connected"
    }

    /// Whether it has to be connected at rest: without listens and requests, a client of the library looks for no node.
    var needsNode: Bool { !isGone && program != .requests && core.isAwaiting }

    /// The locations and queries of its listens.
    var listens: [(path: Path, query: Query)] {
        if let listening { return [(listening.path, Query())] }
        return streams.map { ($0.path, $0.query) }
    }

    /// The path of its presence.
    var presence: Path {
        Path([Key(unchecked: "presence"), Key(unchecked: "c\(index + 1)")])
    }

    // These four are mutating, or they would be given a copy of the client.

    /// Whether what nodes send to the SDK is recorded.
    mutating func recordsReplies() -> Bool {
        program == .requests || program == .listener && listening?.isFollowed == true
    }

    /// Whether what the SDK sends is recorded: a listener that has its value sends nothing but pings.
    mutating func recordsRequests() -> Bool {
        recordsReplies() && listening?.isComplete != true
    }

    /// Whether it has gone offline.
    mutating func isOffline() -> Bool { application?.isOffline ?? dense?.isOffline ?? false }

    /// Whether the library takes what comes from its node.
    mutating func takesFrames() -> Bool { core.takesFrames() }

    /// Whether it acts by itself.
    var isActive: Bool { program == .requests || program == .times || transacts }

    /// Whether its program has transactions.
    var transacts: Bool { program == .application || program == .dense }

    mutating func loseConnection() {
        connection = nil
        listening?.disconnect()
        mirror.loseConnection()
        stamps = [:]
        stampedWrites.loseConnection()
        transactions = [:]
        nodeClock = nil
    }

    mutating func takeResult() -> ClientCore.Input? {
        results.isEmpty ? nil : results.removeFirst()
    }

    /// The library has taken a turn; returns how far it is.
    mutating func endTurn() -> Client.Standing {
        let standing = core.standing()
        if standing.writer != writer {
            formerWriters.append(writer)
            writer = standing.writer
        }
        return standing
    }

    // MARK: What it asks

    mutating func ask(
        _ work: Request.Work, as open: Work, patience: Request.Patience = .endless,
        concern: WriteConcern? = nil
    ) -> ClientCore.Input {
        lastRequest += 1
        self.open[lastRequest] = open
        return .asked(
            Request(RequestID(number: lastRequest), work, patience: patience, concern: concern))
    }

    /// The next request of a program with one open request at a time; nil if it waits, or has none.
    mutating func nextRequest(_ workload: Workload, at now: Microseconds) -> Workload.Request? {
        guard open.isEmpty else { return nil }
        let ahead = core.nodeAheadMilliseconds
        let milliseconds = UInt64(max(0, Int64(clock.milliseconds(at: now)) + ahead))
        let request = requests?.next(workload, keyMilliseconds: milliseconds)
        guard case .append(let list, _, let value)? = request?.kind,
            let key = requests?.newKey(at: milliseconds)
        else { return request }
        // The SDK makes the keys of all its pushes.
        return .push(to: list, key: key, value)
    }

    /// The next step of an application.
    mutating func nextStep(tag: String) -> ApplicationProgram.Step? {
        application?.next(tag: tag, &random)
    }

    /// The next request of a program that writes times; nil if it waits, or has none.
    mutating func nextTimes() -> ClientCore.Input? {
        guard open.isEmpty, let work = times?.next(&random) else { return nil }
        return ask(work, as: .other)
    }

    /// Its requests when a node begins to serve it: the on-disconnect write names its connection.
    mutating func present() -> [ClientCore.Input] {
        guard program == .presence, let connection else { return [] }
        return [
            ask(.onDisconnectPut(presence, .integer(Int64(connection))), as: .other),
            ask(.put(presence, .string("here")), as: .other),
        ]
    }

    /// Ends its requests; returns what it has to do for that, if anything.
    mutating func stop() -> ClientCore.Input? {
        requests?.stop()
        times?.remaining = 0
        return application?.stop()
    }

    // MARK: What it is told

    mutating func observe(_ listen: ListenID, _ events: [ViewEvent]) {
        if listening != nil {
            for event in events where event.kind == .value { listening?.show(event.data) }
            return
        }
        let index = Int(listen.number)
        streams[index].check(events)
        if streams[index].path == ApplicationProgram.pair { streams[index].checkPair() }
    }

    /// The number of the request that it makes next.
    var nextRequestNumber: UInt64 { lastRequest + 1 }

    mutating func noteEnd(of listen: ListenID, _ problem: String) {
        listening?.noteEnd(problem)
        if listening == nil { streams[Int(listen.number)].noteEnd(problem) }
    }
}
