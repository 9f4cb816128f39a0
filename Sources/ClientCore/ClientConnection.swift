import DataTree
import QueryEngine
import SyncProtocol

// How a client handles the node's messages, and its silence.

extension Client {
    mutating func receive(_ frame: [UInt8]) {
        guard link.isUp else { return }
        link.hear(at: now)
        do throws(FrameError) {
            try frame.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
                var messages = try FrameReader<NodeMessage>(bytes)
                messages.forEach { message in
                    // The frame counts as seen, even if this client has left the node over it.
                    if link.isUp || message.isSeen { receive(message) }
                } refused: { _, error in
                    if link.isUp { abandon(error) }
                }
            }
        } catch {
            abandon(error)
        }
    }

    private mutating func receive(_ message: NodeMessage) {
        switch message {
        case .ok(let id): finish(id, .done)
        case .acknowledged(let id, let reached): finish(id, reached)
        case .pushed(let id, _): finish(id, .done)
        case .value(let id, let value): finish(id, .value(value))
        case .ready(let id, _, let wall, let time, let holds):
            begin(id, at: wall, time, holding: holds)
        case .seen(let time, let holds):
            clock.observe(time)
            seen.raise(to: holds)
        case .change(let listen, let writes): receive(writes, for: listen)
        case .ranges(let listen, let ranges): receive(ranges, for: listen)
        case .unindexed(let listen):
            if let (path, query) = subscriptions.query(of: listen) {
                outputs.append(.unindexed(path, query))
            }
        case .error(let id, let code, let problem, let fix):
            let error = HearthError(code, problem: problem, fix: fix)
            switch code {
            case .late: takeBack(id, error, isDecided: true)
            case .undecided: takeBack(id, error, isDecided: false)
            case .behind: noteBehind(error)
            default: refuse(id, error)
            }
        case .ended(let listen, let code, let problem, let fix):
            refuse(listen, HearthError(code, problem: problem, fix: fix))
        }
    }

    private mutating func refuse(_ wireID: UInt64, _ error: HearthError) {
        if error.code == .unavailable {
            // Another node may do it; the patience limits how long the client looks for one.
            requests.markUnsent(wireID, because: error)
            refusal = error
            loseConnection(isRefused: true)
            // The client turned to the next node after each refusal.
            for pending in requests.takeRefused(by: configuration.nodes.count) {
                fail(pending, reasonAgainst(pending))
            }
        } else if end(wireID, error) {
            return
        } else if let pending = requests.finish(wireID) {
            if error.code == .changed { return takeBack(pending.request.id) }
            let isUnknown = pending.mayBeDone && error.code.isOfOneNode
            fail(pending, isUnknown ? error.leaving(.unknown) : error)
        } else if wireID == 0 {
            failAll(with: error)
        }
    }

    /// A node that sends unreadable frames is left, like one that is silent.
    private mutating func abandon(_ error: FrameError) {
        if error.code == .version {
            failAll(with: HearthError(.version, error.problem, fix: error.fix))
        } else {
            loseConnection()
        }
    }

    /// The node refuses this program as a whole.
    private mutating func failAll(with error: HearthError) {
        for pending in requests.takeAll() {
            fail(pending, error.leaving(pending.effect))
        }
        for transaction in transactions.all { fail(transaction.id, error) }
        for id in listeners.keys.sorted() {
            unlisten(id)
            outputs.append(.ended(id, error))
        }
    }
}

extension HearthError.Code {
    /// Whether another node, which a request was sent to before, may have done it: it may have found a majority, room, or
    /// other rules and data.
    fileprivate var isOfOneNode: Bool {
        switch self {
        case .noMajority, .permissionDenied, .tooBig: true
        default: false
        }
    }
}

extension NodeMessage {
    /// Whether it names what its frame shows.
    fileprivate var isSeen: Bool { if case .seen = self { true } else { false } }
}

// MARK: - Without a connection

extension Client {
    /// - Parameter isRefused: Whether the node refused the connection or the session.
    mutating func loseConnection(isRefused: Bool = false) {
        guard link.isUp else { return }
        let (node, wasOpen) = (link.node, link.isOpen)
        link.lose(at: now)
        endConnection(to: node, wasOpen: wasOpen)
        guard link.hasTriedAll else { return }
        for pending in requests.takeUnserved(isRefused: isRefused) {
            fail(pending, reasonAgainst(pending))
        }
    }

    /// Why a request was not done while no node served this client.
    func reasonAgainst(_ pending: Requests.Pending) -> HearthError {
        (pending.refusal ?? refusal)?.leaving(pending.effect)
            ?? .unreachable(configuration.nodes, effect: pending.effect)
    }

    mutating func goOffline() {
        let (node, wasUp, wasOpen) = (link.node, link.isUp, link.isOpen)
        link.goOffline()
        guard wasUp else { return }
        outputs.append(.disconnect)
        endConnection(to: node, wasOpen: wasOpen)
    }

    /// Turns to the next node, and repeats unanswered requests there.
    mutating func leaveNode() {
        guard link.isUp else { return }
        let (node, wasOpen) = (link.node, link.isOpen)
        link.lose(at: now)
        outputs.append(.disconnect)
        endConnection(to: node, wasOpen: wasOpen)
    }

    private mutating func endConnection(to node: String, wasOpen: Bool) {
        dropFrame()
        stamping = .silent
        subscriptions.disconnect()
        if wasOpen {
            outputs.append(.disconnected)
            apply(information.setConnected(false))
        }
        for pending in requests.takeBackAll() { fail(pending, .disconnected(from: node)) }
    }
}
