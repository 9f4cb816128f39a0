internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import SyncProtocol

/// Appends records to one list over several connections to one node, while a listener on each of the
/// other nodes waits for them: one thread, which polls all sockets.
///
/// Each record carries its number, so that its acknowledgement and its events can be timed.
struct AppendLoad {
    /// How fast the connections append.
    enum Pace {
        /// As fast as possible, with this many unacknowledged appends on each.
        case pipelined(window: Int)
        /// This many a second, all together.
        case fixed(perSecond: Int)
    }

    /// The measurement.
    struct Result {
        var acknowledgedSeconds = 0.0
        var deliveredSeconds = 0.0
        var acknowledgements = Latencies()
        var events = Latencies()
    }

    let list: Path
    let appends: Int
    let pace: Pace

    private var connections: [Connection] = []
    private var listeners: [NodeSocket] = []
    private var keys = PushIDGenerator()
    private var random = SystemRandomNumberGenerator()
    private var sentNanoseconds: [UInt64]
    private var sent = 0
    private var acknowledged = 0
    private var delivered = 0
    private var listening = 0
    private var result = Result()

    fileprivate struct Connection {
        let socket: NodeSocket
        var clock = StampClock(writer: WriterID(bits: .random(in: 1 ... .max)))
        var frame = FrameWriter()
        var unacknowledged = 0
    }

    /// Without an answer for this long, the run has failed.
    private static let patienceNanoseconds: UInt64 = 20_000_000_000
    /// Appends travel together in frames of about this size, as the SDK sends them.
    private static let frameBytes = 8 * 1024

    init(
        to writerNode: String, listeningAt others: [String], connections count: Int, list: Path,
        appends: Int, pace: Pace, as identities: Identities = Identities()
    ) throws(CommandError) {
        self.list = list
        self.appends = appends
        self.pace = pace
        sentNanoseconds = Array(repeating: 0, count: appends)
        for _ in 0..<count {
            connections.append(
                Connection(
                    socket: try NodeSocket(loading: writerNode, showing: identities.writers)))
        }
        for node in others {
            listeners.append(try NodeSocket(loading: node, showing: identities.listeners))
        }
    }

    /// Runs to the end: all appends acknowledged, and delivered to every listener.
    mutating func run() throws(CommandError) -> Result {
        for listener in listeners {
            listener.send(ClientMessage.listen(id: 1, path: list).frame)
        }
        for index in connections.indices {
            connections[index].socket.send(
                ClientMessage.hello(id: .max, seen: VersionVector()).frame)
            connections[index].unacknowledged = 1
        }
        try poll { $0.listening == $0.listeners.count && $0.connections.allSatisfy(\.isIdle) }

        let start = monotonicNanoseconds()
        try poll { load in
            load.sendDue(since: start)
            return load.acknowledged == load.appends
                && load.delivered == load.appends * load.listeners.count
        }
        return result
    }

    private mutating func poll(
        until isDone: (inout AppendLoad) -> Bool
    ) throws(CommandError) {
        let start = monotonicNanoseconds()
        var lastProgress = start
        var descriptors = (connections.map(\.socket) + listeners).map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        while !isDone(&self) {
            try StopRequest.check()
            let before = (acknowledged, delivered, listening)
            for index in descriptors.indices where descriptors[index].revents != 0 {
                if index < connections.count {
                    try receiveAnswers(at: index, since: start)
                } else {
                    try receiveEvents(at: listeners[index - connections.count], since: start)
                }
            }
            let isBusy = before != (acknowledged, delivered, listening)
            if isBusy {
                lastProgress = monotonicNanoseconds()
            } else if monotonicNanoseconds() - lastProgress > AppendLoad.patienceNanoseconds {
                throw CommandError(
                    .unavailable,
                    "no progress: \(acknowledged) of \(appends) appends acknowledged, "
                        + "\(delivered) of \(appends * listeners.count) events delivered",
                    fix: "look at the logs of the nodes with `hearth cluster logs`")
            }
            _ = Glibc.poll(&descriptors, nfds_t(descriptors.count), isBusy ? 0 : 1)
        }
    }
}

extension AppendLoad.Connection {
    fileprivate var isIdle: Bool { unacknowledged == 0 }
}

// MARK: - Sending

