internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import QueryEngine
internal import Randomness
internal import SyncProtocol

/// The work W4: one list of a million records at one node, of which several connections ask for a hundred
/// at a time, each waiting for its answer.
struct QueryBenchmark {
    enum Work: String, CaseIterable {
        case lastByKey = "last 100 by key"
        case rangeOfField = "100 with field >= x"
    }

    struct Measurement {
        var work: Work
        var clients: Int
        var queriesPerSecond: Double
        var answers: Latencies
        /// The first query, which builds its index.
        var firstMilliseconds: Double
        var serverMicrosecondsPerQuery: Double
        var peakMegabytes: Double
    }

    let records: Int
    let queries: Int
    let clients = 8

    private static let list = Path([Key(unchecked: "bench"), Key(unchecked: "records")])
    private static let shown = 100
    private static let scores = 1_000_000

    /// Fills the list.
    func load(_ cluster: TemporaryCluster) throws(CommandError) {
        var random = SplitMix64(seed: 1)
        try BulkLoad(list: QueryBenchmark.list, records: records).run(at: cluster.addresses[0]) {
            record($0, &random)
        }
    }

    private func record(_ number: Int, _ random: inout SplitMix64) -> Value {
        var record = Children()
        record[Key(unchecked: "author")] = .string("client-\(number % 8)")
        record[Key(unchecked: "score")] = .integer(
            Int64.random(in: 0..<Int64(QueryBenchmark.scores), using: &random))
        record[Key(unchecked: "text")] = .string("a message of the length that people type")
        return Value(record)
    }

    func run(_ work: Work, on cluster: TemporaryCluster) throws(CommandError) -> Measurement {
        var connections: [QueryConnection] = []
        for _ in 0..<clients {
            connections.append(try QueryConnection(to: cluster.addresses[0]))
        }
        var random = SplitMix64(seed: 2)
        let first = monotonicNanoseconds()
        connections[0].ask(try query(of: work, &random))
        try connections[0].wait()
        let firstMilliseconds = Double(monotonicNanoseconds() - first) / 1e6

        let before = ProcessUsage.total(of: cluster.processes)
        let start = monotonicNanoseconds()
        let answers = try ask(work, over: connections, &random)
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        let after = ProcessUsage.total(of: cluster.processes)
        return Measurement(
            work: work, clients: clients, queriesPerSecond: Double(queries) / seconds,
            answers: answers, firstMilliseconds: firstMilliseconds,
            serverMicrosecondsPerQuery: (after.cpuSeconds - before.cpuSeconds)
                / Double(queries) * 1e6, peakMegabytes: after.peakMegabytes)
    }

    /// Keeps one query of each connection under way, until enough are answered.
    private func ask(
        _ work: Work, over connections: [QueryConnection], _ random: inout SplitMix64
    ) throws(CommandError) -> Latencies {
        let poll = LoadPoll(capacity: connections.count)
        var answers = Latencies()
        var asked = 0
        for (index, connection) in connections.enumerated() {
            poll.add(connection.connection.descriptor, as: index)
            connection.ask(try query(of: work, &random))
            asked += 1
        }
        while answers.count < queries {
            try StopRequest.check()
            try poll.wait(milliseconds: 1_000) { (index) throws(CommandError) in
                guard let answer = try connections[index].answer() else { return }
                answers.add(nanoseconds: answer.nanoseconds, at: monotonicNanoseconds())
                try check(answer.count)
                guard asked < queries else { return }
                connections[index].ask(try query(of: work, &random))
                asked += 1
            }
        }
        return answers
    }

    private func query(
        of work: Work, _ random: inout SplitMix64
    ) throws(CommandError) -> ClientMessage {
        do throws(DataError) {
            switch work {
            case .lastByKey:
                let query = try Query().orderedByKey().limited(toLast: QueryBenchmark.shown)
                return .get(id: 1, path: QueryBenchmark.list, query: query)
            case .rangeOfField:
                // Enough scores lie above to fill the range.
                let score = Int64.random(
                    in: 0..<Int64(QueryBenchmark.scores * 9 / 10), using: &random)
                let query = try Query().ordered(byChild: "score").starting(at: .integer(score))
                    .limited(toFirst: QueryBenchmark.shown)
                return .get(id: 1, path: QueryBenchmark.list, query: query)
            }
        } catch {
            throw CommandError(error)
        }
    }

    private func check(_ count: Int) throws(CommandError) {
        guard count != min(QueryBenchmark.shown, records) else { return }
        throw CommandError(
            .unavailable, "a query was answered by \(count) records, not \(QueryBenchmark.shown)",
            fix: "look at the logs of the nodes with `hearth cluster logs`")
    }
}

/// One connection with one open request.
private final class QueryConnection {
    let connection: NodeSocket
    private var askedNanoseconds: UInt64 = 0
    private var frame = FrameWriter()

    init(to node: String) throws(CommandError) { connection = try NodeSocket(loading: node) }

    func ask(_ message: ClientMessage) {
        frame.removeAll()
        frame.append(message)
        askedNanoseconds = monotonicNanoseconds()
        connection.send(frame.bytes)
    }

    /// The time that an answer took and the number of records in it, once it is there.
    func answer() throws(CommandError) -> (nanoseconds: UInt64, count: Int)? {
        var answer: (nanoseconds: UInt64, count: Int)?
        let isOpen = connection.receive { frame in
            let count = frame.withUnsafeBytes { QueryConnection.count(in: $0) }
            answer = (monotonicNanoseconds() - askedNanoseconds, count)
        }
        guard isOpen else {
            throw CommandError(
                .unavailable, "a node closed a connection",
                fix: "look at the logs of the nodes with `hearth cluster logs`")
        }
        return answer
    }

    /// Waits for an answer.
    func wait() throws(CommandError) {
        while try answer() == nil {
            try StopRequest.check()
            sched_yield()
        }
    }

    /// The members of the object that a `value` message holds: to read them all would cost more than
    /// to send them.
    private static func count(in frame: UnsafeRawBufferPointer) -> Int {
        var reader = MessagePackReader(UnsafeRawBufferPointer(rebasing: frame.dropFirst()))
        do throws(FrameError) {
            guard try reader.arrayHead("a message") == 3 else { return 0 }
            guard try reader.string("a name") == "value" else { return 0 }
            _ = try reader.unsigned("an id")
            return try reader.mapHead("an object")
        } catch {
            return 0
        }
    }
}
