import DataTree
import QueryEngine
import SyncProtocol

/// The data that a client has received and written, computed from its frames and its program's
/// requests alone: a whole value for each listen at its node, and the list of unanswered writes.
///
/// It determines the expected value of a listener wherever these data suffice.
struct ClientMirror {
    /// A listen at a node, across connections.
    struct Listen: Hashable {
        let path: Path
        let query: Query
    }

    /// Whether what the node's frames have told is what its tree showed at their end.
    private enum Precision {
        case exact
        /// The client read too slowly: changes are held back from it.
        case lagging
        /// The missed changes arrive with one of the next frames of the connection. All of them
        /// have arrived once the client has seen more operations than the node held at that time.
        case caughtUp(after: Int, holding: UInt64)
    }

    struct PendingWrite {
        let request: UInt64
        /// Those that fill come first, and priorities last.
        let writes: [Write]
        /// Whether its effect depends on data, or on an order of writes, that are not known here.
        var isVague: Bool

        func overlaps(_ path: Path) -> Bool {
            writes.contains { $0.path.contains(path) || path.contains($0.path) }
        }
    }

    /// The data that the node's frames have shown to each listen; no entry if they are not known.
    private(set) var told: [Listen: Value] = [:]
    /// The listens of the present connection, by their numbers there.
    private(set) var open: [UInt64: Listen] = [:]
    private var answered: Set<UInt64> = []
    /// Those of which a node has told anything to this process.
    private(set) var heard: Set<Listen> = []
    /// The values that the process has read from the file of an earlier one.
    private(set) var recalled: [Value] = []
    private(set) var writes: [PendingWrite] = []
    /// The places of transactions without an outcome, by request.
    private(set) var transactions: [UInt64: Path] = [:]
    /// The places of writes and transactions that have no outcome, or got it since the last look, by request.
    private(set) var places: [UInt64: [Path]] = [:]
    private var finished: [UInt64] = []
    /// The transactions whose writes a node may have got, by request.
    private var sentTransactions: Set<UInt64> = []
    /// The operations that the session has shown; none before its first frame.
    private(set) var seen = VersionVector()
    private var precision = Precision.exact
    private var lagsSince: Microseconds = 0
    /// The frames of the present connection that the client has received.
    private var receivedFrames = 0
    /// The frames that its node had sent on it when it still held something back.
    private var framesBehind = 0

    // MARK: Frames

    mutating func record(_ message: ClientMessage) {
        switch message.request {
        case .listen(let listen):
            let new = Listen(path: listen.path, query: listen.query)
            told[new] = listen.held.flatMap { value(of: new, matching: $0.hash) }
            if told[new] != nil { heard.insert(new) }
            open[message.id] = new
        case .unlisten(let ended): open[ended.listen] = nil
        case .put(let put) where put.condition != nil:
            sentTransactions.formUnion(transactions.filter { $0.value == put.path }.keys)
        default: break
        }
    }

    /// The value that the client holds of a listen, which it may have got from another one.
    private func value(of listen: Listen, matching hash: DataHash) -> Value? {
        if let own = told[listen], hash.matches(own) { return own }
        for (other, value) in told where other.path.contains(listen.path) && !other.query.isFiltered
        {
            let part = value[listen.path.relative(to: other.path)]
            if hash.matches(part) { return part }
        }
        return recalled.first(where: hash.matches)
    }

    mutating func receive(_ message: NodeMessage) {
        switch message {
        case .ready(_, _, _, _, let holds): seen = holds
        case .seen(_, let holds): seen.raise(to: holds)
        case .change(let number, let writes): change(number, writes)
        case .ranges(let number, let ranges):
            guard let listen = open[number] else { return }
            answered.insert(number)
            heard.insert(listen)
            told[listen]?.replace(
                ranges.map(\.range),
                by: ranges.flatMap(\.writes).map { (path: $0.path, value: $0.value) })
        case .ended(let number, _, _, _):
            if let listen = open.removeValue(forKey: number) { told[listen] = nil }
        case .error(_, .late, _, _), .error(_, .undecided, _, _):
            // Some of these will be repeated, after later ones that are done already.
            for index in writes.indices { writes[index].isVague = true }
        default: break
        }
    }

    private mutating func change(_ number: UInt64, _ writes: [Write]) {
        guard let listen = open[number] else { return }
        answered.insert(number)
        heard.insert(listen)
        for write in writes {
            if write.path.isRoot { told[listen] = .null }
            told[listen]?.set(write.value, at: write.path)
        }
    }

