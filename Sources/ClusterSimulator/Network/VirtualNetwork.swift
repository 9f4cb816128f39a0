import ReplicaCore
import SyncProtocol

/// Delivers frames between nodes, with the guarantees of ZeroMQ and the connections below it.
///
/// - PUB/SUB: a frame may get lost, come twice or late, unnoticed by both ends. Everything
///   published while the two are disconnected is lost, and so is what is published before the
///   publisher knows of a subscriber that has just connected.
/// - DEALER/ROUTER: frames come once and in order, or not at all when the connection breaks.
///
/// Source: `replication-protocol.md`, section 1.
struct VirtualNetwork {
    var settings: NetworkSettings
    let nodes: Int
    let endpoints: Int
    var random: SplitMix64
    var links: [Link]
    /// The pairs that a partition or a cut separates: senders times `endpoints`, plus receivers.
    ///
    /// A table of all pairs would have a million entries for a thousand clients, and each frame
    /// would read another one.
    var cuts: Set<Int> = []
    /// Nodes without a file handle for a new connection.
    var areExhausted: [Bool]
    /// Counts the heals; a direction flaps until the next one.
    var round = 0
    private(set) var counts = Counts()

    struct Counts {
        var sent: UInt64 = 0
        var dropped: UInt64 = 0
        var duplicated: UInt64 = 0
        var reordered: UInt64 = 0
        var replayed: UInt64 = 0
        var damaged: UInt64 = 0
    }

    /// A frame on its way, as it will arrive.
    struct Delivery {
        var time: Microseconds
        var bytes: [UInt8]
    }

    /// One direction between two nodes.
    struct Link {
        var quality: LinkQuality
        /// Frames of an earlier connection do not arrive.
        var epoch = 0
        /// From then on the publisher knows of its subscriber.
        var joined: Microseconds = 0
        var lastPublished: Microseconds = 0
        var lastAnswered: Microseconds = 0
        /// When the last frame has left, where there is a limit to the bandwidth.
        var busyUntil: Microseconds = 0
        var queued = 0
        var isClogged = false
        /// The connection is gone, and is not made again.
        var isDown = false
        /// The second has forgotten the connection that the first had made to it; the first notices at this
        /// time.
        var noticed: Microseconds = 0
        /// The kinds of frames that the first no longer publishes to the second.
        var lost: Set<Topic> = []
        /// Frames that came and could not be accepted, in order.
        var waiting: [Event] = []
        /// An old frame, which may come again.
        var recorded: [UInt8]?
    }

    init(_ settings: NetworkSettings, nodes: Int, clients: Int, seed: UInt64) {
        self.settings = settings
        self.nodes = nodes
        endpoints = nodes + clients
        random = SplitMix64(seed: seed, part: 1)
        links = [Link](repeating: Link(quality: settings.link), count: nodes * nodes)
        areExhausted = [Bool](repeating: false, count: nodes)
    }

    // MARK: Between nodes

    /// How a frame published by one node arrives at another: not at all, once, or with others.
    mutating func publish(
        _ bytes: [UInt8], from: Int, to: Int, at now: Microseconds
    ) -> [Delivery] {
        counts.sent += 1
        let index = from * nodes + to
        let quality = links[index].quality
        let isQueueFull = quality.queue > 0 && links[index].queued >= quality.queue
        if !isOpen(from, to) || isForgotten(by: from, madeBy: to, at: now) || isQueueFull
            || now < links[index].joined || links[index].lost.contains(topicOf: bytes)
            || random.happens(quality.loss)
        {
            counts.dropped += 1
            return []
        }
        let left = leave(links: index, byteCount: bytes.count, at: now)
        var time = left + delay(quality)
        if random.happens(quality.reorder) {
            counts.reordered += 1
            time += delay(quality) + delay(quality)
        } else {
            time = max(time, links[index].lastPublished)
            links[index].lastPublished = time
        }
        var deliveries = [Delivery(time: time, bytes: damaged(bytes, quality))]
        if random.happens(quality.duplicate) {
            counts.duplicated += 1
            deliveries.append(Delivery(time: time + delay(quality), bytes: bytes))
        }
        if random.happens(quality.replay) {
            if let recorded = links[index].recorded {
                counts.replayed += 1
                deliveries.append(Delivery(time: time + delay(quality), bytes: recorded))
            }
            links[index].recorded = bytes
        }
        links[index].queued += deliveries.count
        return deliveries
    }

    /// How a request arrives, over the connection that the requesting node has made; nil if it is lost.
    mutating func ask(_ bytes: [UInt8], from: Int, to: Int, at now: Microseconds) -> Delivery? {
        send(bytes, from: from, to: to, isLost: isForgotten(by: to, madeBy: from, at: now), at: now)
    }

