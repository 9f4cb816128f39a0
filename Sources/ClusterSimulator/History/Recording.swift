import DataTree
import ReplicaCore
import Store
import SyncProtocol

/// Names an operation: its origin, and its place among the operations of that origin.
struct Dot: Hashable {
    var origin: WriterID
    var sequence: UInt64
}

extension VersionVector {
    func covers(_ dot: Dot) -> Bool { self[dot.origin] >= dot.sequence }
}

extension Dot: CustomStringConvertible {
    var description: String { "\(origin)#\(sequence)" }
}

/// The actions of nodes, turn by turn, which only a simulator can observe.
///
/// Recorded in runs of up to `operationLimit` operations, so that its size is bounded.
struct Recording {
    static let operationLimit = 2_000
    /// How far the bound on a node's disk is ahead of its clock.
    private static let boundMilliseconds: UInt64 = 3_000

    /// The observed state of a replica.
    struct ReplicaView {
        var writer: WriterID
        var vector: VersionVector
        /// Null where the tree is not recorded.
        var value = Value.null

        init(writer: WriterID, vector: VersionVector, value: Value = .null) {
            (self.writer, self.vector, self.value) = (writer, vector, value)
        }

        init(_ replica: Replica) {
            self.init(writer: replica.writer, vector: replica.vector, value: replica.value)
        }
    }

    /// The operations and the tree of a node when a process began, or after a turn that changed
    /// them.
    struct State {
        var node: Int
        var incarnation: Int
        var time: Microseconds
        var vector: VersionVector
        /// The stable time before the turn.
        var stableTime: HybridTime
        /// Null in runs that are not small.
        var value: Value
    }

    /// An operation, as its origin stored it.
    struct Issued {
        var dot: Dot
        var operation: Operation
        var node: Int
        var incarnation: Int
        var time: Microseconds
        /// The latest time that its stamp may have.
        var limitMilliseconds: UInt64
    }

    /// A process began, on the data that its predecessor left.
    struct Start {
        var node: Int
        var incarnation: Int
        var time: Microseconds
        var writer: WriterID
        /// The vector that its predecessor had announced; nil for the first process.
        var before: VersionVector?
        var vector: VersionVector
    }

    /// A process began to serve clients.
    struct Service {
        var node: Int
        var time: Microseconds
        var vector: VersionVector
    }

    /// The operations that a process has announced to its peers.
    private struct Announced {
        var writer: WriterID
        /// What it holds.
        var vector = VersionVector()
        /// How many of its own operations it has published; in some modes before it holds them.
        var published: UInt64 = 0
        var closedTimestamp: HybridTime?
    }

    /// From a time on, a node held this durably.
    struct Holding {
        var time: Microseconds
        var vector: VersionVector
    }

    /// Two batches with one origin and sequence, and different bytes.
    struct Contradiction {
        var dot: Dot
        var first: (node: Int, time: Microseconds)
        var second: (node: Int, time: Microseconds)
    }

    let isOn: Bool
    private let keepsValues: Bool
    /// By node, in order.
    private(set) var states: [[State]]
    /// By node, in order: the vectors of its disk.
    private(set) var durable: [[Holding]]
    private(set) var issued: [Issued] = []
    private(set) var announcements = Announcements()
    private(set) var starts: [Start] = []
    private(set) var services: [Service] = []
    /// When evicted nodes took the data of others in place of their own.
    private(set) var rejoins: [(node: Int, time: Microseconds)] = []
    private(set) var contradiction: Contradiction?
    /// Turns that a crash undid before their outputs left the node.
    private(set) var lost: Set<Dot> = []
    private var incarnations: [Announced?]
    private var batches: [Dot: (hash: UInt64, node: Int, time: Microseconds)] = [:]
    /// The operations with a stamp of a client: one, or one of each node that received the request.
    private var stamped: [Stamp: [Dot]] = [:]
    /// The latest time that any clock can have shown.
    private var latestMilliseconds: UInt64 = 0
    /// How far the fastest clock was ahead of the run's time: clients that saw its stamps continue from them.
    private var leadMilliseconds: UInt64 = 0
    private let leaseMilliseconds: UInt64
    /// The last term in which a transaction was decided.
    private var lastTerm: UInt64 = 0

    init(nodes: Int, isOn: Bool, keepsValues: Bool, leaseMilliseconds: UInt64 = 2_000) {
        self.leaseMilliseconds = leaseMilliseconds
        self.isOn = isOn
        self.keepsValues = keepsValues
        states = [[State]](repeating: [], count: nodes)
        durable = [[Holding]](repeating: [], count: nodes)
        incarnations = states.map { _ in nil }
    }

