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

    func run(
        on cluster: TemporaryCluster, durability: String
    ) throws(CommandError) -> Measurement {
        var load = try FanoutLoad(self, to: cluster.addresses[0])
        try load.listen()
        let before = ProcessUsage.total(of: cluster.processes)
        let seconds = try load.run()
        let after = ProcessUsage.total(of: cluster.processes)
        let deliveries = Double(writes * subscribers)
        return Measurement(
            durability: durability, subscribers: subscribers,
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
    private var listeners: [NodeSocket] = []
    private let poll: LoadPoll
    private var keys = PushIDGenerator()
    private var random = SystemRandomNumberGenerator()
    private var sentNanoseconds: [UInt64] = []
    private var listening = 0
    private var acknowledged = 0
    private var delivered = 0

    private static let list = Path([Key(unchecked: "bench"), Key(unchecked: "fanout")])
    private static let number = Key(unchecked: "n")
    private static let text = Key(unchecked: "text")
    private static let patienceSeconds: UInt64 = 20

    init(_ benchmark: FanoutBenchmark, to node: String) throws(CommandError) {
        self.benchmark = benchmark
        writer = try NodeSocket(loading: node)
        for _ in 0..<benchmark.subscribers { listeners.append(try NodeSocket(loading: node)) }
        poll = LoadPoll(capacity: benchmark.subscribers + 1)
        for (index, connection) in ([writer] + listeners).enumerated() {
            poll.add(connection, as: index)
        }
    }

    mutating func listen() throws(CommandError) {
        var frame = FrameWriter()
        frame.append(ClientMessage.listen(id: 1, path: FanoutLoad.list))
        for listener in listeners { listener.send(frame.bytes) }
        try receive { $0.listening == $0.listeners.count }
    }

    /// Writes all, waits for all events, and returns how long that took.
    mutating func run() throws(CommandError) -> Double {
        let start = monotonicNanoseconds()
        let total = benchmark.writes * listeners.count
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
        record[FanoutLoad.number] = .integer(Int64(number))
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
            let before = delivered + acknowledged + listening
            try poll.wait(milliseconds: 1) { (index) throws(CommandError) in
                let connection = index == 0 ? writer : listeners[index - 1]
                let isOpen = connection.receive { receive($0) }
                if !isOpen { throw FanoutLoad.failure("a node closed a connection") }
            }
            if before != delivered + acknowledged + listening {
                lastProgress = monotonicNanoseconds()
            } else if monotonicNanoseconds() - lastProgress > FanoutLoad.patienceSeconds << 30 {
                throw FanoutLoad.failure("no progress after \(delivered) events")
            }
        }
    }

    private mutating func receive(_ frame: [UInt8]) {
        let time = monotonicNanoseconds()
        for case .message(let message) in frame.messages(of: NodeMessage.self) {
            switch message {
            case .ok(let id) where id > 0 && id <= sentNanoseconds.count:
                acknowledged += 1
                acknowledgements.add(
                    nanoseconds: time - sentNanoseconds[Int(id) - 1], at: time)
            case .change(_, let writes):
                for write in writes { record(write, at: time) }
            default: break
            }
        }
    }

    private mutating func record(_ write: Write, at time: UInt64) {
        guard !write.path.isRoot || sentNanoseconds.count > 0 else {
            listening += 1
            return
        }
        // The first record is the whole list by then.
        let records = write.path.isRoot ? write.value.children.map(\.value) : [write.value]
        for record in records {
            guard case .integer(let number) = record[FanoutLoad.number] else { continue }
            delivered += 1
            events.add(nanoseconds: time - sentNanoseconds[Int(number)], at: time)
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
