import SyncProtocol

/// The names of the transactions that this coordinator refused last, because their locations had changed.
///
/// After a refusal, a client tries another transaction under another name. The refused proposal may still arrive
/// from a node that the client used before. If its condition held by then, both transactions would be executed.
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
