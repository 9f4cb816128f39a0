import DataTree
import SyncProtocol

extension Check {
    package static let writesCountOnce: Check = Check(
        "writes-count-once", judges: .library, guarantees: "X1",
        traits: [.atEnd],
        claim: "a write is done at most once, a refused one never",
        criterion: """
            each write and each transaction of the library's clients is done at most once, and \
            never after a refusal; also by the next process of a program that saves its writes
            """,
        evaluate: WritesCountOnce.evaluate)
}

/// Each write and each transaction of a client of the library is done at most once, and never after a refusal.
enum WritesCountOnce {
    private struct Name: Hashable, Comparable {
        let client: Int
        let print: Fingerprint

        static func < (a: Name, b: Name) -> Bool {
            (a.client, a.print) < (b.client, b.print)
        }
    }

    static func evaluate(_ evidence: Evidence) -> Finding {
        let requested = requested(in: evidence)
        if requested.isEmpty { return .unknown("no client of the library wrote") }
        for node in evidence.nodes {
            var done: [Name: Int] = [:]
            for operation in node.operations {
                guard let client = evidence.clientWriters[operation.stamp.writer],
                    let print = Fingerprint(of: operation.writes)
                else { continue }
                done[Name(client: client, print: print), default: 0] += 1
            }
            for (name, count) in done.sorted(by: { $0.key < $1.key }) {
                guard let operations = requested[name] else { continue }
                let possible = operations.count { $0.outcome != .failed }
                if count <= possible { continue }
                let line = operations[0].line
                return .invalid(
                    "\(node.name) has done \(count) times what \(possible) requests may have done",
                    line
                ).about(operations[0])
            }
        }
        return TransactionsOnce.failure(evidence)
            ?? .valid(requested.count, "writes of clients of the library")
    }

    private static func requested(in evidence: Evidence) -> [Name: [ClientOperation]] {
        var requested: [Name: [ClientOperation]] = [:]
        for operation in evidence.history.operations {
            guard let print = operation.fingerprint, !operation.isRead else { continue }
            let name = Name(client: operation.client, print: print)
            requested[name, default: []].append(operation)
        }
        return requested
    }
}
