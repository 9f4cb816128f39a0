internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import SyncProtocol

/// Writers that add records to one list at a fixed pace all together, and many listeners to that list, on one thread.
///
/// Each record carries its number, so that its acknowledgement and its events can be timed.
struct FanoutLoad {
    private(set) var acknowledgements = Latencies()
    /// From the write to its event, each of all listeners.
    private(set) var events = Latencies()
    private let writers: [NodeSocket]
    private let listeners: [LoadListener]
    private var readers: [RecordReader]
    private let list: Path
    /// Returns the record of a number, without the number.
    private let record: (Int) -> Children
    private let poll: LoadPoll
    private var keys = PushIDGenerator()
    private var random = SystemRandomNumberGenerator()
    private var sentNanoseconds: [UInt64] = []
    private var refusal: CommandError?

    private static let patienceSeconds: UInt64 = 20

    /// - Parameter pools: Listeners that are connected.
    init(
        _ pools: [ListenerPool], writers: [NodeSocket], to list: Path,
        record: @escaping (Int) -> Children
    ) throws(CommandError) {
        guard pools.allSatisfy({ $0.refused == 0 }) else {
            throw FanoutLoad.failure("a node closed a connection")
        }
        self.writers = writers
        self.list = list
        self.record = record
        listeners = pools.flatMap(\.listeners)
        readers = pools.flatMap { pool in
            pool.listeners.map { _ in RecordReader(pool.listenProtocol) }
        }
        let sockets = writers.map(\.descriptor) + listeners.map(\.descriptor)
        poll = LoadPoll(capacity: min(sockets.count, 4_096))
        for (index, socket) in sockets.enumerated() { poll.add(socket, as: index) }
    }

    /// Writes so many records, waits for all events, and returns the seconds that this took.
    mutating func write(_ writes: Int, perSecond rate: Int) throws(CommandError) -> Double {
        let start = monotonicNanoseconds()
        let total = writes * listeners.count
        try receive { load in
            let microseconds = (monotonicNanoseconds() - start) / 1000
            let due = microseconds * UInt64(rate) / 1_000_000
            while load.sentNanoseconds.count < min(writes, Int(due) + 1) { load.write() }
            return load.events.count >= total && load.acknowledgements.count == writes
        }
        return Double(monotonicNanoseconds() - start) / 1e9
    }

    private mutating func write() {
        let number = sentNanoseconds.count
        var record = record(number)
        record[RecordReader.number] = .integer(Int64(number))
        let key = keys.next(at: wallMilliseconds(), random: &random)
        var frame = FrameWriter()
        frame.append(
            ClientMessage.put(
                id: UInt64(number) + 1, path: list.appending(key), value: Value(record)))
        sentNanoseconds.append(monotonicNanoseconds())
        writers[number % writers.count].send(frame.bytes)
    }

    private mutating func receive(
        until isDone: (inout FanoutLoad) -> Bool
    ) throws(CommandError) {
        var lastProgress = monotonicNanoseconds()
        while !isDone(&self) {
            try StopRequest.check()
            let before = events.count + acknowledgements.count
            try poll.wait(milliseconds: 1) { (index) throws(CommandError) in
                if !receive(at: index) { throw FanoutLoad.failure("a node closed a connection") }
            }
            if let refusal { throw refusal }
            if before != events.count + acknowledgements.count {
                lastProgress = monotonicNanoseconds()
            } else if monotonicNanoseconds() - lastProgress > FanoutLoad.patienceSeconds << 30 {
                throw FanoutLoad.failure("no progress after \(events.count) events")
            }
        }
    }

    /// Receives what has arrived at a writer or at a listener; false once the connection is closed.
    private mutating func receive(at index: Int) -> Bool {
        let time = monotonicNanoseconds()
        if index < writers.count { return writers[index].receive { receiveAnswers($0, at: time) } }
        let listener = listeners[index - writers.count]
        listener.advance { bytes in
            readers[index - writers.count].read(bytes) { number in
                events.add(nanoseconds: time - sentNanoseconds[number], at: time)
            }
        }
        return listener.state == .listening
    }

    private mutating func receiveAnswers(_ frame: [UInt8], at time: UInt64) {
        for case .message(let answer) in frame.messages(of: NodeMessage.self) {
            switch answer {
            case .ok(let id) where id > 0 && id <= sentNanoseconds.count:
                acknowledgements.add(nanoseconds: time - sentNanoseconds[Int(id) - 1], at: time)
            case .error(_, _, let problem, let fix):
                refusal = CommandError(.denied, problem, fix: fix)
            default: break
            }
        }
    }

    private static func failure(_ problem: String) -> CommandError {
        CommandError(
            .unavailable, problem, fix: "look at the logs of the nodes with `hearth cluster logs`")
    }
}