    // MARK: Recording

    mutating func record(
        start replica: ReplicaView, node: Int, incarnation: Int, at time: Microseconds
    ) {
        guard isOn else { return }
        starts.append(
            Start(
                node: node, incarnation: incarnation, time: time, writer: replica.writer,
                before: incarnations[node]?.vector,
                vector: replica.vector))
        if let incarnation = incarnations[node] {
            // Its stamps continue above the bound that its predecessor stored.
            latestMilliseconds += Recording.boundMilliseconds
            let held = max(replica.vector[incarnation.writer], incarnation.published)
            forgetLost(of: incarnation.writer, node: node, held: held)
        }
        incarnations[node] = Announced(writer: replica.writer)
        append(replica, node: node, incarnation: incarnation, stableTime: .zero, at: time)
    }

    private mutating func forgetLost(of writer: WriterID, node: Int, held: UInt64) {
        func isLost(_ dot: Dot) -> Bool { dot.origin == writer && dot.sequence > held }
        lost.formUnion(issued.map(\.dot).filter(isLost))
        issued.removeAll { isLost($0.dot) }
        states[node].removeAll { $0.vector[writer] > held }
    }

    /// Records the state after a turn, if the turn changed it.
    mutating func record(
        turnOf replica: ReplicaView, node: Int, incarnation: Int, stableTime: HybridTime,
        at time: Microseconds
    ) {
        guard isOn else { return }
        record(writer: replica.writer, node: node, at: time)
        guard states[node].last?.vector != replica.vector else { return }
        append(replica, node: node, incarnation: incarnation, stableTime: stableTime, at: time)
    }

    /// An evicted node rejoins as another writer.
    private mutating func record(writer: WriterID, node: Int, at time: Microseconds) {
        guard incarnations[node]?.writer != writer else { return }
        rejoins.append((node, time))
        incarnations[node] = Announced(writer: writer)
    }

    private mutating func append(
        _ replica: ReplicaView, node: Int, incarnation: Int, stableTime: HybridTime,
        at time: Microseconds
    ) {
        states[node].append(
            State(
                node: node, incarnation: incarnation, time: time, vector: replica.vector,
                stableTime: stableTime,
                value: keepsValues ? replica.value : .null))
    }

    mutating func record(serviceBy node: Int, holding vector: VersionVector, at time: Microseconds)
    {
        guard isOn else { return }
        services.append(Service(node: node, time: time, vector: vector))
    }

    mutating func record(durable vector: VersionVector, node: Int, at time: Microseconds) {
        guard isOn, durable[node].last?.vector != vector else { return }
        durable[node].append(Holding(time: time, vector: vector))
    }

    /// Records a checkpoint that replaced all data of a node before the node could announce it.
    mutating func record(replaced vector: VersionVector, node: Int) {
        incarnations[node]?.vector = vector
    }

    mutating func record(wallMilliseconds: UInt64, at time: Microseconds) {
        latestMilliseconds = max(latestMilliseconds, wallMilliseconds)
        let elapsed = min(wallMilliseconds, time / 1_000)
        leadMilliseconds = max(leadMilliseconds, wallMilliseconds - elapsed)
    }

    /// Each new coordinator may have set the clocks ahead, up to the ceiling of the lease before, even where they
    /// were ahead already.
    private mutating func record(term: UInt64) {
        guard term > lastTerm else { return }
        latestMilliseconds += leaseMilliseconds * (term - lastTerm)
        lastTerm = term
    }

    /// The latest time of a stamp; stamps that follow a client's may be as late as that one.
    private mutating func limit(of stamp: Stamp, from origin: WriterID, at time: Microseconds)
        -> UInt64
    {
        if stamp.writer == origin { return latestMilliseconds }
        let limit = max(latestMilliseconds, leadMilliseconds + time / 1_000 + 1)
        latestMilliseconds = max(latestMilliseconds, min(limit, stamp.time.milliseconds))
        return limit
    }

