/// The listeners of a location or a query, in the order in which they began.
///
/// A removed listener stays in the array until the list is compacted, so that thousands of clients that disconnect at once cost no
/// search each.
struct ListenerList: Sendable {
    private var listeners: [Listens.Listener] = []
    private var removed: Set<Listens.Listener> = []

    var isEmpty: Bool { listeners.count == removed.count }

    /// Whether removed listeners are still in the array, which `all` then searches.
    var needsCompaction: Bool { !removed.isEmpty }

    /// The listeners in order.
    var all: [Listens.Listener] {
        removed.isEmpty ? listeners : listeners.filter { !removed.contains($0) }
    }

    mutating func append(_ listener: Listens.Listener) {
        // A listen may begin again under its number.
        if removed.contains(listener) { compact() }
        listeners.append(listener)
    }

    /// Removes a listener that is in the list.
    ///
    /// - Complexity: O(1) amortised.
    mutating func remove(_ listener: Listens.Listener) {
        removed.insert(listener)
        if removed.count > listeners.count / 2 { compact() }
    }

    /// Removes what is removed from the array, too.
    mutating func compact() {
        if !removed.isEmpty { (listeners, removed) = (all, []) }
    }
}
