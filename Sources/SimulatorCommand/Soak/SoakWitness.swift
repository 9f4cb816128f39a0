internal import ClientConnection
internal import ClientCore
internal import ClusterSimulator
internal import CommandLineKit
internal import DataTree
internal import EventLoop
internal import LoadTools
internal import Randomness
internal import ReplicaCore
internal import SyncProtocol
internal import Threads

/// A client of a soak whose every request is judged by the simulator's checks: it sends one request after
/// the other, moves between nodes, and records the numbers of its requests.
final class SoakWitness: SoakWorker {
    private struct State: Sendable {
        var finished: [RecordedOperation] = []
        var open: RecordedOperation?
        var isAsking = true
        /// When the next request may begin.
        var next: UInt64 = 0
        /// The writer of its stamps.
        var writer: WriterID?
        /// The requests that it sends instead of a soak's requests.
        var requests: RealRequests?
        /// Each has a number of its own among those of all witnesses.
        var connection: Int
        var session = 0
        var random: SplitMix64
        var keys = PushIDGenerator()

        mutating func receive(_ message: ClientMessage) {
            if case .hello(let hello) = message.request, hello.seen.entries.isEmpty { session += 1 }
            guard let number = message.requestID else { return }
            writer = message.stamp?.writer ?? writer
            open?.requests.append((connection, number))
        }
    }

    private static let connectionsLimit = 1_000_000

    private let index: Int
    private let count: Int
    private let pace: UInt64
    private let connection: Connection
    private let state: Monitor<State>

    /// - Parameters:
    ///   - count: The number of witnesses.
    ///   - addresses: Where it reaches the nodes, in their order.
    ///   - pace: From the beginning of one request to that of the next, in microseconds, at least.
    ///   - requests: What it asks; nil for the requests of a soak.
    init(
        _ index: Int, of count: Int, at addresses: [String], seed: UInt64, pace: UInt64,
        asking requests: RealRequests? = nil
    ) throws(CommandError) {
        self.index = index
        self.count = count
        self.pace = pace
        let state = Monitor(
            State(
                requests: requests, connection: index * SoakWitness.connectionsLimit,
                random: SplitMix64(seed: seed)))
        self.state = state
        let shift = index % addresses.count
        let tap = ConnectionTap(
            connects: { state.withLock { $0.connection += 1 } },
            sends: { frame in
                guard let messages = try? FrameReader<ClientMessage>.messages(in: frame) else {
                    return
                }
                state.withLock { state in
                    for case .message(let message) in messages { state.receive(message) }
                }
            })
        do throws(HearthError) {
            connection = try Connection(
                nodes: Array(addresses[shift...] + addresses[..<shift]), tap: tap)
        } catch {
            throw CommandError(error)
        }
    }

    /// All its requests and their outcomes; and the writer of its stamps.
    var testimony: (operations: [RecordedOperation], writer: WriterID?) {
        state.withLock { state in
            (state.finished + [state.open].compactMap { $0 }, state.writer)
        }
    }

    /// Leaves its node, even with an open request.
    func move() { connection.leaveNode() }

    /// Adds a request that a scenario names; it comes next.
    func add(_ request: RealRequest) { state.withLock { $0.requests?.add(request) } }

    /// Sends the next request if it is due; called several times a second.
    func work() {
        guard let (request, concern) = beginNext() else { return }
        connection.send(request, concern: concern) { [self] result in
            let now = SoakClock.microseconds
            state.withLock { state in
                guard var operation = state.open else { return }
                operation.completed = now
                operation.session = state.session
                operation.outcome = RecordedOperation.Outcome(result, wanted: concern)
                state.finished.append(operation)
                state.open = nil
                state.requests?.finish(reading: try? result.get().value)
            }
        }
    }

    /// Sends no more requests, and waits for the answer.
    func finish(within limit: Duration) {
        state.withLock { $0.isAsking = false }
        let deadline = ContinuousClock.now + limit
        while state.withLock({ $0.open != nil }), ContinuousClock.now < deadline {
            pause(milliseconds: 20)
        }
        connection.close()
    }

