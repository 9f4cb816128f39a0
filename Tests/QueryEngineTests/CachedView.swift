import DataTree

@testable import QueryEngine

/// A view together with the value that it shows a part of: the state of one listener, and its events.
///
///     var view = CachedView(of: try Query().limited(toLast: 10), for: .all)
///     view.set(value)                                                    // the first events
///     view.apply([Change(path: path, old: .null, new: 3)])               // those of one operation
///
/// The value given may be all that the location holds, or just the window of a filtered query.
struct CachedView: Sendable {
    /// The known value of the location; null until it is set.
    private(set) var cache = Value.null
    var view: View
    private var index: Index

    init(of query: Query = Query(), for kinds: ViewEvent.Kinds) {
        view = View(of: query, for: kinds)
        index = Index(by: query.order, of: Children())
    }

    var kinds: ViewEvent.Kinds { view.kinds }
    /// Whether a whole value has been given.
    var isComplete: Bool { view.isComplete }

    /// Sets the whole value, at first or again after a gap; only differences make events.
    ///
    /// - Complexity: O(children that either value has) per level that is not shared by both.
    mutating func set(_ new: Value) -> [ViewEvent] {
        if !isComplete { return open(new) }
        var changes: [Change] = []
        Change.append(from: cache, to: new, at: .root, into: &changes)
        cache = new
        return events(of: ListChange(changes, to: new))
    }

    /// Applies the exact changes of one operation, in the order in which they happened, their paths
    /// relative to the view's location.
    ///
    /// - Complexity: O(log n) for each change to a child of a list of n, besides the size of the
    ///   change itself.
    mutating func apply(_ changes: [Change]) -> [ViewEvent] {
        events(of: ListChange(of: &cache, taking: changes.map { ($0.path, $0.new) }))
    }

    /// Replaces the values at some paths, together; an equal value is no change.
    mutating func apply(writing writes: [(path: Path, value: Value)]) -> [ViewEvent] {
        if writes.count == 1, writes[0].path.isRoot { return set(writes[0].value) }
        return events(of: ListChange(of: &cache, taking: writes))
    }
}

extension CachedView {
    private mutating func open(_ new: Value) -> [ViewEvent] {
        cache = new
        index = Index(by: index.order, of: new.children)
        let list = OrderedList(cache, by: index)
        let change = view.open(on: list)
        return view.events(of: change, on: list)
    }

    /// The events of a change that the cache has applied already.
    private mutating func events(of change: ListChange) -> [ViewEvent] {
        index.update(change, in: cache.children)
        let list = OrderedList(cache, by: index)
        let windowChange = view.apply(change, to: list)
        return view.events(of: windowChange, on: list)
    }
}
