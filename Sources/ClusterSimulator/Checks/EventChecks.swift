import DataTree

/// What the listeners of applications were told is right, as far as one check goes.
enum EventChecks {
    static func judge(_ check: Check, _ evidence: Evidence) -> Finding {
        var count = 0
        for application in evidence.applications {
            for stream in application.streams {
                count += stream.counts[check] ?? 0
                guard let flaw = stream.flaws[check] else { continue }
                return .invalid(
                    "c\(application.index + 1), which listens at \(stream.path), \(flaw)")
            }
        }
        return .valid(count, subject(of: check))
    }

    /// What it takes to check anything.
    private static func subject(of check: Check) -> String {
        switch check {
        case .childrenInPlace: "children with a place"
        case .childrenComeOnce: "events of children"
        case .eventsInOrder: "changes of several events"
        case .oldValuesAreRight: "removals"
        default: "values that were told"
        }
    }
}

/// Each transaction that came out is in the count that they all make, once.
enum TransactionsCount {
    static func judge(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.cluster.replicas == 1,
            evidence.scenario.cluster.durability == .commit
        else { return .unknown("transactions are decided by one node, and there are more") }
        let committed = evidence.applications.reduce(0) { $0 + $1.committed }
        let unknown = evidence.applications.reduce(0) { $0 + $1.unknown }
        if committed == 0 { return .unknown("no transaction was committed") }
        var shown: Int64 = 0
        if case .integer(let number) = evidence.nodes[0].value[Application.count].content {
            shown = number
        }
        guard (Int64(committed)...Int64(committed + unknown)).contains(shown) else {
            return .invalid(
                "the count is \(shown), after \(committed) transactions and \(unknown) of which the "
                    + "outcome is not known")
        }
        return .valid("\(committed) transactions, \(unknown) unknown")
    }
}
