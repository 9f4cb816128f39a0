import DataTree
import GatewayCore
import JSONText
import QueryEngine
import ReplicaCore
import SyncProtocol

/// A program that listens over REST by server-sent events: it keeps what its node has sent, reads slowly at times, and comes back.
struct StreamClient {
    /// Among all clients.
    let index: Int
    /// In the order in which it connects to them.
    private let nodes: [Int]
    private var next = 0
    var random: SplitMix64
    let path: Path
    let selection: RestSelection
    /// Whether it gets priorities, too.
    let isExport: Bool
    /// How many steps it still takes.
    var remaining: Int
    var connection: Int?
    /// The node to which it was connected last.
    private(set) var node = 0
    var isSlow = false {
        didSet { if isSlow { wasSlow = true } }
    }
    /// Whether it has been slow on this connection.
    private var wasSlow = false
    private var reader = AnswerReader()
    private var lines = EventLines()
    /// The data that its node has shown; nil before the first event.
    private(set) var shown: Value?
    /// The node does not serve it, or no more.
    private(set) var isOver = false
    /// When it connected, and how many signs of life it has got since.
    private var (connected, keepAlives): (Microseconds, Int) = (0, 0)
    /// When it was sent something last.
    private(set) var lastHeard: Microseconds = 0
    var tally = CheckTally()

    init(
        index: Int, nodes: [Int], remaining: Int, path: Path, random: SplitMix64
    ) {
        var random = random
        (self.index, self.nodes, self.remaining, self.path) = (index, nodes, remaining, path)
        selection = random.index(below: 4) > 0 ? RestSelection() : RestSelection(&random)
        isExport = random.index(below: 2) == 0
        self.random = random
    }

    /// The node to connect to.
    mutating func nextNode() -> Int {
        defer { next += 1 }
        node = nodes[next % nodes.count]
        return node
    }

    /// Begins on a connection; returns the request.
    mutating func connect(
        on connection: Int, to host: String, at now: Microseconds
    ) -> [UInt8] {
        (self.connection, connected, keepAlives) = (connection, now, 0)
        (reader, lines, shown, isOver) = (AnswerReader(), EventLines(), nil, false)
        wasSlow = false
        reader.expect()
        let parameters = selection.parameters + (isExport ? [("format", "export")] : [])
        return RestText.request(
            "GET", RestText.target(path, parameters), to: host,
            fields: ["Accept: text/event-stream"])
    }

    mutating func loseConnection() { (connection, shown, isSlow) = (nil, nil, false) }

    /// The part of a tree that it shows.
    func expected(of tree: Value) -> Value {
        let value = selection.shown(of: tree[path])
        return isExport ? value : value.withoutPriorities
    }

    mutating func report(_ problem: String) {
        tally.report(.streamsShowTheTree, "\(path) by \(selection.query.text): \(problem)")
    }
}

// MARK: - What comes

extension StreamClient {
    /// Receives bytes of its node.
    mutating func receive(_ bytes: [UInt8], at now: Microseconds, by json: JSONReader) {
        lastHeard = now
        for event in reader.receive(bytes) {
            switch event {
            case .head(let head): begin(head)
            case .body(let piece):
                guard !isOver else { break }
                for event in lines.receive(piece) { apply(event, at: now, by: json) }
            case .end: isOver = true
            case .failure(let problem): report(problem)
            }
        }
    }

    private mutating func begin(_ head: AnswerReader.Head) {
        if head.status == 503 {
            isOver = true
        } else if head.status != 200
            || head.fields["content-type"]?.hasPrefix("text/event-stream") != true
        {
            report("a stream begins with \(head.status) \(head.fields)")
        }
    }

    private mutating func apply(
        _ event: EventLines.Event, at now: Microseconds, by json: JSONReader
    ) {
        tally.count(.streamsShowTheTree)
        switch event.name {
        case "put", "patch": change(by: event, json)
        case "keep-alive":
            if event.data != Array("null".utf8) { report("a keep-alive with data") }
            countKeepAlive(at: now)
        case "cancel": isOver = true
        default: report("an event \(event.name)")
        }
    }

    /// A node sends no more of them than one for each interval, by its clock.
    private mutating func countKeepAlive(at now: Microseconds) {
        keepAlives += 1
        let interval = Microseconds.milliseconds(GatewayConfiguration.virtualKeepAlive)
        let limit = 1 + Int((now - connected) * 11 / 10 / interval)
        if keepAlives == limit + 1 {
            report("\(keepAlives) keep-alives within \((now - connected).description)")
        }
    }

    private mutating func change(by event: EventLines.Event, _ json: JSONReader) {
        if !isExport, event.data.contains(priority: Array("\".priority\"".utf8)) {
            report("a plain event with a priority: \(String(decoding: event.data, as: UTF8.self))")
        }
        guard let change = StreamChange(event, by: json) else {
            return report("cannot read \(String(decoding: event.data, as: UTF8.self))")
        }
        guard var value = shown else {
            guard change.path.isRoot, case .put(let first) = change.data else {
                return report("does not begin with all: \(change)")
            }
            shown = first
            return
        }
        switch change.data {
        case .put(let data): value.set(data, at: change.path)
        case .patch(let writes):
            for (path, data) in writes { value.set(data, at: change.path.appending(path)) }
        }
        if isExport, value == shown, !mayRepeat(change) {
            report("an event changes nothing: \(change) of \(value)")
        }
        shown = value
    }

    /// Whether a change may be what is shown already: of a query, a client that was slow gets all once more.
    private func mayRepeat(_ change: StreamChange) -> Bool {
        guard wasSlow, selection.query.isFiltered, change.path.isRoot else { return false }
        if case .put = change.data { return true }
        return false
    }
}

extension [UInt8] {
    fileprivate func contains(priority name: [UInt8]) -> Bool {
        indices.contains { self[$0] == name[0] && self[$0...].starts(with: name) }
    }
}

/// The change of an event.
private struct StreamChange {
    enum Data {
        case put(Value)
        case patch([(path: Path, value: Value)])
    }

    let path: Path
    let data: Data

    /// Reads an event; nil if it is none that a node sends.
    init?(_ event: EventLines.Event, by reader: JSONReader) {
        let isPatch = event.name == "patch"
        let change = try? reader.read(event.data) { StreamChange($0, isPatch: isPatch) }
        guard let change else { return nil }
        self = change
    }

    private init?(_ node: JSONNode, isPatch: Bool) {
        guard let path = try? (node["path"]?.string).map({ try Path($0) }), let data = node["data"]
        else { return nil }
        self.path = path
        if isPatch {
            guard let writes = try? data.update() else { return nil }
            self.data = .patch(writes)
        } else {
            guard let value = try? data.value() else { return nil }
            self.data = .put(value)
        }
    }
}

// MARK: - In the end

extension StreamClient {
    /// From one sign of life of a stream to the next.
    private static let silenceLimit: Microseconds = .milliseconds(2_400)

    /// The problem at the end of a run, when its node has this tree; nil if there is none.
    ///
    /// - Parameter faultless: The time of the last failure.
    func problem(
        showing tree: Value, at now: Microseconds, since faultless: Microseconds
    ) -> String? {
        guard let shown else { return nil }
        let expected = expected(of: tree)
        if shown != expected { return "shows \(shown), and its node \(expected)" }
        let silence = now - max(lastHeard, faultless)
        return silence > StreamClient.silenceLimit
            ? "got no sign of life for \(silence.description)" : nil
    }
}
