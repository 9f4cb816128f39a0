import DataTree
import QueryEngine

/// The events of one application's listener, checked as they come: they must make up what the listener
/// shows, child by child, with nothing lost, doubled or out of place.
///
/// Source: `guarantees.md`, E1 to E6.
struct EventStream {
    let path: Path
    let query: Query
    /// Its program has ended the listen.
    var isOver = false
    /// The result of the child events, by key.
    private(set) var children = Children()
    /// The last value event; nil before the first.
    private(set) var value: Value?
    /// Whether the listener knows the whole value: no change has come since without a value event.
    private var isComplete = false
    /// Whether it may know a part only again: an own write of all of it, which the node has not told yet, may be refused.
    var mayBePartial: Bool
    private(set) var batchCount = 0
    /// How many values it has been told.
    private(set) var valueCount = 0
    /// The same, and how many unanswered writes of its program touched it, when that was looked at last.
    var lookedAt = (valueCount: 0, writeCount: 0)
    /// The children that it had then.
    var childrenLookedAt = Children()
    /// The findings of the checks of the events.
    private(set) var tally = CheckTally()

    init(path: Path, query: Query, mayBePartial: Bool = false) {
        self.path = path
        self.query = query
        self.mayBePartial = mayBePartial
    }

    /// Checks the events of one change.
    mutating func check(_ events: [ViewEvent]) {
        batchCount += 1
        checkExactness(of: events)
        checkOrder(of: events)
        for event in events { apply(event) }
        isComplete = events.last?.kind == .value
        checkPlaces(of: events)
    }

    /// The value that the listener knows now; nil if it knows none, or a part.
    var shown: Value? { isComplete ? value : nil }

    private mutating func report(_ check: Check, _ problem: String) {
        let batch = batchCount
        tally.report(check, "batch \(batch): \(problem)")
    }

    private mutating func count(_ check: Check) { tally.count(check) }

    /// A change that ends with a value tells exactly what a comparison of the two values gives.
    private mutating func checkExactness(of events: [ViewEvent]) {
        guard let last = events.last, last.kind == .value else { return }
        count(.eventsAreExact)
        let expected = NaiveQuery(query).events(
            from: shown ?? Value(children), wasComplete: isComplete, to: last.data)
        let afterPart = NaiveQuery(query).events(
            from: shown ?? Value(children), wasComplete: false, to: last.data)
        if events == expected || mayBePartial && events == afterPart { return }
        let old = shown?.description ?? "nothing whole, but \(Value(children))"
        report(
            .eventsAreExact,
            "from \(old) to \(last.data) it was told \(EventStream.text(of: events)), not "
                + EventStream.text(of: expected))
    }

    private static func text(of events: [ViewEvent]) -> String {
        let texts = events.map { event in
            let key = event.key.map { " \($0)" } ?? ""
            let place = event.previousChildKey.map { " after \($0)" } ?? ""
            return "\(event.kind.name)\(key)\(place) \(event.data)"
        }
        return "[" + texts.joined(separator: ", ") + "]"
    }

    /// Removals, additions, moves, changes, and in the end one value.
    private mutating func checkOrder(of events: [ViewEvent]) {
        if events.count > 1 { count(.eventsInOrder) }
        let kinds = events.map(\.kind.rawValue)
        if kinds != kinds.sorted() {
            report(.eventsInOrder, "the kinds come as \(events.map(\.kind))")
        }
        for kind in Set(events.map(\.kind)) {
            checkOrder(of: events.filter { $0.kind == kind }.map { ($0.key, $0.data) })
        }
        // Before the node has sent the whole value, the application's own writes show child by child.
        let values = events.count { $0.kind == .value }
        if values > 1 || values == 0 && isComplete && !mayBePartial {
            report(.eventsInOrder, "one change gave \(events.map(\.kind))")
        }
    }

