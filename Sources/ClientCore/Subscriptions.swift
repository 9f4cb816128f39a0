import DataTree

/// What nodes are asked to tell of, across connections.
struct Subscriptions: Sendable {
    /// What makes two listens the same; at most one of a kind is open at a time.
    private struct Kind: Hashable {
        let path: Path
        let tag: Tag?
    }

    private struct Subscription: Sendable {
        let listen: ServerListen
        /// Its number on this connection, once it was asked for there.
        var wireID: UInt64?
    }

    /// In the order in which they were started; never walked but in sorted order.
    private var subscriptions: [UInt64: Subscription] = [:]
    private var numbers: [Kind: UInt64] = [:]
    private var byWireID: [UInt64: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// Those not yet asked for on this connection.
    private var unasked: ArraySlice<UInt64> = []

    var isEmpty: Bool { subscriptions.isEmpty }

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
        return wireID
    }

    /// Forgets a listen that the node ended.
    mutating func end(_ wireID: UInt64) -> ServerListen? {
        guard let listen = listen(wireID) else { return nil }
        _ = stop(listen)
        return listen
    }

    /// Gives the next listen that was not asked for its number on this connection.
    mutating func ask(as wireID: UInt64) -> ServerListen? {
        while let number = unasked.popFirst() {
            guard subscriptions[number] != nil else { continue }
            subscriptions[number]?.wireID = wireID
            byWireID[wireID] = number
            return subscriptions[number]?.listen
        }
        return nil
    }

    /// The listen with a number on this connection; nil if nobody listens any more.
    func listen(_ wireID: UInt64) -> ServerListen? {
        byWireID[wireID].flatMap { subscriptions[$0]?.listen }
    }

    /// Keeps the listens for the next connection.
    mutating func disconnect() {
        byWireID.removeAll()
        unasked = subscriptions.keys.sorted()[...]
        for number in unasked { subscriptions[number]?.wireID = nil }
    }
}
