import DataTree
import QueryEngine

/// The listens that nodes serve, across connections.
struct Subscriptions: Sendable {
    /// The identity of a listen; at most one of a kind is open at a time.
    private struct Kind: Hashable {
        let path: Path
        let tag: Tag?
    }

    private struct Subscription: Sendable {
        let listen: ServerListen
        /// Its number on this connection, once it was sent there.
        var wireID: UInt64?
        /// Whether it was sent on this connection, and the node has said nothing of it yet.
        var isUnanswered = false
        /// Whether it has changes that are not kept yet.
        var isTold = false

        /// Notes a change; whether it is the first that the node says of it on this connection.
        mutating func recordChange() -> Bool {
            isTold = true
            defer { isUnanswered = false }
            return isUnanswered
        }
    }

    // Each turn looks at these two numbers and at the slice, rather than into dictionaries.
    private var count = 0
    /// How many of them were sent on this connection, and not answered yet.
    private var unansweredCount = 0
    /// The listens not yet sent on this connection.
    private var unasked: ArraySlice<UInt64> = []
    /// In the order in which they were started; iterated in sorted order only.
    private var subscriptions: [UInt64: Subscription] = [:]
    private var numbers: [Kind: UInt64] = [:]
    private var byWireID: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    /// Whether a listen was not sent on this connection, or the node has not begun to serve it.
    var awaitsAnswers: Bool { unansweredCount > 0 || !unasked.isEmpty }

    mutating func start(_ listen: ServerListen) {
        lastNumber += 1
        let kind = Kind(path: listen.path, tag: listen.tag)
        precondition(numbers[kind] == nil, "a second listen for \(listen.path)")
        numbers[kind] = lastNumber
        subscriptions[lastNumber] = Subscription(listen: listen)
        count += 1
        unasked.append(lastNumber)
    }

    /// Forgets a listen and returns its number on this connection, if it has one.
    mutating func stop(_ listen: ServerListen) -> UInt64? {
        let kind = Kind(path: listen.path, tag: listen.tag)
        guard let number = numbers.removeValue(forKey: kind) else { return nil }
        guard let stopped = subscriptions.removeValue(forKey: number) else { return nil }
        count -= 1
        if stopped.isUnanswered { unansweredCount -= 1 }
        guard let wireID = stopped.wireID else { return nil }
        byWireID[wireID] = nil
        return wireID
    }

    func contains(_ listen: ServerListen) -> Bool {
        numbers[Kind(path: listen.path, tag: listen.tag)] != nil
    }

    /// Whether a listen has changes that are not kept yet.
    func isTold(_ listen: ServerListen) -> Bool {
        let number = numbers[Kind(path: listen.path, tag: listen.tag)]
        return number.flatMap { subscriptions[$0]?.isTold } ?? false
    }

    /// Returns the path and query of a listen of this connection; nil if it has ended.
    func query(of wireID: UInt64) -> (path: Path, query: Query)? {
        guard let listen = byWireID[wireID].flatMap({ subscriptions[$0]?.listen }) else {
            return nil
        }
        return (listen.path, listen.query)
    }

    /// The listens with changes since the last time, in order.
    mutating func takeTold() -> [ServerListen] {
        let numbers = subscriptions.filter(\.value.isTold).keys.sorted()
        for number in numbers { subscriptions[number]?.isTold = false }
        return numbers.compactMap { subscriptions[$0]?.listen }
    }

    /// Forgets a listen that the node ended.
    mutating func end(_ wireID: UInt64) -> ServerListen? {
        guard let number = byWireID[wireID], let listen = subscriptions[number]?.listen else {
            return nil
        }
        _ = stop(listen)
        return listen
    }

    /// Numbers the next listen that was not sent on this connection.
    mutating func ask(as wireID: UInt64) -> ServerListen? {
        while let number = unasked.popFirst() {
            guard subscriptions[number] != nil else { continue }
            subscriptions[number]?.wireID = wireID
            subscriptions[number]?.isUnanswered = true
            unansweredCount += 1
            byWireID[wireID] = number
            return subscriptions[number]?.listen
        }
        return nil
    }

    /// The listen with a number on this connection, which gets a change; nil if it has ended.
    mutating func recordChange(_ wireID: UInt64) -> ServerListen? {
        guard let number = byWireID[wireID],
            let place = subscriptions.index(forKey: number)
        else { return nil }
        if subscriptions.values[place].recordChange() { unansweredCount -= 1 }
        return subscriptions.values[place].listen
    }

    /// Keeps the listens for the next connection.
    mutating func disconnect() {
        byWireID.removeAll()
        unansweredCount = 0
        unasked = subscriptions.keys.sorted()[...]
        for number in unasked {
            subscriptions[number]?.wireID = nil
            subscriptions[number]?.isUnanswered = false
        }
    }
}