    /// Records the batches of a turn, and the operations of the node's own batches.
    mutating func record(
        stored entries: [LogEntry], by writer: WriterID, node: Int, incarnation: Int,
        at time: Microseconds
    ) {
        guard isOn else { return }
        for entry in entries {
            guard entry.origin == writer else {
                // Batches of other origins are durable there; the node's own may still be lost.
                record(batch: entry, node: node, at: time)
                continue
            }
            guard let batch = try? BatchCoding.decode(entry.bytes) else { continue }
            for (index, operation) in batch.operations.enumerated() {
                let dot = Dot(origin: entry.origin, sequence: entry.first + UInt64(index))
                record(term: operation.term ?? 0)
                issued.append(
                    Issued(
                        dot: dot, operation: operation, node: node, incarnation: incarnation,
                        time: time,
                        limitMilliseconds: limit(
                            of: operation.stamp, from: entry.origin, at: time)))
                if operation.stamp.writer != entry.origin {
                    stamped[operation.stamp, default: []].append(dot)
                }
            }
        }
    }

    private mutating func record(batch entry: LogEntry, node: Int, at time: Microseconds) {
        var hash = TraceHash()
        hash.combine(entry.bytes)
        let dot = Dot(origin: entry.origin, sequence: entry.first)
        guard let first = batches[dot] else {
            batches[dot] = (hash.bits, node, time)
            return
        }
        if first.hash != hash.bits, contradiction == nil {
            contradiction = Contradiction(
                dot: dot, first: (first.node, first.time), second: (node, time))
        }
    }

    /// Up to when the present process of a node has said that it makes no more operations.
    func closedTimestamp(announcedBy node: Int) -> HybridTime? {
        incarnations[node]?.closedTimestamp
    }

    /// The operations that the present process of a node has announced.
    func announced(by node: Int) -> VersionVector? { incarnations[node]?.vector }

    /// Records the vector that a node announced.
    mutating func record(published frame: [UInt8], node: Int) {
        guard isOn, let messages = try? FrameReader<PeerMessage>.messages(in: frame) else { return }
        for case .message(let message) in messages {
            switch message {
            case .heartbeat(let heartbeat):
                incarnations[node]?.vector = heartbeat.vector
                incarnations[node]?.closedTimestamp = heartbeat.closedTimestamp
                announcements.record(heartbeat, of: node, atOperation: issued.count)
            case .batch(let bytes):
                guard let head = try? BatchCoding.decodeHead(bytes) else { continue }
                incarnations[node]?.vector[head.origin] = head.last
                incarnations[node]?.published = head.last
            case .bye(_, _, let writer, _): announcements.end(writer)
            default: continue
            }
        }
    }
}

extension Recording {
    /// How many operations a process has made.
    func issuedCount(by node: Int, incarnation: Int) -> Int {
        issued.count { $0.node == node && $0.incarnation == incarnation }
    }

    /// The state of a process in which it held exactly this; nil if it is not recorded, or if a checkpoint has put another state in
    /// its place since.
    func state(of node: Int, incarnation: Int, holding vector: VersionVector) -> State? {
        guard keepsValues else { return nil }
        for index in states[node].indices.reversed() {
            guard states[node][index].incarnation == incarnation,
                states[node][index].vector.covers(vector)
            else { return nil }
            if states[node][index].vector == vector { return states[node][index] }
        }
        return nil
    }

    /// The operations on a node's disk at a time; nil if it had not begun by then.
    func durable(at time: Microseconds, node: Int) -> VersionVector? {
        durable[node].last { $0.time <= time }?.vector
    }

    /// The operation that a vector covers of those with a stamp of a client.
    func dot(of stamp: Stamp, in vector: VersionVector) -> Dot? {
        stamped[stamp]?.first { vector.covers($0) }
    }

    /// The operations of a transaction: one, or one of each coordinator that decided it.
    func dots(named name: Stamp) -> [Dot] {
        issued.filter { $0.operation.alias == name || $0.operation.stamp == name }.map(\.dot)
    }

    /// The states of one process, ascending.
    struct Life {
        var states: ArraySlice<State>

        /// The first state that has an operation.
        func first(covering dot: Dot) -> State? {
            states.split { $0.vector.covers(dot) }.after.first
        }
    }

    /// All processes of all nodes.
    var processes: [Life] {
        states.flatMap { states in
            var incarnations: [Life] = []
            var first = 0
            for index in states.indices
            where index + 1 == states.count
                || states[index + 1].incarnation != states[index].incarnation
            {
                incarnations.append(Life(states: states[first...index]))
                first = index + 1
            }
            return incarnations
        }
    }
}

extension ArraySlice {
    /// The elements before, and those from which on a condition holds.
    ///
    /// - Complexity: the logarithm of the count.
    func split(
        where holds: (Element) -> Bool
    ) -> (before: ArraySlice<Element>, after: ArraySlice<Element>) {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return (self[..<low], self[low...])
    }
}