extension AppendLoad {
    private mutating func sendDue(since start: UInt64) {
        switch pace {
        case .pipelined(let window):
            for index in connections.indices {
                // Refilled by halves, so that appends keep travelling together.
                guard connections[index].unacknowledged <= window / 2 else { continue }
                while connections[index].unacknowledged < window, sent < appends {
                    append(to: index)
                }
                flush(index)
            }
        case .fixed(let perSecond):
            let due = min(
                appends, Int((monotonicNanoseconds() - start) / 1000) * perSecond / 1_000_000)
            while sent < due {
                let index = sent % connections.count
                append(to: index)
                flush(index)
            }
        }
    }

    private mutating func append(to index: Int) {
        var record = Children()
        record[AppendLoad.number] = .integer(Int64(sent))
        record[AppendLoad.author] = .string("client-\(index)")
        record[AppendLoad.text] = .string("a message of the length that people type into a chat")
        let key = keys.next(at: wallMilliseconds(), random: &random)
        sentNanoseconds[sent] = monotonicNanoseconds()
        let stamp = connections[index].clock.next(at: sentNanoseconds[sent] / 1_000_000)
        connections[index].frame.append(
            ClientMessage.put(
                id: UInt64(sent) + 1, path: list.appending(key), value: Value(record), stamp: stamp)
        )
        connections[index].unacknowledged += 1
        sent += 1
        if connections[index].frame.bytes.count >= AppendLoad.frameBytes { flush(index) }
    }

    private mutating func flush(_ index: Int) {
        guard !connections[index].frame.isEmpty else { return }
        connections[index].socket.send(connections[index].frame.bytes)
        connections[index].frame.removeAll()
    }

    private static let number = Key(unchecked: "n")
    private static let author = Key(unchecked: "author")
    private static let text = Key(unchecked: "text")
}

// MARK: - Receiving

extension AppendLoad {
    private mutating func receiveAnswers(at index: Int, since start: UInt64) throws(CommandError) {
        for frame in try AppendLoad.frames(at: connections[index].socket) {
            let time = monotonicNanoseconds()
            for case .message(let answer) in frame.messages(of: NodeMessage.self) {
                try handle(answer, at: index, time)
            }
            result.acknowledgedSeconds = Double(time - start) / 1e9
        }
    }

    private mutating func handle(
        _ answer: NodeMessage, at index: Int, _ time: UInt64
    ) throws(CommandError) {
        switch answer {
        case .ready(_, _, let wall, let clock, _):
            connections[index].unacknowledged -= 1
            connections[index].clock.follow(wallMilliseconds: wall, at: time / 1_000_000)
            connections[index].clock.observe(clock)
        // A node says `ok` under the id 0 to a client that has waited for a second.
        case .ok(let id) where id > 0:
            connections[index].unacknowledged -= 1
            acknowledged += 1
            result.acknowledgements.add(
                nanoseconds: time - sentNanoseconds[Int(id) - 1], at: time)
        case .seen(let clock, _): connections[index].clock.observe(clock)
        case .error(_, _, let problem, let fix): throw CommandError(.denied, problem, fix: fix)
        default: break
        }
    }

    private mutating func receiveEvents(
        at listener: NodeSocket, since start: UInt64
    ) throws(CommandError) {
        for frame in try AppendLoad.frames(at: listener) {
            let time = monotonicNanoseconds()
            for case .message(.change(_, let writes)) in frame.messages(of: NodeMessage.self) {
                for write in writes { record(write, at: time) }
            }
            result.deliveredSeconds = Double(time - start) / 1e9
        }
    }

    private static func frames(at socket: NodeSocket) throws(CommandError) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        guard socket.receive({ frames.append($0) }) else {
            throw CommandError(
                .unavailable, "a node closed a connection",
                fix: "look at the logs of the nodes with `hearth cluster logs`")
        }
        return frames
    }

    private mutating func record(_ write: Write, at time: UInt64) {
        guard write.path.isRoot else { return takeRecord(write.value, at: time) }
        // The whole list: empty when the listen begins, then once with the first record.
        if write.value.isNull { listening += 1 }
        for (_, record) in write.value.children { takeRecord(record, at: time) }
    }

    private mutating func takeRecord(_ record: Value, at time: UInt64) {
        guard case .integer(let number) = record[AppendLoad.number] else { return }
        delivered += 1
        result.events.add(nanoseconds: time - sentNanoseconds[Int(number)], at: time)
    }
}
