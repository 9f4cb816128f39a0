import DataTree

/// The events of applications' listeners are right, as far as one check goes.
enum EventChecks {
    static func judge(_ check: Check, _ evidence: Evidence) -> Finding {
        var count = 0
        for (index, streams) in evidence.programs {
            for stream in streams {
                count += stream.tally.counts[check] ?? 0
                guard let failure = stream.tally.failures[check] else { continue }
                return .invalid(
                    "c\(index + 1), which listens at \(stream.path), \(failure)")
            }
        }
        return .valid(count, subject(of: check))
    }

    /// The events without which there is nothing to check.
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
