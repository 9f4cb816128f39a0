import DataTree
import SyncProtocol

/// No node does more transactions of a client of the library at a place than the client may believe to be done.
///
/// After each refusal, which may be wrong, a transaction is sent under another name. The check therefore counts
/// executed names instead of values.
enum TransactionsOnce {
    private struct Place: Hashable, Comparable {
        let client: Int
        let path: Path

        static func < (a: Place, b: Place) -> Bool { (a.client, a.path) < (b.client, b.path) }
    }

    static func failure(_ evidence: Evidence) -> Finding? {
        let requested = Dictionary(grouping: evidence.history.transactions) {
            Place(client: $0.client, path: $0.path)
        }
        if requested.isEmpty { return nil }
        for node in evidence.nodes {
            for (place, count) in done(at: node, evidence).sorted(by: { $0.key < $1.key }) {
                guard let transactions = requested[place] else { continue }
                let possible = transactions.count { $0.outcome != .failed }
                if count <= possible { continue }
                let failed = transactions.last { $0.outcome == .failed } ?? transactions[0]
                return .invalid(
                    "\(node.name) has done \(count) transactions of c\(place.client + 1) at \(place.path), of "
                        + "which \(possible) may be done by what it was told", failed.description)
            }
        }
        return nil
    }

    /// How many transactions of each client a node has done at each place.
    private static func done(at node: Evidence.Node, _ evidence: Evidence) -> [Place: Int] {
        var names: Set<Stamp> = []
        var done: [Place: Int] = [:]
        for operation in node.operations where operation.term != nil {
            guard let name = operation.alias, let client = evidence.clientWriters[name.writer],
                let path = operation.writes.first?.path, names.insert(name).inserted
            else { continue }
            done[Place(client: client, path: path), default: 0] += 1
        }
        return done
    }
}
