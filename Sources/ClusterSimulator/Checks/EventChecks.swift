import DataTree

extension Check {
    package static let eventsMakeTheState: Check = Check(
        "events-make-the-state", judges: .programs, guarantees: "E1",
        claim: "child events result in the state of the value events",
        criterion: """
            the child events of an application's listener result in the state of its value \
            events
            """,
        evaluate: { EventChecks.evaluate(.eventsMakeTheState, "values that were told", $0) })

    package static let childrenInPlace: Check = Check(
        "children-in-place", judges: .programs, guarantees: "E2",
        claim: "the previous child that an event names is correct",
        criterion: "the previous child that an event names is correct",
        evaluate: { EventChecks.evaluate(.childrenInPlace, "children with a place", $0) })

    package static let childrenComeOnce: Check = Check(
        "children-come-once", judges: .programs, guarantees: "E3",
        claim: "a child is added once; only existing ones change",
        criterion: "a child is added once, and only an existing child changes, moves or is removed",
        evaluate: { EventChecks.evaluate(.childrenComeOnce, "events of children", $0) })

    package static let eventsInOrder: Check = Check(
        "events-in-order", judges: .programs, guarantees: "E4, X1",
        claim: "the events of a change have the right order",
        criterion: """
            a change has removals, additions, moves, changes and one value in this order, with \
            all parts of an update
            """,
        evaluate: { EventChecks.evaluate(.eventsInOrder, "changes of several events", $0) })

    package static let oldValuesAreRight: Check = Check(
        "old-values-are-right", judges: .programs, guarantees: "E5",
        claim: "a removal shows the last value",
        criterion: "a removal shows the last value, and a change differs from it",
        evaluate: { EventChecks.evaluate(.oldValuesAreRight, "removals", $0) })

    package static let changesTellTheTruth: Check = Check(
        "changes-tell-the-truth", judges: .programs, guarantees: "E6",
        traits: [.atEnd],
        claim: "each change changes something",
        criterion: """
            every change changes something, and at the end a listener shows the state of its \
            node
            """,
        evaluate: { EventChecks.evaluate(.changesTellTheTruth, "values that were told", $0) })

    package static let eventsAreExact: Check = Check(
        "events-are-exact", judges: .programs, guarantees: "E1 to E6",
        claim: "each change has the events that a comparison gives",
        criterion: """
            each change that ends with a value has exactly the events that filtering, sorting \
            and comparing the two values gives
            """,
        evaluate: { EventChecks.evaluate(.eventsAreExact, "values that were told", $0) })
}

/// The events of applications' listeners are right, as far as one check goes.
enum EventChecks {
    static func evaluate(_ check: Check, _ subject: String, _ evidence: Evidence) -> Finding {
        var count = 0
        for (index, streams) in evidence.programs {
            for stream in streams {
                count += stream.tally.counts[check] ?? 0
                guard let failure = stream.tally.failures[check] else { continue }
                return .invalid(
                    "c\(index + 1), which listens at \(stream.path), \(failure)")
            }
        }
        return .valid(count, subject)
    }
}
