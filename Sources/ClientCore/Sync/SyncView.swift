import DataTree
import QueryEngine

/// One query at one location at a client: the server's data, the application's writes over them, and the result that
/// listeners see.
///
/// The list holds the children that are completely known, also outside the window: one of them may follow when a
/// child leaves it. A child in the window stays until new data replace it, so that a write that is acknowledged
/// before its change arrives does not flicker.
struct SyncView: Sendable {
    let query: Query
    /// Nil if another listen serves the query, and always if the query hides nothing.
    let tag: Tag?
    var listens: [ListenID] = []
    var server: ServerCache
    /// The known data with the writes over them; for a filtered query only the children.
    private(set) var list: Value
    private(set) var isListComplete: Bool
    /// The children that an operation may have changed in the list; nil if any may have.
    private var touched: [Key]? = []
    private var index: Index
    private var view: View

    init(of query: Query, tag: Tag?, _ server: ServerCache, over overlay: PendingOverlay) {
        self.query = query
        self.tag = tag
        self.server = server
        let complete = overlay.completed(over: server.completeValue)
        isListComplete = complete != nil
        let known = complete ?? overlay.completedChildren(over: server.value)
        list = query.isFiltered ? Value(known.children) : known
        index = Index(by: query.order, of: list.children)
        view = View(of: query, for: .all)
        _ = view.open(on: orderedList)
    }

    /// The events for a listener that joins.
    ///
    /// - Complexity: O(children shown).
    func initialEvents() -> [ViewEvent] {
        var joining = View(of: query, for: .all)
        let list = orderedList
        let opening = joining.open(on: list)
        return joining.events(of: opening, on: list)
    }

    /// The server's data of a place below, if they are complete whatever the query.
    func serverValue(at path: Path) -> Value? {
        guard let value = server.completeValue else { return nil }
        if !query.isFiltered { return value[path] }
        guard let key = path.keys.first, !value[key].isNull else { return nil }
        return value[path]
    }

    /// The value that the query shows, once it is complete.
    var shown: Value? { view.isComplete ? view.value : nil }

    private var orderedList: OrderedList {
        OrderedList(list, by: index, isComplete: isListComplete)
    }
}

// MARK: - The list

extension SyncView {
    /// Whether the list holds all of a child.
    func isListed(_ key: Key) -> Bool {
        isListComplete && !query.isFiltered || !list[key].isNull
    }

    mutating func replaceList(by new: Value) {
        touched = nil
        list = query.isFiltered ? Value(new.children) : new
    }

    mutating func setList(_ new: Value, at path: Path) {
        guard let key = path.keys.first else { return replaceList(by: new) }
        if key == .priority {
            if !query.isFiltered { replaceList(by: list.prioritized(new)) }
            return
        }
        // For example when a server sends data that a write has shown before.
        if list[path] == new { return }
        touched?.append(key)
        list.set(new, at: path)
    }

    /// The server's data, which differ in this child, become the list.
    mutating func followServer(at key: Key) {
        touched?.append(key)
        list = server.value
    }

    mutating func setListComplete(_ isComplete: Bool) { isListComplete = isComplete }

    /// Applies an operation and returns the events of listeners.
    ///
    /// - Parameter overlay: The pending writes at the location, this operation included.
    /// - Parameter complete: The server's data of the location from a wider listen.
    mutating func apply(
        _ operation: SyncOperation, over overlay: PendingOverlay, complete: Value?
    ) -> [ViewEvent] {
        let old = list
        touched = []
        update(operation, over: overlay, complete: complete)
        let change = listChange(from: old)
        index.update(change, in: list.children)
        let ordered = orderedList
        let windowChange = view.apply(change, to: ordered)
        let events = view.events(of: windowChange, on: ordered)
        if query.isFiltered {
            let concerned = windowChange.removed.map(\.key) + change.children.map(\.key)
            dropUnknown(among: concerned + operation.keys + server.takeHidden(), over: overlay)
        }
        return events
    }

    private func listChange(from old: Value) -> ListChange {
        guard let touched else {
            return ListChange([Change(path: .root, old: old, new: list)], to: list)
        }
        var children: [ListChange.Child] = []
        for key in touched.count > 1 ? touched.sorted() : touched where children.last?.key != key {
            let (before, after) = (old[key], list[key])
            if before.isNull, after.isNull { continue }
            children.append(ListChange.Child(key: key, old: before, new: after))
        }
        // A primitive gave way to children, or the last child went.
        if old.isPrimitive != list.isPrimitive || old.priority != list.priority {
            return ListChange([Change(path: .root, old: old, new: list)], to: list)
        }
        return ListChange(children: children)
    }

    /// Forgets children outside the window that neither the server nor a write keeps up to date: they may have changed
    /// meanwhile.
    private mutating func dropUnknown(
        among keys: [Key], over overlay: PendingOverlay
    ) {
        for key in Set(keys).sorted() where view.value[key].isNull {
            let child = list[key]
            let isTold = server.isComplete(for: key) || overlay[key].isReplaced
            guard !child.isNull, !isTold else { continue }
            list.set(.null, at: Path([key]))
            let change = ListChange(children: [.init(key: key, old: child, new: .null)])
            index.update(change, in: list.children)
        }
    }
}