    /// An earlier process has left a write behind, which goes before or after others that this process makes.
    mutating func restore(_ kept: [Write], as request: UInt64) {
        places[request] = kept.map(\.path)
        writes.append(PendingWrite(request: request, writes: kept, isVague: true))
    }

    /// Whether the library does a write of an earlier process under this number.
    private static func isRestored(_ request: UInt64) -> Bool { request >> 63 == 1 }

    /// The file had a value.
    mutating func recall(_ value: Value) { recalled.append(value) }

    /// A frame of the present connection arrives.
    mutating func receive() { receivedFrames += 1 }

    mutating func loseConnection() {
        open = [:]
        answered = []
        precision = .exact
        receivedFrames = 0
    }

    // MARK: Slowness

    /// The client reads too slowly from now on.
    mutating func lag(at now: Microseconds) { (precision, lagsSince) = (.lagging, now) }

    /// Whether it has read too slowly since before a time, and has not seen what was held back.
    func hasLagged(since time: Microseconds) -> Bool {
        switch precision {
        case .exact: false
        case .lagging: lagsSince < time
        case .caughtUp(let frames, _): lagsSince < time && receivedFrames <= frames
        }
    }

    /// Whether it waits for changes that were held back.
    var isLagging: Bool { if case .lagging = precision { true } else { false } }

    /// The node has sent so many frames, and still holds something back.
    mutating func stayBehind(after frames: Int) { framesBehind = frames }

    /// The node has sent all that it held back, having this many operations.
    mutating func catchUp(at total: UInt64) {
        precision = .caughtUp(after: framesBehind, holding: total)
    }

    /// Whether the node's frames have told all that the node showed at the end of the last one.
    var isExact: Bool {
        switch precision {
        case .exact: true
        case .lagging: false
        case .caughtUp(_, let total): seen.total > total
        }
    }

    /// The data of the answered listens of this connection.
    var answeredListens: [(listen: Listen, told: Value)] {
        answered.sorted().compactMap { number in
            guard let listen = open[number], let value = told[listen] else { return nil }
            return (listen, value)
        }
    }

    // MARK: The program

    /// A write that listeners see until it is answered.
    mutating func write(_ parts: [Write], as request: UInt64, shown streams: [EventStream]) {
        var isVague = false
        var resolved: [Write] = []
        for part in parts {
            guard part.value.containsDeferred else {
                resolved.append(part)
                continue
            }
            let old = shownBefore(part, streams)
            isVague = isVague || old == nil
            resolved.append(
                Write(path: part.path, value: part.value.resolved(at: 0, against: old ?? .null)))
        }
        func rank(_ write: Write) -> Int {
            write.path.last == .priority ? 2 : write.value.isNull ? 1 : 0
        }
        let ordered = (0...2).flatMap { place in resolved.filter { rank($0) == place } }
        places[request] = ordered.map(\.path)
        writes.append(PendingWrite(request: request, writes: ordered, isVague: isVague))
    }

    /// The value at a write's location before the write; nil if it is not determined, or if no
    /// listener covers the location.
    private func shownBefore(_ write: Write, _ streams: [EventStream]) -> Value? {
        let isPriority = write.path.last == .priority
        let place = isPriority ? write.path.parent ?? .root : write.path
        guard cover(of: place, streams) != nil else { return nil }
        let value = determined(at: place, Query(), streams)
        return isPriority ? value?.priority : value
    }

    /// A transaction listens at its place until it has an outcome.
    mutating func transact(at path: Path, as request: UInt64, beside streams: [EventStream]) {
        begin(path, Query(), beside: streams)
        transactions[request] = path
        places[request] = [path]
    }

    /// Forgets the places of what had an outcome before this look.
    mutating func forgetFinished() {
        for request in finished { places[request] = nil }
        finished = []
    }

    /// A request has an outcome. If its node did it, it had done all earlier writes before, even those that still wait for other
    /// nodes.
    mutating func finish(_ request: UInt64, isDone: Bool, shown streams: [EventStream]) {
        finished.append(request)
        let isWrite =
            transactions[request] != nil || writes.contains { $0.request == request }
        writes.removeAll { write in
            let isDoneToo =
                isDone && isWrite && !write.isVague && write.request < request
                && !ClientMirror.isRestored(request)
            return write.request == request || isDoneToo
        }
        guard let path = transactions.removeValue(forKey: request) else { return }
        // A transaction is sent again after each refusal: which of the program's later writes were sent before it, and so are
        // done too, is not kept.
        if isDone {
            for index in writes.indices where writes[index].request > request {
                writes[index].isVague = true
            }
        }
        endCover(at: path, streams)
    }