    /// How an answer arrives, over the connection of its request; nil if it is lost.
    mutating func answer(_ bytes: [UInt8], from: Int, to: Int, at now: Microseconds) -> Delivery? {
        send(bytes, from: from, to: to, isLost: isForgotten(by: from, madeBy: to, at: now), at: now)
    }

    private mutating func send(
        _ bytes: [UInt8], from: Int, to: Int, isLost: Bool, at now: Microseconds
    ) -> Delivery? {
        counts.sent += 1
        if !isOpen(from, to) || isLost {
            counts.dropped += 1
            return nil
        }
        let index = from * nodes + to
        let left = leave(links: index, byteCount: bytes.count, at: now)
        let arrival = max(left + delay(links[index].quality), links[index].lastAnswered)
        links[index].lastAnswered = arrival
        return Delivery(time: arrival, bytes: damaged(bytes, links[index].quality))
    }

    private func isForgotten(by acceptor: Int, madeBy maker: Int, at now: Microseconds) -> Bool {
        now < links[maker * nodes + acceptor].noticed
    }

    private mutating func delay(_ quality: borrowing LinkQuality) -> Microseconds {
        quality.drawDelay(&random)
    }

    /// A frame with some bits turned, or without its end.
    private mutating func damaged(_ bytes: [UInt8], _ quality: LinkQuality) -> [UInt8] {
        var damaged = bytes
        if random.happens(quality.corrupt), !bytes.isEmpty {
            for _ in 0...random.index(below: 3) {
                damaged[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8))
            }
        }
        if random.happens(quality.truncate) {
            damaged.removeLast(random.index(below: bytes.count + 1))
        }
        if damaged != bytes { counts.damaged += 1 }
        return damaged
    }

    /// Whether a frame sent on the connection with this epoch arrives now.
    func isConnected(from: Int, to: Int, epoch: Int) -> Bool {
        isOpen(from, to) && links[from * nodes + to].epoch == epoch
    }

    /// A published frame has left the queue of its connection; those of an earlier one went with it.
    mutating func leaveQueue(from: Int, to: Int, epoch: Int) {
        if epoch == self.epoch(from: from, to: to) { links[from * nodes + to].queued -= 1 }
    }

    mutating func noteDropped() { counts.dropped += 1 }

    func epoch(from: Int, to: Int) -> Int { links[from * nodes + to].epoch }

    /// When the last bit of a frame has left, and the next frame may begin.
    private mutating func leave(
        links index: Int, byteCount: Int, at now: Microseconds
    ) -> Microseconds {
        let quality = links[index].quality
        guard quality.bandwidth > 0 else { return now }
        links[index].busyUntil =
            max(links[index].busyUntil, now) + quality.departure(ofBytes: byteCount)
        return links[index].busyUntil
    }

    /// Whether a connection carries frames from one node to another.
    func isOpen(_ from: Int, _ to: Int) -> Bool {
        !isCut(from, to) && !links[from * nodes + to].isDown
    }

    func isCut(_ from: Int, _ to: Int) -> Bool {
        !cuts.isEmpty && cuts.contains(from * endpoints + to)
    }

    /// All connections of a node break, and are made again.
    mutating func reconnect(_ node: Int, at now: Microseconds) {
        for other in 0..<nodes where other != node {
            reconnect(from: node, to: other, at: now)
            reconnect(from: other, to: node, at: now)
        }
    }

    /// A direction breaks with all that is queued, and works again once both its ends can connect.
    mutating func reconnect(from: Int, to: Int, at now: Microseconds) {
        let index = from * nodes + to
        links[index].epoch += 1
        links[index].queued = 0
        links[index].noticed = 0
        links[index].lost.removeAll()
        links[index].isDown = areExhausted[from] || areExhausted[to]
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
        return settings.link.drawDelay(&random)
    }

    // MARK: Waiting

    /// Keeps frames that arrive over a backpressured link, or at a node that accepts none.
    mutating func wait(_ event: Event, from: Int, to: Int) {
        links[from * nodes + to].waiting.append(event)
    }

    func isClogged(from: Int, to: Int) -> Bool { links[from * nodes + to].isClogged }

    /// The frames that wait for a node on open links, link by link, each in order.
    mutating func takeWaiting(for node: Int) -> [Event] {
        var events: [Event] = []
        for from in 0..<nodes where !links[from * nodes + node].isClogged {
            events += links[from * nodes + node].waiting
            links[from * nodes + node].waiting.removeAll()
        }
        return events
    }
}

extension Set<Topic> {
    /// Whether a frame holds a kind that is not published.
    fileprivate func contains(topicOf frame: [UInt8]) -> Bool {
        guard !isEmpty, let messages = try? FrameReader<PeerMessage>.messages(in: frame) else {
            return false
        }
        return messages.contains { message in
            switch message {
            case .message(.batch): contains(.batches)
            case .message(.heartbeat): contains(.heartbeats)
            default: false
            }
        }
    }
}
