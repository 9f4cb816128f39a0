import DataTree
import QueryEngine

/// The events of one application's listener, checked as they come: they must make up what the listener
/// shows, child by child, with nothing lost, doubled or out of place.
///
/// Source: `guarantees.md`, E1 to E6.
struct EventStream {
    let path: Path
    let query: Query
    /// What the child events have made, by key.
    private(set) var children = Children()
    /// The last value event; nil before the first.
    private(set) var value: Value?
    private(set) var batchCount = 0
    /// How often there was something to check, for each check.
    private(set) var counts: [Check: Int] = [:]
    /// The first error of the events, for each check.
    private(set) var failures: [Check: String] = [:]

    init(path: Path, query: Query) {
        self.path = path
        self.query = query
    }

    /// Checks the events of one change.
    mutating func take(_ events: [ViewEvent]) {
        batchCount += 1
        checkOrder(of: events)
        for event in events { take(event) }
        checkPlaces(of: events)
    }

    private mutating func note(_ check: Check, _ problem: String) {
        if failures[check] == nil { failures[check] = "batch \(batchCount): \(problem)" }
    }

    private mutating func count(_ check: Check) { counts[check, default: 0] += 1 }

    /// Removals, additions, moves, changes, and in the end one value.
    private mutating func checkOrder(of events: [ViewEvent]) {
        if events.count > 1 { count(.eventsInOrder) }
        let kinds = events.map(\.kind.rawValue)
        if kinds != kinds.sorted() {
            note(.eventsInOrder, "the kinds come as \(events.map(\.kind))")
        }
        for kind in Set(events.map(\.kind)) {
            checkOrder(of: events.filter { $0.kind == kind }.map { ($0.key, $0.data) })
        }
        // Before the node has sent the whole value, the application's own writes show child by child.
        let values = events.count { $0.kind == .value }
        if values > 1 || values == 0 && value != nil {
            note(.eventsInOrder, "one change gave \(events.map(\.kind))")
        }
    }

    /// Events of one kind come in the order of the query.
    private mutating func checkOrder(of events: [(key: Key?, data: Value)]) {
        var told = Children()
        for case (let key?, let data) in events { told[key] = data }
        let ordered = told.ordered(by: query.order).map(\.key)
        if ordered.count == events.count, ordered != events.map(\.key) {
            note(.eventsInOrder, "children come as \(events.map(\.key)), in \(Value(told))")
        }
    }

    // MARK: Events

    private mutating func take(_ event: ViewEvent) {
        guard let key = event.key else { return take(value: event.data) }
        let known = children[key]
        count(.childrenComeOnce)
        if (event.kind == .childAdded) == (known != nil) {
            note(.childrenComeOnce, "\(event.kind) of \(key), which is there: \(known != nil)")
        }
        switch event.kind {
        case .childRemoved:
            count(.oldValuesAreRight)
            if let known, known != event.data {
                note(.oldValuesAreRight, "\(key) was \(known), and is removed as \(event.data)")
            }
            children[key] = nil
        case .childChanged:
            if known == event.data {
                note(.oldValuesAreRight, "\(key) was \(event.data) already, and has changed to it")
            }
            children[key] = event.data
        case .childAdded: children[key] = event.data
        case .childMoved:
            // A change event reports what changed of it.
            if let known, !mayMove(from: known, to: event.data) {
                note(.oldValuesAreRight, "\(key) was \(known), and moves as \(event.data)")
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

    private mutating func take(value new: Value) {
        count(.changesTellTheTruth)
        count(.eventsMakeTheState)
        if value == new { note(.changesTellTheTruth, "a value came twice: \(new)") }
        value = new
        if new.children != children {
            note(
                .eventsMakeTheState,
                "the events make something else than it shows, at "
                    + "\(TreeDifference(Value(children), new, at: path))")
        }
    }

    /// The child that an event names as the previous one precedes it in what the listener shows now.
    private mutating func checkPlaces(of events: [ViewEvent]) {
        guard let value else { return }
        var before: [Key: Key?] = [:]
        var last: Key?
        for (key, _) in value.children.ordered(by: query.order) {
            before[key] = .some(last)
            last = key
        }
        for event in events {
            guard let key = event.key, event.kind != .childRemoved else { continue }
            count(.childrenInPlace)
            if before[key] != .some(event.previousChildKey) {
                note(
                    .childrenInPlace,
                    "\(event.kind) of \(key) after \(event.previousChildKey?.text ?? "none"), in "
                        + "\(value)")
            }
        }
    }

    // MARK: The end

    /// Compares what the listener shows with what its node shows.
    mutating func finish(showing tree: Value) {
        let expected = shown(of: tree)
        if value == expected { return }
        let difference = value.map { "\(TreeDifference($0, expected, at: path))" }
        note(
            .changesTellTheTruth,
            "shows something else than its node in the end, at \(difference ?? "no value at all")")
    }

    /// What the query shows of a tree.
    func shown(of tree: Value) -> Value {
        let list = tree[path]
        guard query.isFiltered else { return list }
        let index = Index(by: query.order, of: list.children)
        var shown = Children()
        for (key, child) in query.results(in: OrderedList(list, by: index)) {
            shown[key] = child
        }
        return Value(shown)
    }

    /// An update of both sides is one change.
    mutating func checkPair() {
        guard let value else { return }
        if value[Key(unchecked: "left")] != value[Key(unchecked: "right")] {
            note(.eventsInOrder, "it shows half of an update: \(value)")
        }
    }

    mutating func noteEnd(_ problem: String) {
        note(.changesTellTheTruth, "it ended: \(problem)")
    }
}
