import DataTree
import QueryEngine

/// A listener that holds its list by the child events alone.
struct NaiveListener {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let path: Path
    let query: Query
    private var children: [(key: Key, value: Value)] = []
    private var value: Value?

    init(path: Path, query: Query) {
        self.path = path
        self.query = query
    }

    /// The result of a query, computed by sorting all children.
    static func shown(_ value: Value, by query: Query) -> Value {
        guard query.isFiltered else { return value }
        var children = Children()
        for (key, child) in entries(value, by: query) { children[key] = child }
        return Value(children)
    }

    private static func entries(_ value: Value, by query: Query) -> [(key: Key, value: Value)] {
        let index = Index(by: query.order, of: value.children)
        return query.results(in: OrderedList(value, by: index))
    }

    /// Takes the events of one change: what comes or changed stands behind its predecessor as of the
    /// end, so it is put in once that is there.
    mutating func take(_ events: [ViewEvent]) throws {
        var coming: [ViewEvent] = []
        for event in events {
            switch event.kind {
            case .childRemoved: try remove(event)
            case .childAdded: coming.append(event)
            case .childMoved: break  // What moved also changed.
            case .childChanged:
                try remove(event)
                coming.append(event)
            case .value:
                try insert(coming)
                coming = []
                value = event.data
                try checkList(event)
            }
        }
        try insert(coming)
    }

    /// The last value event, and the list held by child events, are what the query shows now.
    func checkFinal(_ expected: Value) throws {
        let shown = NaiveListener.shown(expected, by: query)
        if value == shown { return }
        throw Failure(
            description: "\(query) at \(path) shows \(value.map { "\($0)" } ?? "nothing"), "
                + "not \(shown)")
    }

    private func place(of key: Key) -> Int? { children.firstIndex { $0.key == key } }

    private mutating func remove(_ event: ViewEvent) throws {
        guard let place = event.key.flatMap(place) else { throw failure("no such child", event) }
        let isSame = children.remove(at: place).value == event.data
        if isSame != (event.kind == .childRemoved) { throw failure("the old value", event) }
    }

    private mutating func insert(_ events: [ViewEvent]) throws {
        var waiting = events
        while let next = waiting.firstIndex(where: { isPlaceable($0) }) {
            let event = waiting.remove(at: next)
            guard let key = event.key, place(of: key) == nil else {
                throw failure("is there already", event)
            }
            let before = event.previousChildKey.flatMap(place) ?? -1
            children.insert((key, event.data), at: before + 1)
        }
        if let event = waiting.first { throw failure("no such predecessor", event) }
    }

    private func isPlaceable(_ event: ViewEvent) -> Bool {
        event.previousChildKey.map { place(of: $0) != nil } ?? true
    }

    private func checkList(_ event: ViewEvent) throws {
        let expected = NaiveListener.entries(event.data, by: query)
        let isSame =
            expected.map(\.key) == children.map(\.key)
            && expected.map(\.value) == children.map(\.value)
        if !isSame { throw failure("the list is \(children)", event) }
    }

    private func failure(_ text: String, _ event: ViewEvent) -> Failure {
        Failure(description: "\(query) at \(path): \(text): \(event)")
    }
}
