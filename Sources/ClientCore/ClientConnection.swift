import DataTree
import QueryEngine
import SyncProtocol

// What the node says, and what happens when it does not.

extension Client {
    mutating func receive(_ frame: [UInt8]) {
        guard link.isUp else { return }
        if link.hear(at: now) {
            outputs.append(.connected(link.node))
            take(information.setConnected(true))
        }
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
        case .ok(let id), .met(let id, _): finish(id, .done)
        case .pushed(let id, _): finish(id, .done)
        case .value(let id, let value):
            if let asked = clockQuestion, asked.wireID == id { return learnTime(value, asked.1) }
            finish(id, .value(value))
        case .change(let listen, let writes): take(writes, for: listen)
        case .ranges(let listen, let ranges): take(ranges, for: listen)
        case .error(let id, let code, let problem, let fix):
            refuse(id, HearthError(code, problem: problem, fix: fix))
        case .ended(let listen, let code, let problem, let fix):
            refuse(listen, HearthError(code, problem: problem, fix: fix))
        }
    }

    /// Takes the node's wall clock, as it was when half of the time for the answer had gone.
    private mutating func learnTime(_ value: Value, _ askedMilliseconds: UInt64) {
        clockQuestion = nil
        guard case .integer(let milliseconds) = value else { return }
        let half = (Int64(askedMilliseconds) + Int64(wallMilliseconds)) / 2
        take(information.setOffset(milliseconds: milliseconds - half))
    }

    private mutating func refuse(_ wireID: UInt64, _ error: HearthError) {
        if error.code == .unavailable {
            // Another node may do it; patience decides how long one is looked for.
            requests.markUnsent(wireID)
            loseConnection()
        } else if end(wireID, error) {
            return
        } else if let pending = requests.finish(wireID) {
            if error.code == .changed { return takeBack(pending.request.id) }
            fail(pending, error)
        } else if wireID == 0 {
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

    /// The node refuses this program as a whole.
    private mutating func failAll(with error: HearthError) {
        for pending in requests.takeAll() {
            let told = HearthError(
                error.code, error.problem, fix: error.fix, effect: pending.effect)
            fail(pending, told)
        }
        for transaction in transactions.all { fail(transaction.id, error) }
        for id in listeners.keys.sorted() {
            unlisten(id)
            outputs.append(.ended(id, error))
        }
    }
}

// MARK: - Without a connection

extension Client {
    mutating func loseConnection() {
        guard link.isUp else { return }
        let (node, wasOpen) = (link.node, link.isOpen)
        link.lose(at: now)
        endConnection(to: node, wasOpen: wasOpen)
        guard link.hasTriedAll else { return }
        for pending in requests.takeBrief() {
            fail(pending, .unreachable(configuration.nodes, effect: pending.effect))
        }
    }

    mutating func goOffline() {
        let (node, wasUp, wasOpen) = (link.node, link.isUp, link.isOpen)
        link.goOffline()
        guard wasUp else { return }
        outputs.append(.disconnect)
        endConnection(to: node, wasOpen: wasOpen)
    }

    private mutating func endConnection(to node: String, wasOpen: Bool) {
        dropFrame()
        clockQuestion = nil
        subscriptions.disconnect()
        if wasOpen {
            outputs.append(.disconnected)
            take(information.setConnected(false))
        }
        for pending in requests.takeBackAll() { fail(pending, .disconnected(from: node)) }
        transactions.disconnect()
    }
}
