import DataTree
import QueryEngine
package import SyncProtocol

/// A client of one application, connected to one node of a cluster at a time. It updates the values
/// of its listens, shows the application's writes at once and removes refused ones. If its node
/// does not answer, it connects to another one.
///
/// Requests are pipelined, in order, with a bounded number in flight. Requests that a lost connection left
/// unanswered are sent again over the next one: writes carry stamps, and nodes do them once. Listens go on there
/// with the hash of what they hold, so that only differences are sent.
/// Equal clients given equal inputs return equal outputs.
public struct Client: Sendable {
    // The properties that every turn reads come first, side by side. With thousands of clients in
    // one process, each has left the processor's caches by its next turn.
    var now: UInt64 = 0
    var wallMilliseconds: UInt64 = 0
    private var lastWireID: UInt64 = 0
    /// The frame that this turn fills; nil while it has no message.
    private var frame: FrameWriter?
    var outputs: [Output] = []
    var stamping = Stamping.silent
    var link: Link
    var subscriptions = Subscriptions()
    var requests = Requests()
    var persistence = Persistence()
    var clock: StampClock
    let configuration: Configuration

    var tree = SyncTree()
    /// The kinds of events of each listener of the application.
    var listeners: [ListenID: ViewEvent.Kinds] = [:]
    var transactions = Transactions()
    var information = Information()
    /// The operations that nodes have shown. Another node must hold them before it shows anything
    /// to this client.
    var seen = VersionVector()
    /// Since when nodes answer that they do not hold it yet.
    var behindSince: UInt64?
    /// Why the last node that answered does not serve this client; nil once a node does.
    public internal(set) var refusal: HearthError?
    /// The node's answer about a stamp that it refused.
    var stampFailure: HearthError?

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        link = Link(configuration)
        clock = StampClock(writer: configuration.writer)
    }

    /// Whether a request or a listen is open.
    public var isAwaiting: Bool { !requests.isEmpty || !subscriptions.isEmpty }

    private mutating func awaited() -> Link.Awaited {
        if !requests.isEmpty || subscriptions.awaitsAnswers { return .answers }
        return subscriptions.isEmpty ? .nothing : .changes
    }

    // Getters that drivers call in every turn are mutating: a non-mutating getter can copy the
    // client, several thousand bytes.

    /// Whether this client takes what comes from its node; not after a try that took too long.
    package mutating func takesFrames() -> Bool { link.isUp }

    /// Whether a node serves this client.
    public var isConnected: Bool { maySend }

    /// By how many milliseconds the node's wall clock is ahead of the one here; 0 until the node has told it.
    public var nodeAheadMilliseconds: Int64 { information.offsetMilliseconds }

    /// Whether a node serves this client, and when it wants its next turn.
    package mutating func standing() -> Standing {
        Standing(isConnected: maySend, nextDeadline: nextDeadline(), writer: clock.writer)
    }

    /// How far a client is after a turn.
    package struct Standing: Sendable {
        package let isConnected: Bool
        /// The elapsed milliseconds from which on a turn without another input does something; nil for never. Turns without input
        /// before then change nothing, so that a driver that reads need take none.
        package let nextDeadline: UInt64?
        /// The writer of its stamps: another one after it has followed a clock that was far ahead of the others.
        package let writer: WriterID
    }

    private mutating func nextDeadline() -> UInt64? {
        var deadline = min(
            requests.nextDeadline, link.deadline(awaiting: awaited()) ?? .max)
        if case .resting(let end) = stamping, link.isOpen { deadline = min(deadline, end) }
        if configuration.isPersistent { deadline = min(deadline, persistence.rest) }
        return deadline == .max ? nil : deadline
    }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: Input) -> [Output] {
        switch input {
        case .turnBegan(let elapsed, let wall, let isReading):
            beginTurn(elapsed, wall, isReading)
        case .restored(let writes): restore(writes)
        case .recalled(let key, let frame): recall(frame, at: key)
        case .asked(let request): ask(request)
        case .ran(let id, let result): receive(result, of: id)
        case .listened(let id, let path, let query, let kinds): listen(id, path, query, kinds)
        case .unlistened(let id): unlisten(id)
        case .wentOffline: goOffline()
        case .wentOnline: link.goOnline()
        case .purged: purgeWrites()
        case .leftNode: leaveNode()
        case .received(let frame): receive(frame)
        case .connectionLost: loseConnection()
        case .connectionMisled(let error):
            refusal = error
            loseConnection()
        case .connectionRefused(let error):
            refusal = error
            loseConnection(isRefused: true)
        case .turnEnded: endTurn()
        case .ending:
            keepAllValues()
            flush()
        }
        defer { outputs.removeAll() }
        return outputs
    }
}

// MARK: - Turns

extension Client {
    private mutating func beginTurn(
        _ elapsedMilliseconds: UInt64, _ wallMilliseconds: UInt64, _ isReading: Bool
    ) {
        now = max(now, elapsedMilliseconds)
        self.wallMilliseconds = wallMilliseconds
        if !isReading { link.hear(at: now) }
        switch link.tick(at: now, awaiting: awaited()) {
        case .none: break
        case .connect(let node):
            outputs.append(.connect(node))
            greet()
        case .ping: ping()
        case .giveUp: loseConnection()
        }
        guard isReading else { return }
        for pending in requests.takeExpired(at: now) { expire(pending) }
    }

    private mutating func ping() {
        append(.ping(id: nextWireID()))
    }

    private mutating func endTurn() {
        if link.isOpen { continueStamping() }
        if maySend {
            while let listen = subscriptions.ask(as: lastWireID + 1) {
                append(message(for: listen, nextWireID()))
            }
            while requests.inFlightCount < configuration.window, !requests.mustWait {
                guard var pending = requests.send(as: lastWireID + 1) else { break }
                let wireID = nextWireID()
                stamp(&pending)
                requests.record(pending, as: wireID)
                if let message = message(for: pending, wireID) { append(message) }
            }
        }
        keepValues()
        flush()
    }

    private mutating func message(for pending: Requests.Pending, _ wireID: UInt64)
        -> ClientMessage?
    {
        switch pending.request.work {
        case .transact: return send(pending, as: wireID)
        case .awaitStable(let milliseconds):
            // The rest of the limit.
            let end = pending.askedMilliseconds + milliseconds
            return .awaitStable(id: wireID, milliseconds: end - min(end, now))
        default:
            return pending.request.work.message(
                id: wireID, stamp: pending.stamp, now: pending.now,
                concern: pending.request.concern)
        }
    }

    mutating func append(_ message: ClientMessage) {
        if frame == nil { frame = FrameWriter() }
        frame?.append(message)
        if let frame, frame.byteCount >= configuration.frameBytes { flush() }
    }

    private mutating func flush() {
        let records = persistence.takeRecords()
        if !records.isEmpty { outputs.append(.persist(records)) }
        if let filled = frame.take() { outputs.append(.send(filled.bytes)) }
    }

    mutating func dropFrame() { frame = nil }

    mutating func nextWireID() -> UInt64 {
        lastWireID += 1
        return lastWireID
    }
}