    /// Events of one kind come in the order of the query.
    private mutating func checkOrder(of events: [(key: Key?, data: Value)]) {
        var told = Children()
        for case (let key?, let data) in events { told[key] = data }
        let ordered = NaiveQuery(query).ordered(told).map(\.key)
        if ordered.count == events.count, ordered != events.map(\.key) {
            report(.eventsInOrder, "children come as \(events.map(\.key)), in \(Value(told))")
        }
    }

    // MARK: Events

    private mutating func apply(_ event: ViewEvent) {
        guard let key = event.key else { return apply(value: event.data) }
        let known = children[key]
        count(.childrenComeOnce)
        if (event.kind == .childAdded) == (known != nil) {
            report(.childrenComeOnce, "\(event.kind) of \(key), which is there: \(known != nil)")
        }
        switch event.kind {
        case .childRemoved:
            count(.oldValuesAreRight)
            if let known, known != event.data {
                report(.oldValuesAreRight, "\(key) was \(known), and is removed as \(event.data)")
            }
            children[key] = nil
        case .childChanged:
            if known == event.data {
                report(
                    .oldValuesAreRight, "\(key) was \(event.data) already, and has changed to it")
            }
            children[key] = event.data
        case .childAdded: children[key] = event.data
        case .childMoved:
            // A change event reports what changed of it.
            if let known, !mayMove(from: known, to: event.data) {
                report(.oldValuesAreRight, "\(key) was \(known), and moves as \(event.data)")
            }
        case .value: break
        }
    }

    /// Whether a child may have another place in the order of the query.
    private func mayMove(from old: Value, to new: Value) -> Bool {
        switch query.order {
        case .key: false
        case .value: old != new
        case .priority: old.priority != new.priority
        case .child(let path): old[path] != new[path]
        }
    }

    private mutating func apply(value new: Value) {
        count(.changesTellTheTruth)
        count(.eventsMakeTheState)
        valueCount += 1
        if shown == new, !mayBePartial {
            report(.changesTellTheTruth, "a value came twice: \(new)")
        }
        value = new
        if new.children != children {
            report(
                .eventsMakeTheState,
                "the events make something else than it shows, at "
                    + "\(TreeDifference(Value(children), new, at: path))")
        }
    }

    /// The child that an event names as the previous one precedes it in what the listener shows now.
    private mutating func checkPlaces(of events: [ViewEvent]) {
        // A client that knows a part only shows the places among the children that it knows.
        guard let value = shown ?? (value == nil ? nil : Value(children)) else { return }
        var before: [Key: Key?] = [:]
        var last: Key?
        for (key, _) in NaiveQuery(query).ordered(value.children) {
            before[key] = .some(last)
            last = key
        }
        for event in events {
            guard let key = event.key, event.kind != .childRemoved else { continue }
            count(.childrenInPlace)
            if before[key] != .some(event.previousChildKey) {
                report(
                    .childrenInPlace,
                    "\(event.kind) of \(key) after \(event.previousChildKey?.text ?? "none"), in "
                        + "\(value)")
            }
        }
    }

    // MARK: The end

    /// Compares what the listener shows with what its node shows.
    mutating func finish(showing tree: Value) {
        if isOver { return }
        let expected = expected(of: tree)
        if shown == expected { return }
        let difference = shown.map { "\(TreeDifference($0, expected, at: path))" }
        report(
            .changesTellTheTruth,
            "shows something else than its node in the end, at \(difference ?? "no value at all")")
    }

    /// The value that the listener must show for a tree.
    func expected(of tree: Value) -> Value { NaiveQuery(query).shown(of: tree[path]) }

    /// An update of both sides is one change.
    mutating func checkPair() {
        guard let value else { return }
        if value[Key(unchecked: "left")] != value[Key(unchecked: "right")] {
            report(.eventsInOrder, "it shows half of an update: \(value)")
        }
    }

    mutating func noteEnd(_ problem: String) {
        report(.changesTellTheTruth, "it ended: \(problem)")
    }
}
