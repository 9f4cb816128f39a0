import SyncProtocol

/// The names of transactions that this coordinator has refused last, because their places had changed.
///
/// A client whose transaction was refused tries another one, under another name. The same proposal may still be on its
/// way from a node that the client turned to before: done later, when its condition happens to hold, it would be done
/// besides the other one.
struct RefusedTransactions: Sendable {
    /// Clients turn to another node within seconds.
    static let limit = 10_000

    private var names: Set<Stamp> = []
    /// In order of arrival, from `next` on once there are as many as the limit.
    private var order: [Stamp] = []
    private var next = 0

    func contains(_ name: Stamp) -> Bool { names.contains(name) }

    mutating func insert(_ name: Stamp) {
        guard names.insert(name).inserted else { return }
        guard order.count == RefusedTransactions.limit else { return order.append(name) }
        names.remove(order[next])
        order[next] = name
        next = (next + 1) % RefusedTransactions.limit
    }
}
