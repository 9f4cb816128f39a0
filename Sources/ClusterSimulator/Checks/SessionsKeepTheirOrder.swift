import DataTree
import SyncProtocol

extension Check {
    package static let sessionsKeepTheirOrder: Check = Check(
        "sessions-keep-their-order", judges: .programs, guarantees: "S6",
        claim: "a session's writes take effect in their order",
        criterion: """
            pipelined writes of a session at one location take effect in the order of sending, \
            transactions included
            """,
        evaluate: SessionsKeepTheirOrder.evaluate)
}

/// The writes of one session at one location take effect in the order in which it has sent them, transactions included.
enum SessionsKeepTheirOrder {
    private struct Session: Hashable {
        let client: Int
        let number: Int
    }

    static func evaluate(_ evidence: Evidence) -> Finding {
        var count = 0
        for node in evidence.nodes {
            var last: [Session: (name: Successions.Name, stamp: Stamp)] = [:]
            for operation in node.operations {
                guard let name = operation.succession else { continue }
                let session = Session(client: name.client, number: name.session)
                if let earlier = last[session], name.number <= earlier.name.number {
                    return .invalid(
                        "at \(node.name), write \(name.number) of session \(name.session) of c\(name.client + 1) takes effect "
                            + "after write \(earlier.name.number), which was sent later",
                        "write \(earlier.name.number): \(earlier.stamp)",
                        "write \(name.number): \(operation.stamp)")
                }
                last[session] = (name, operation.stamp)
                count += 1
            }
        }
        if count == 0 { return .unknown("no session has sent writes without waiting") }
        return .valid(count, "writes of sessions at their locations")
    }
}

extension Operation {
    /// The write of a succession that it is.
    fileprivate var succession: Successions.Name? {
        writes.first { $0.path.count == 2 && Successions.root.contains($0.path) }
            .flatMap { Successions.Name($0.value) }
    }
}
