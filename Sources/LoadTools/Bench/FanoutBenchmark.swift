internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import SyncProtocol

/// The work W3: one writer appends to a list at a fixed pace, and many connections listen to it, all at
/// one node of three.
struct FanoutBenchmark {
    struct Measurement {
        var durability: String
        var listenProtocol: ListenProtocol
        var subscribers: Int
        var writesPerSecond: Double
        var deliveriesPerSecond: Double
        var acknowledgements: Latencies
        /// From the write to its event, each of all listeners.
        var events: Latencies
        /// Processor time of all three nodes for a delivery.
        var microsecondsPerDelivery: Double
        var peakMegabytes: Double
    }

    let subscribers: Int
    let writes: Int
    let writesPerSecond: Int
    let listenProtocol: ListenProtocol

    func run(durability: String) throws(CommandError) -> Measurement {
        try ListenerPool.allow(subscribers)
        return try TemporaryCluster.with(
            3, durability: durability,
            settings: ListenerPool.settings(forConnections: subscribers)
        ) { (cluster) throws(CommandError) in
            try run(on: cluster, durability: durability)
        }
    }

    private func run(
        on cluster: TemporaryCluster, durability: String
    ) throws(CommandError) -> Measurement {
        var load = try FanoutLoad(self, to: cluster.addresses[0])
        let before = ProcessUsage.total(of: cluster.processes)
        let seconds = try load.run()
        let after = ProcessUsage.total(of: cluster.processes)
        let deliveries = Double(writes * subscribers)
        return Measurement(
            durability: durability, listenProtocol: listenProtocol, subscribers: subscribers,
            writesPerSecond: Double(writes) / seconds,
            deliveriesPerSecond: deliveries / seconds, acknowledgements: load.acknowledgements,
            events: load.events,
            microsecondsPerDelivery: (after.cpuSeconds - before.cpuSeconds) / deliveries * 1e6,
            peakMegabytes: after.peakMegabytes)
    }
}

/// The writer and the listeners of a `FanoutBenchmark`, on one thread.
private struct FanoutLoad {
    private(set) var acknowledgements = Latencies()
    private(set) var events = Latencies()
    private let benchmark: FanoutBenchmark
    private let writer: NodeSocket
    private var pool: ListenerPool
    private var readers: [RecordReader]
    private let poll: LoadPoll
    private var keys = PushIDGenerator()
    private var random = SystemRandomNumberGenerator()
    private var sentNanoseconds: [UInt64] = []
    private var acknowledged = 0
    private var delivered = 0

    private static let list = Path([Key(unchecked: "bench"), Key(unchecked: "fanout")])
    private static let text = Key(unchecked: "text")
    private static let patienceSeconds: UInt64 = 20

    /// Connects all listeners, and returns once they listen.
    init(_ benchmark: FanoutBenchmark, to node: String) throws(CommandError) {
        self.benchmark = benchmark
        writer = try NodeSocket(loading: node)
        pool = ListenerPool(at: node, path: FanoutLoad.list, by: benchmark.listenProtocol)
        _ = try pool.connect(benchmark.subscribers)
        guard pool.refused == 0 else { throw FanoutLoad.failure("a node closed a connection") }
        readers = Array(
            repeating: RecordReader(benchmark.listenProtocol), count: benchmark.subscribers)
        poll = LoadPoll(capacity: min(benchmark.subscribers + 1, 4_096))
        for (index, listener) in pool.listeners.enumerated() {
            poll.add(listener.descriptor, as: index + 1)
        }
        poll.add(writer.descriptor, as: 0)
    }

    /// Writes all, waits for all events, and returns how long that took.
    mutating func run() throws(CommandError) -> Double {
        let start = monotonicNanoseconds()
        let total = benchmark.writes * benchmark.subscribers
        try receive { load in
            let due =
                (monotonicNanoseconds() - start) / 1000
                * UInt64(load.benchmark.writesPerSecond) / 1_000_000
            while load.sentNanoseconds.count < min(load.benchmark.writes, Int(due) + 1) {
                load.write()
            }
            return load.delivered == total && load.acknowledged == load.benchmark.writes
        }
        return Double(monotonicNanoseconds() - start) / 1e9
    }

    private mutating func write() {
        let number = sentNanoseconds.count
        var record = Children()
        record[RecordReader.number] = .integer(Int64(number))
        record[FanoutLoad.text] = .string(
            "a message of the length that people type into a chat, most of the time and some more")
        let key = keys.next(at: wallMilliseconds(), random: &random)
        var frame = FrameWriter()
        frame.append(
            ClientMessage.put(
                id: UInt64(number) + 1, path: FanoutLoad.list.appending(key), value: Value(record)))
        sentNanoseconds.append(monotonicNanoseconds())
        writer.send(frame.bytes)
    }

    private mutating func receive(
        until isDone: (inout FanoutLoad) -> Bool
    ) throws(CommandError) {
        var lastProgress = monotonicNanoseconds()
        while !isDone(&self) {
            try StopRequest.check()
            let before = delivered + acknowledged
            try poll.wait(milliseconds: 1) { (index) throws(CommandError) in
                if !receive(at: index) { throw FanoutLoad.failure("a node closed a connection") }
            }
            if before != delivered + acknowledged {
                lastProgress = monotonicNanoseconds()
            } else if monotonicNanoseconds() - lastProgress > FanoutLoad.patienceSeconds << 30 {
                throw FanoutLoad.failure("no progress after \(delivered) events")
            }
        }
    }

    /// Receives what has arrived at the writer, or at a listener; false once the connection is closed.
    private mutating func receive(at index: Int) -> Bool {
        let time = monotonicNanoseconds()
        if index == 0 { return writer.receive { receiveAnswers($0, at: time) } }
        let listener = pool.listeners[index - 1]
        listener.advance { bytes in
            readers[index - 1].read(bytes) { number in
                delivered += 1
                events.add(nanoseconds: time - sentNanoseconds[number], at: time)
            }
        }
        return listener.state == .listening
    }

    private mutating func receiveAnswers(_ frame: [UInt8], at time: UInt64) {
        for case .message(.ok(let id)) in frame.messages(of: NodeMessage.self)
        where id > 0 && id <= sentNanoseconds.count {
            acknowledged += 1
            acknowledgements.add(nanoseconds: time - sentNanoseconds[Int(id) - 1], at: time)
        }
    }

    private static func failure(_ problem: String) -> CommandError {
        CommandError(
            .unavailable, problem, fix: "look at the logs of the nodes with `hearth cluster logs`")
    }
}

/// Time since some start, on a clock that never steps.
func monotonicNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Milliseconds since 1970.
func wallMilliseconds() -> UInt64 { nanoseconds(of: CLOCK_REALTIME) / 1_000_000 }

private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension [UInt8] {
    /// The messages of a frame; none if it cannot be read, which shows as missing progress.
    func messages<Message: FrameMessage>(of kind: Message.Type) -> [Received<Message>] {
        do throws(FrameError) {
            return try FrameReader<Message>.messages(in: self)
        } catch {
            return []
        }
    }
}
