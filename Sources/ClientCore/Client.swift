import DataTree
import QueryEngine
import SyncProtocol

/// Talks to one node of a cluster at a time, for one application: sends its requests, keeps its
/// listens, and turns to another node when this one is gone.
///
/// Requests are pipelined, in order, with a bounded number in flight. What was not answered when a
/// connection is lost is sent again over the next one, unless that could do it twice.
/// Equal clients given equal inputs return equal outputs.
public struct Client: Sendable {
    private let configuration: Configuration
    private var now: UInt64 = 0
    private var link: Link
    private var requests = Requests()
    private var listens = Listens()
    private var lastWireID: UInt64 = 0
    private var frame = FrameWriter()
    private var outputs: [Output] = []

    public init(_ configuration: Configuration) {
        self.configuration = configuration
        link = Link(configuration)
    }

    /// Whether a request or a listen is open.
    public var isAwaiting: Bool { !requests.isEmpty || !listens.isEmpty }

    /// Takes one input and returns what the driver must do next, in order.
    public mutating func step(_ input: Input) -> [Output] {
        switch input {
        case .turnBegan(let elapsedMilliseconds): beginTurn(at: elapsedMilliseconds)
        case .asked(let request): requests.append(request, at: now)
        case .listened(let id, let path, let kinds): listens.add(id, at: path, of: kinds)
        case .unlistened(let id): unlisten(id)
        case .received(let frame): receive(frame)
        case .connectionLost: loseConnection()
        case .turnEnded: endTurn()
        }
        defer { outputs.removeAll() }
        return outputs
    }
}

// MARK: - Turns

extension Client {
    private mutating func beginTurn(at elapsedMilliseconds: UInt64) {
        now = max(now, elapsedMilliseconds)
        switch link.tick(at: now, isAwaiting: isAwaiting) {
        case .none: break
        case .connect(let node):
            outputs.append(.connect(node))
            // Its answer tells that a node is there.
            append(.ping(id: nextWireID()))
        case .ping: append(.ping(id: nextWireID()))
        case .giveUp: loseConnection()
        }
        for pending in requests.takeExpired(at: now) { expire(pending) }
    }

    private mutating func endTurn() {
        if link.isOpen {
            for id in listens.unasked {
                let wireID = nextWireID()
                guard let path = listens.ask(for: id, as: wireID) else { continue }
                append(.listen(id: wireID, path: path))
            }
            while requests.inFlightCount < configuration.window {
                guard let request = requests.send(as: lastWireID + 1) else { break }
                let wireID = nextWireID()
                append(request.work.message(id: wireID))
            }
        }
        flush()
    }

    private mutating func append(_ message: ClientMessage) {
        frame.append(message)
        if frame.bytes.count >= configuration.frameBytes { flush() }
    }

    private mutating func flush() {
        if frame.isEmpty { return }
        outputs.append(.send(frame.bytes))
        frame.removeAll()
    }

    private mutating func nextWireID() -> UInt64 {
        lastWireID += 1
        return lastWireID
    }

    private mutating func unlisten(_ id: ListenID) {
        guard let wireID = listens.remove(id), link.isOpen else { return }
        append(.unlisten(id: nextWireID(), listen: wireID))
    }
}

// MARK: - What the node says

extension Client {
    private mutating func receive(_ frame: [UInt8]) {
        if case .resting = link.state { return }
        if link.hear(at: now) { outputs.append(.connected(link.node)) }
        do throws(FrameError) {
            for received: Received<NodeMessage> in try FrameReader<NodeMessage>.messages(in: frame)
            {
                switch received {
                case .message(let message): take(message)
                case .refused(_, let error): abandon(error)
                }
                if !link.isOpen { return }
            }
        } catch {
            abandon(error)
        }
    }

    private mutating func take(_ message: NodeMessage) {
        switch message {
        case .ok(let id): finish(id, .done)
        case .pushed(let id, _): finish(id, .done)
        case .value(let id, let value): finish(id, .value(value))
        case .change(let listen, let writes):
            guard let (id, events) = listens.apply(writes, to: listen) else { return }
            outputs.append(.observed(id, events))
        // Only for those who tell what they hold.
        case .ranges: loseConnection()
        case .error(let id, let code, let problem, let fix):
            refuse(id, HearthError(code, problem: problem, fix: fix))
        case .ended(let listen, let code, let problem, let fix):
            refuse(listen, HearthError(code, problem: problem, fix: fix))
        }
    }

    /// Answers to pings and listens finish nothing.
    private mutating func finish(_ wireID: UInt64, _ answer: Answer) {
        guard let request = requests.finish(wireID) else { return }
        outputs.append(.succeeded(request.id, answer))
    }

    private mutating func refuse(_ wireID: UInt64, _ error: HearthError) {
        if error.code == .unavailable {
            // Another node may do it; patience decides how long one is looked for.
            requests.markUnsent(wireID)
            loseConnection()
        } else if let listen = listens.remove(wireID: wireID) {
            outputs.append(.ended(listen, error))
        } else if let request = requests.finish(wireID) {
            outputs.append(.failed(request.id, error))
        } else {
            failAll(with: error)
        }
    }

    /// A node that cannot be understood is as good as gone.
    private mutating func abandon(_ error: FrameError) {
        if error.code == .version {
            failAll(with: HearthError(.version, error.problem, fix: error.fix))
        } else {
            loseConnection()
        }
    }
}

// MARK: - What goes wrong

extension Client {
    private mutating func loseConnection() {
        if case .resting = link.state { return }
        let node = link.node
        if link.isOpen { outputs.append(.disconnected) }
        link.lose(at: now)
        frame.removeAll()
        listens.disconnect()
        for pending in requests.takeBackAll() {
            outputs.append(.failed(pending.request.id, .disconnected(from: node)))
        }
        guard link.hasTriedAll else { return }
        for pending in requests.takeBrief() {
            outputs.append(
                .failed(
                    pending.request.id,
                    .unreachable(configuration.nodes, effect: pending.effect)))
        }
    }

    private mutating func expire(_ pending: Requests.Pending) {
        let error: HearthError =
            link.isOpen
            ? .timedOut(
                waiting: pending.request.patience.milliseconds ?? 0, at: link.node,
                effect: pending.effect)
            : .unreachable(configuration.nodes, effect: pending.effect)
        outputs.append(.failed(pending.request.id, error))
    }

    /// The node refuses this program as a whole.
    private mutating func failAll(with error: HearthError) {
        for pending in requests.takeAll() {
            let told = HearthError(
                error.code, error.problem, fix: error.fix, effect: pending.effect)
            outputs.append(.failed(pending.request.id, told))
        }
        for id in listens.takeAll() { outputs.append(.ended(id, error)) }
    }
}