    /// A new listener knows nothing of a former one at its place, unless another one or a transaction has kept that.
    mutating func begin(_ path: Path, _ query: Query, beside streams: [EventStream]) {
        let query = query.isFiltered ? query : Query()
        let isKept =
            transactions.values.contains(path)
            || streams.contains { !$0.isOver && $0.path == path && $0.query == query }
        if !isKept { told[Listen(path: path, query: query)] = nil }
    }

    /// A listen to all data at a path may have ended. Listens below it, and transactions there,
    /// continue with its data. If these are not known, the values of those listens are not known
    /// either.
    mutating func endCover(at path: Path, _ streams: [EventStream]) {
        if isCovered(path, streams) { return }
        let value = told[Listen(path: path, query: Query())]
        for stream in streams where !stream.isOver && path.contains(stream.path) {
            let query = stream.query.isFiltered ? stream.query : Query()
            let listen = Listen(path: stream.path, query: query)
            if value == nil, open.values.contains(listen) { continue }
            let part = value?[stream.path.relative(to: path)]
            told[listen] = part.map(NaiveQuery(query).shown)
        }
        for place in transactions.values where path.contains(place) {
            if let value {
                told[Listen(path: place, query: Query())] = value[place.relative(to: path)]
            }
        }
    }

    private func isCovered(_ path: Path, _ streams: [EventStream]) -> Bool {
        cover(of: path, streams) != nil || transactions.values.contains { $0.contains(path) }
    }

    /// The highest place at or above a path where a listener listens to everything.
    private func cover(of path: Path, _ streams: [EventStream]) -> Path? {
        streams.filter { !$0.isOver && !$0.query.isFiltered && $0.path.contains(path) }
            .map(\.path).min { $0.count < $1.count }
    }
}

// MARK: - What has to show

extension ClientMirror {
    /// Whether a transaction waits for its outcome, and so listens at its place.
    var isTransacting: Bool { !transactions.isEmpty }

    /// The transactions that a write ends at once, as it is of the same data and no node can have got them.
    func transactionsOverwritten(by writes: [Write]) -> [UInt64] {
        let overwritten = transactions.filter { request, place in
            !sentTransactions.contains(request)
                && writes.contains { $0.path.contains(place) || place.contains($0.path) }
        }
        return overwritten.keys.sorted()
    }

    /// The result of a read that a listener's data answer without a node; nil if no listener has
    /// them, or if they are not determined.
    func held(at path: Path, _ query: Query, by streams: [EventStream]) -> Value? {
        let cover = cover(of: path, streams).flatMap { told[Listen(path: $0, query: Query())] }
        let own = streams.first { !$0.isOver && $0.path == path && $0.query == query }
        guard cover != nil || own?.shown != nil else { return nil }
        return determined(at: path, query, streams).map(NaiveQuery(query).shown)
    }

    /// The value that a listener must show; nil if these data do not determine it.
    func expected(of stream: EventStream, among streams: [EventStream]) -> Value? {
        determined(at: stream.path, stream.query, streams).map(NaiveQuery(stream.query).shown)
    }

    /// The value at a path, as far as a query shows it, with the writes over it.
    private func determined(at path: Path, _ query: Query, _ streams: [EventStream]) -> Value? {
        let concerned = writes.filter { $0.overlaps(path) }
        guard !transactions.values.contains(where: { $0.contains(path) || path.contains($0) }),
            !concerned.contains(where: \.isVague)
        else { return nil }
        // A write of all of it hides what is below.
        if let whole = concerned.lastIndex(where: { $0.writes.contains { $0.path.contains(path) } })
        {
            return applied(concerned[whole...], to: .null, at: path)
        }
        if let cover = cover(of: path, streams) {
            guard let value = told[Listen(path: cover, query: Query())] else { return nil }
            return applied(concerned[...], to: value[path.relative(to: cover)], at: path)
        }
        return concerned.isEmpty ? told[Listen(path: path, query: query)] : nil
    }

    private func applied(_ writes: ArraySlice<PendingWrite>, to value: Value, at path: Path)
        -> Value
    {
        var root = Value.null
        root.set(value, at: path)
        for write in writes.flatMap(\.writes) { root.set(write.value, at: write.path) }
        return root[path]
    }
}