    // MARK: Requests

    private func beginNext() -> (Request.Work, WriteConcern?)? {
        let now = SoakClock.microseconds
        return state.withLock { state in
            guard state.isAsking, state.open == nil, now >= state.next else { return nil }
            if state.requests != nil {
                guard
                    let (work, concern) = state.requests?.next(
                        keyMilliseconds: Loop.wallClockMilliseconds)
                else { return nil }
                state.next = now + pace
                state.open = RecordedOperation(client: index, work, invoked: now)
                return (work.request, concern)
            }
            state.next = now + pace
            let work = nextWork(&state)
            state.open = RecordedOperation(client: index, work, invoked: now)
            if case .get = work { return (work.request, nil) }
            return (work.request, state.random.next() % 2 == 0 ? .majority : nil)
        }
    }

    private func nextWork(_ state: inout State) -> RecordedOperation.Work {
        let number = Value.integer(Int64(state.finished.count + 1))
        let other = Int(state.random.next() % UInt64(count))
        switch state.random.next() % 20 {
        case 0..<8:
            let list = WitnessPlaces.list(Int(state.random.next() % 4))
            let key = state.keys.next(at: Loop.wallClockMilliseconds, random: &state.random)
            let value = Value.object(named: [
                ("client", .integer(Int64(index))), ("number", number),
            ])
            return .push(list: list, key: key, value: value)
        case 8..<11: return .increment(counter: WitnessPlaces.counter, by: 1)
        case 11..<13: return .write(WitnessPlaces.own(other), [Write(path: .root, value: number)])
        case 13: return .write(WitnessPlaces.own(other), [Write(path: .root, value: .null)])
        case 14..<16:
            let writes = WitnessPlaces.sides.map { Write(path: Path([$0]), value: number) }
            return .write(WitnessPlaces.pair(other), writes)
        case 16..<18: return .get(WitnessPlaces.own(other))
        default: return .get(WitnessPlaces.pair(other))
        }
    }
}

/// The locations that witnesses write and read.
enum WitnessPlaces {
    private static let root = Path([Key(unchecked: "witness")])
    static let counter = root.appending(Key(unchecked: "counter"))
    static let sides = [Key(unchecked: "a"), Key(unchecked: "b")]

    static func list(_ number: Int) -> Path { place("lists", number) }
    static func own(_ client: Int) -> Path { place("own", client) }
    static func pair(_ client: Int) -> Path { place("pairs", client) }

    private static func place(_ name: String, _ number: Int) -> Path {
        root.appending(Key(unchecked: name)).appending(Key(unchecked: "w\(number)"))
    }
}

extension RecordedOperation.Work {
    fileprivate var request: Request.Work {
        switch self {
        case .push(let list, let key, let value): .put(list.appending(key), value)
        case .increment(let counter, let delta):
            .put(counter, .deferred(.increment(.integer(delta))))
        case .write(let path, let writes) where writes.count == 1 && writes[0].path.isRoot:
            .put(path, writes[0].value)
        case .write(let path, let writes): .merge(path, writes)
        case .get(let path): .get(path)
        }
    }
}

extension RecordedOperation.Outcome {
    fileprivate init(_ result: Result<Answer, HearthError>, wanted: WriteConcern?) {
        switch result {
        case .success(.value(let value)): self = .acknowledged(value, acknowledgedAt: nil)
        case .success: self = .acknowledged(nil, acknowledgedAt: wanted)
        case .failure(let error):
            switch error.effect {
            case .none: self = .failed
            case .unknown: self = .unknown
            // Done, on fewer nodes than its concern asks for.
            case .done: self = .acknowledged(nil, acknowledgedAt: nil)
            }
        }
    }
}

extension Answer {
    /// The result of a read.
    fileprivate var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}
