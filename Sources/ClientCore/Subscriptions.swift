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
        /// Whether it has changes that are not kept yet.
        var isTold = false
    }

    /// In the order in which they were started; iterated in sorted order only.
    private var subscriptions: [UInt64: Subscription] = [:]
    private var numbers: [Kind: UInt64] = [:]
    private var byWireID: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// The listens not yet sent on this connection.
    private var unasked: ArraySlice<UInt64> = []
    /// The numbers of the listens on this connection of which the node has said nothing yet.
    private var unanswered: Set<UInt64> = []

    var isEmpty: Bool { subscriptions.isEmpty }

    /// Whether a listen was not sent on this connection, or the node has not begun to serve it.
    var awaitsAnswers: Bool { !unanswered.isEmpty || !unasked.isEmpty }

    mutating func start(_ listen: ServerListen) {
        lastNumber += 1
        let kind = Kind(path: listen.path, tag: listen.tag)
        precondition(numbers[kind] == nil, "a second listen for \(listen.path)")
        numbers[kind] = lastNumber
        subscriptions[lastNumber] = Subscription(listen: listen)
        unasked.append(lastNumber)
    }

    /// Forgets a listen and returns its number on this connection, if it has one.
    mutating func stop(_ listen: ServerListen) -> UInt64? {
        let kind = Kind(path: listen.path, tag: listen.tag)
        guard let number = numbers.removeValue(forKey: kind) else { return nil }
        guard let wireID = subscriptions.removeValue(forKey: number)?.wireID else { return nil }
        byWireID[wireID] = nil
        unanswered.remove(wireID)
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

    /// What a listen of this connection shows; nil if it has ended.
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
            byWireID[wireID] = number
            unanswered.insert(wireID)
            return subscriptions[number]?.listen
        }
        return nil
    }

    /// The listen with a number on this connection, which gets a change; nil if it has ended.
    mutating func tell(_ wireID: UInt64) -> ServerListen? {
        guard let number = byWireID[wireID] else { return nil }
        if !unanswered.isEmpty { unanswered.remove(wireID) }
        subscriptions[number]?.isTold = true
        return subscriptions[number]?.listen
    }

    /// Keeps the listens for the next connection.
    mutating func disconnect() {
        byWireID.removeAll()
        unanswered.removeAll()
        unasked = subscriptions.keys.sorted()[...]
        for number in unasked { subscriptions[number]?.wireID = nil }
    }
}
