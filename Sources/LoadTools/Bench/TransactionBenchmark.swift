internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import SyncProtocol

/// Clients at all three nodes increment counters by conditional puts: each reads a counter, and puts one more if
/// the value is unchanged.
struct TransactionBenchmark {
    /// How many clients raise how many counters.
    struct Work: Sendable {
        var name: String
        var clients: Int
        var counters: Int
    }

    struct Measurement {
        var work: Work
        var durability: String
        var committedPerSecond: Double
        /// Puts that were refused because another one came first, for each committed one.
        var refusedPerCommit: Double
        /// From the first put of a client to the answer that it is committed.
        var commits: Latencies
        var serverMicrosecondsPerCommit: Double
    }

    static let works = [
        Work(name: "own counter", clients: 1, counters: 1),
        Work(name: "own counters", clients: 8, counters: 8),
        Work(name: "own counters", clients: 64, counters: 64),
        Work(name: "one counter", clients: 8, counters: 1),
    ]

    let transactions: Int
    let durability: String

    /// Waits until there is a coordinator, increments the counters, and checks that no increment was lost.
    func run(
        _ work: Work, on cluster: TemporaryCluster
    ) throws(CommandError) -> Measurement {
        let first = try Counting(at: cluster.addresses[0], counter: "warm-up")
        try count(1, over: [first])
        var clients: [Counting] = []
        for number in 0..<work.clients {
            let address = cluster.addresses[number % cluster.addresses.count]
            clients.append(try Counting(at: address, counter: "\(number % work.counters)"))
        }
        let before = ProcessUsage.total(of: cluster.processes)
        let start = monotonicNanoseconds()
        try count(transactions, over: clients)
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        let after = ProcessUsage.total(of: cluster.processes)
        let committed = clients.reduce(0) { $0 + $1.commits.count }
        try checkSum(committed, of: work, at: cluster.addresses[2])
        var commits = Latencies()
        for client in clients { commits.add(client.commits) }
        return Measurement(
            work: work, durability: durability, committedPerSecond: Double(committed) / seconds,
            refusedPerCommit: Double(clients.reduce(0) { $0 + $1.refused }) / Double(committed),
            commits: commits,
            serverMicrosecondsPerCommit: (after.cpuSeconds - before.cpuSeconds)
                / Double(committed) * 1e6)
    }

    /// Runs clients until `count` puts are committed; each finishes the one that it has begun.
    private func count(_ goal: Int, over clients: [Counting]) throws(CommandError) {
        let poll = LoadPoll(capacity: clients.count)
        for (index, client) in clients.enumerated() {
            poll.add(client.connection.descriptor, as: index)
            client.begin()
        }
        var open = clients.count
        var committed = 0
        while open > 0 {
            try StopRequest.check()
            try poll.wait(milliseconds: 1_000) { (index) throws(CommandError) in
                let before = clients[index].commits.count
                try clients[index].takeAnswers()
                let done = clients[index].commits.count - before
                committed += done
                guard done > 0 else { return }
                if committed + open <= goal { clients[index].begin() } else { open -= 1 }
            }
        }
    }

    /// Checks that another node shows all increments.
    private func checkSum(
        _ committed: Int, of work: Work, at address: String
    ) throws(CommandError) {
        var sum: Int64 = 0
        for number in 0..<work.counters {
            sum += try Counting(at: address, counter: "\(number)").read()
        }
        // A node may be a moment behind the two that hold a transaction.
        if sum == committed { return }
        guard sum < committed else { throw lost(committed, sum) }
        let deadline = monotonicNanoseconds() + 5_000_000_000
        while sum < committed, monotonicNanoseconds() < deadline {
            sum = 0
            for number in 0..<work.counters {
                sum += try Counting(at: address, counter: "\(number)").read()
            }
        }
        if sum != committed { throw lost(committed, sum) }
    }

    private func lost(_ committed: Int, _ sum: Int64) -> CommandError {
        CommandError(
            .checkFailed, "the counters show \(sum) after \(committed) transactions",
            fix: "report this with the logs of the nodes (`hearth cluster logs`)")
    }
}

/// One client of one counter, with one open request.
private final class Counting {
    let connection: NodeSocket
    private(set) var commits = Latencies()
    private(set) var refused = 0
    private let path: Path
    private var value: Int64 = 0
    private var startNanoseconds: UInt64 = 0
    private var frame = FrameWriter()

    init(at node: String, counter: String) throws(CommandError) {
        connection = try NodeSocket(loading: node)
        path = Path([Key(unchecked: "bench"), Key(unchecked: "counter-" + counter)])
    }

    /// Begins a transaction with the value that this client knows.
    func begin() {
        startNanoseconds = monotonicNanoseconds()
        put()
    }

    /// The value of the counter.
    func read() throws(CommandError) -> Int64 {
        ask(.get(id: 1, path: path))
        var isAnswered = false
        while !isAnswered {
            try StopRequest.check()
            try receive { (message) throws(CommandError) in
                self.receive(value: message)
                isAnswered = true
            }
        }
        return value
    }

    /// Handles the answers of nodes.
    func takeAnswers() throws(CommandError) {
        try receive { (message) throws(CommandError) in
            switch message {
            case .value:
                self.receive(value: message)
                self.put()
            case .ok(let id) where id > 0:
                self.value += 1
                let time = monotonicNanoseconds()
                self.commits.add(nanoseconds: time - self.startNanoseconds, at: time)
            case .error(_, .changed, _, _):
                self.refused += 1
                self.ask(.get(id: 1, path: self.path))
            case .error(_, _, let problem, let fix):
                throw CommandError(.unavailable, problem, fix: fix)
            default: break
            }
        }
    }

    private func receive(value message: NodeMessage) {
        value = 0
        if case .value(_, let value) = message, case .integer(let number) = value.content {
            self.value = number
        }
    }

    private func put() {
        let old: Value = value == 0 ? .null : .integer(value)
        ask(
            .put(
                id: 1, path: path, value: .integer(value + 1),
                condition: Condition(DataHash(of: old), patienceMilliseconds: 20_000)))
    }

    private func ask(_ message: ClientMessage) {
        frame.removeAll()
        frame.append(message)
        connection.send(frame.bytes)
    }

    private func receive(
        _ take: (NodeMessage) throws(CommandError) -> Void
    ) throws(CommandError) {
        var frames: [[UInt8]] = []
        guard connection.receive({ frames.append($0) }) else {
            throw CommandError(
                .unavailable, "a node closed a connection",
                fix: "look at the logs of the nodes with `hearth cluster logs`")
        }
        for frame in frames {
            let messages = (try? FrameReader<NodeMessage>.messages(in: frame)) ?? []
            for case .message(let message) in messages { try take(message) }
        }
    }
}
