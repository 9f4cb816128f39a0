import ReplicaCore

/// How frames get from one node to another, as far as ZeroMQ and the wires beneath it promise.
///
/// - PUB/SUB: a frame may get lost, come twice or late, without anybody knowing. Everything
///   published while the two are disconnected is lost, and so is what is published before the
///   publisher knows of a subscriber that has just connected.
/// - DEALER/ROUTER: frames come once and in order, or not at all when the connection breaks.
///
/// Source: `replication-protocol.md`, section 1.
struct VirtualNetwork {
    private let settings: Scenario.Network
    private let nodes: Int
    private let endpoints: Int
    private var random: SplitMix64
    private var links: [Link]
    /// By sender and receiver: whether a partition or a cut keeps frames from passing.
    private var isCut: [Bool]
    private(set) var counts = Counts()

    struct Counts {
        var sent: UInt64 = 0
        var dropped: UInt64 = 0
        var duplicated: UInt64 = 0
        var reordered: UInt64 = 0
    }

    /// One direction between two nodes.
    private struct Link {
        /// Frames of an earlier connection do not arrive.
        var epoch = 0
        /// From then on the publisher knows of its subscriber.
        var joined: Microseconds = 0
        var lastPublished: Microseconds = 0
        var lastAnswered: Microseconds = 0
        /// When the last frame has left, where there is a limit to the bandwidth.
        var busyUntil: Microseconds = 0
        var queued = 0
    }

    init(_ settings: Scenario.Network, nodes: Int, clients: Int, seed: UInt64) {
        self.settings = settings
        self.nodes = nodes
        endpoints = nodes + clients
        random = SplitMix64(seed: seed, part: 1)
        links = [Link](repeating: Link(), count: nodes * nodes)
        isCut = [Bool](repeating: false, count: endpoints * endpoints)
    }

    // MARK: Between nodes

    /// The times at which a frame published by one node arrives at another: none, one or two.
    mutating func publish(
        byteCount: Int, from: Int, to: Int, at now: Microseconds
    ) -> [Microseconds] {
        counts.sent += 1
        let index = from * nodes + to
        let isQueueFull = settings.queue > 0 && links[index].queued >= settings.queue
        if isCut(from, to) || now < links[index].joined || isQueueFull
            || random.happens(settings.loss)
        {
            counts.dropped += 1
            return []
        }
        let left = leave(links: index, byteCount: byteCount, at: now)
        var arrivals = [left + random.time(in: settings.delay)]
        if random.happens(settings.reorder) {
            counts.reordered += 1
            arrivals[0] += random.time(in: settings.delay) + random.time(in: settings.delay)
        } else {
            arrivals[0] = max(arrivals[0], links[index].lastPublished)
            links[index].lastPublished = arrivals[0]
        }
        if random.happens(settings.duplicate) {
            counts.duplicated += 1
            arrivals.append(arrivals[0] + random.time(in: settings.delay))
        }
        links[index].queued += arrivals.count
        return arrivals
    }

    /// The time at which a question or an answer arrives; nil if it does not.
    mutating func send(
        byteCount: Int, from: Int, to: Int, at now: Microseconds
    ) -> Microseconds? {
        counts.sent += 1
        if isCut(from, to) {
            counts.dropped += 1
            return nil
        }
        let index = from * nodes + to
        let left = leave(links: index, byteCount: byteCount, at: now)
        let arrival = max(left + random.time(in: settings.delay), links[index].lastAnswered)
        links[index].lastAnswered = arrival
        return arrival
    }

    /// Whether a frame sent on the connection with this epoch arrives now.
    func isConnected(from: Int, to: Int, epoch: Int) -> Bool {
        !isCut(from, to) && links[from * nodes + to].epoch == epoch
    }

    /// A published frame has left the queue of its link.
    mutating func leaveQueue(from: Int, to: Int) {
        links[from * nodes + to].queued -= 1
    }

    mutating func noteDropped() { counts.dropped += 1 }

    func epoch(from: Int, to: Int) -> Int { links[from * nodes + to].epoch }

    /// When the last bit of a frame has left, and the next frame may begin.
    private mutating func leave(
        links index: Int, byteCount: Int, at now: Microseconds
    ) -> Microseconds {
        guard settings.bandwidth > 0 else { return now }
        let length = Microseconds(byteCount) * 1_000_000 / Microseconds(settings.bandwidth)
        links[index].busyUntil = max(links[index].busyUntil, now) + length
        return links[index].busyUntil
    }

    /// All connections of a node break, and are made again.
    mutating func reconnect(_ node: Int, at now: Microseconds) {
        for other in 0..<nodes where other != node {
            reconnect(from: node, to: other, at: now)
            reconnect(from: other, to: node, at: now)
        }
    }

    private mutating func reconnect(from: Int, to: Int, at now: Microseconds) {
        let index = from * nodes + to
        links[index].epoch += 1
        links[index].joined = now + random.time(in: settings.join)
    }

    // MARK: Between clients and nodes

    /// How long a frame takes; at the end of a breaking connection, nil.
    mutating func clientDelay(from: Int, to: Int) -> Microseconds? {
        counts.sent += 1
        if isCut(from, to) || random.happens(settings.breaks) {
            counts.dropped += 1
            return nil
        }
        return random.time(in: settings.delay)
    }

    // MARK: Partitions

    func isCut(_ from: Int, _ to: Int) -> Bool { isCut[from * endpoints + to] }

    var isWhole: Bool { !isCut.contains(true) }

    /// Keeps members of different groups apart. Endpoints are nodes, then clients.
    mutating func partition(_ groups: [[Int]], at now: Microseconds) {
        for (index, group) in groups.enumerated() {
            for other in groups[(index + 1)...] {
                for a in group {
                    for b in other {
                        cut(from: a, to: b, at: now)
                        cut(from: b, to: a, at: now)
                    }
                }
            }
        }
    }

    mutating func cut(from: Int, to: Int, at now: Microseconds) {
        isCut[from * endpoints + to] = true
        if from < nodes, to < nodes { reconnect(from: from, to: to, at: now) }
    }

    mutating func heal(at now: Microseconds) {
        for from in 0..<endpoints {
            for to in 0..<endpoints where isCut[from * endpoints + to] {
                isCut[from * endpoints + to] = false
                if from < nodes, to < nodes { reconnect(from: from, to: to, at: now) }
            }
        }
    }
}
