internal import ClientConnection
internal import ClientCore
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import EventLoop
internal import LoadTools
internal import Randomness
internal import ReplicaCore
internal import SyncProtocol
internal import Threads

/// A client of a soak: writes, a bounded number at a time.
///
/// One half of the clients moves to another node now and then with open writes, which it repeats there; it
/// writes with the concern `majority`, and reads, too. The other half stays with one node, so that it is known
/// whose disk alone may have an acknowledged write.
final class SoakClient: SoakWorker {
    private struct State: Sendable {
        var records: [SoakRecord] = []
        var reads: [SoakRead] = []
        var open = 0
        var isPushing = true
        var random: SplitMix64
        var keys = PushIDGenerator()
    }

    private static let window = 16
    /// A client that moves reads once for this many writes.
    private static let writesForARead = 8

    private let index: Int
    /// The node of a client that stays.
    private let node: String?
    private let connection: Connection
    private let start: ContinuousClock.Instant
    private let state: Monitor<State>

    init(
        _ index: Int, of nodes: [Cluster.Node], seed: UInt64, since start: ContinuousClock.Instant
    ) throws(CommandError) {
        self.index = index
        self.start = start
        state = Monitor(State(random: SplitMix64(seed: seed)))
        let shift = index % nodes.count
        let order = nodes[shift...] + nodes[..<shift]
        node = index.isMultiple(of: 2) ? nil : nodes[shift].id
        do throws(HearthError) {
            connection = try Connection(
                nodes: order.prefix(node == nil ? nodes.count : 1).map(\.client))
        } catch {
            throw CommandError(error)
        }
    }

    var records: [SoakRecord] { state.withLock { $0.records } }
    var reads: [SoakRead] { state.withLock { $0.reads } }

    /// Leaves its node, even with open requests; a client that stays connects to it again.
    func move() { connection.leaveNode() }

    /// Sends as many writes as there is room for; called several times a second.
    func work() {
        while let record = beginNext() {
            let (path, value) = record.writes
            let concern: WriteConcern = node == nil ? .majority : .local
            connection.send(.put(path, value), concern: concern) { [self] result in
                let now = milliseconds
                state.withLock { state in
                    state.open -= 1
                    state.records[record.number].complete(result, at: now)
                }
            }
            if node == nil, record.number.isMultiple(of: SoakClient.writesForARead) { read() }
        }
    }

    /// Reads the place that only this client writes.
    private func read() {
        let invoked = milliseconds
        state.withLock { $0.open += 1 }
        connection.send(.get(SoakPlaces.own(index))) { [self] result in
            let now = milliseconds
            state.withLock { state in
                state.open -= 1
                guard case .success(.value(let value)) = result else { return }
                state.reads.append(
                    SoakRead(
                        client: index, invokedMilliseconds: invoked, completedMilliseconds: now,
                        found: value.number.map { Int($0.asDouble) }))
            }
        }
    }

    /// Sends no more writes, and waits for the answers.
    func finish(within limit: Duration) {
        state.withLock { $0.isPushing = false }
        let deadline = ContinuousClock.now + limit
        while state.withLock({ $0.open }) > 0, ContinuousClock.now < deadline {
            pause(milliseconds: 20)
        }
        connection.close()
    }

    private var milliseconds: Int { Int(start.duration(to: .now) / .milliseconds(1)) }

    private func beginNext() -> SoakRecord? {
        let now = milliseconds
        return state.withLock { state in
            guard state.isPushing, state.open < SoakClient.window else { return nil }
            state.open += 1
            let record = SoakRecord(
                client: index, node: node, number: state.records.count, work: nextWork(&state),
                invokedMilliseconds: now)
            state.records.append(record)
            return record
        }
    }

    private func nextWork(_ state: inout State) -> SoakRecord.Work {
        switch state.random.next() % 10 {
        case 0: return .increment
        case 1: return .set
        case 2: return .pair
        default:
            return .push(state.keys.next(at: Loop.wallClockMilliseconds, random: &state.random))
        }
    }
}
