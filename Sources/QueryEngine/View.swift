public import DataTree

/// The window of a query at a location, and how it moves with each operation.
///
///     var index = Index(by: query.order, of: value.children)
///     var view = View(of: query, for: .all)
///     var change = view.open(on: OrderedList(value, by: index))     // the first events
///     // For each operation, after the value has changed:
///     let listChange = ListChange(changes, to: value)
///     index.update(listChange, in: value.children)
///     let list = OrderedList(value, by: index)
///     change = view.apply(listChange, to: list)
///     view.events(of: change, on: list)           // the events of its listeners
///     change.writes(of: listChange, on: list)     // what a client with only the window needs
///
/// The list is the source of candidates. It is either complete (at a server, or at a client that listens to
/// everything), or the window that a server sent, with local writes over it (at a client whose listen is
/// filtered). In the second case, a child that leaves has no successor until the server names it, and a child that
/// is pushed out stays a candidate.
///
/// Many listeners, and several queries, share one list; equal queries share one view.
/// Source: `firebase-semantics.md`, sections 4.3 and 5.
public struct View: Sendable {
    package let query: Query
    /// The kinds of events that are made; others cost nothing.
    public let kinds: ViewEvent.Kinds
    /// Whether the window is completely known, as of the last operation.
    public private(set) var isComplete = false
    /// The value that the query shows, if value events are made; otherwise null.
    public private(set) var value = Value.null

    private(set) var window: Window

    package init(of query: Query, for kinds: ViewEvent.Kinds) {
        self.query = query
        self.kinds = kinds
        window = Window(of: query)
    }

    /// Shows a list for the first time.
    ///
    /// - Complexity: O(log n + children shown).
    public mutating func open(on list: OrderedList) -> WindowChange {
        check(list)
        let ranks = window.open(on: list)
        var change = WindowChange(of: query)
        change.added.reserveCapacity(ranks.count)
        list.forEach(in: ranks) { change.added.append(.init(position: $0, value: $1)) }
        change.isOpening = true
        finish(&change, list)
        return change
    }

    /// Shows a list for the first time without events: a server sends a snapshot instead.
    ///
    /// - Complexity: O(log n).
    mutating func attach(to list: OrderedList) {
        check(list)
        _ = window.open(on: list)
        isComplete = list.isComplete
    }

    /// Moves the window after one operation; `list` is the list afterwards.
    ///
    /// - Complexity: O(log n) for each child that changed, or that comes in or falls out for it.
    public mutating func apply(_ listChange: ListChange, to list: OrderedList) -> WindowChange {
        check(list)
        var change = WindowChange(of: query)
        if window.isLimited {
            applyWithinLimit(listChange, to: list, &change)
        } else {
            // The window stays where it is.
            for child in listChange.children {
                apply(Move(child, by: query.order, in: window), &change)
            }
        }
        change.sort()
        change.isOwn = listChange.isOwn && !query.isFiltered
        finish(&change, list)
        return change
    }

    private mutating func applyWithinLimit(
        _ listChange: ListChange, to list: OrderedList, _ change: inout WindowChange
    ) {
        let before = window
        var moves: [Move] = []
        var growth = 0
        for child in listChange.children {
            let move = Move(child, by: query.order, in: before)
            guard move.wasIn || move.comesIn else { continue }
            growth += (move.comesIn ? 1 : 0) - (move.wasIn ? 1 : 0)
            moves.append(move)
        }
        window.adjust(by: growth, in: list) {
            // A child that changed within the window is judged by its old and its new position.
            if let child = listChange.child($0.key) {
                let move = Move(child, by: query.order, in: before)
                if move.wasIn || move.comesIn { return }
            }
            let entry = WindowChange.Entry(position: $0, value: $1)
            if before.contains($0) {
                change.removed.append(entry)
            } else {
                change.added.append(entry)
            }
        }
        for move in moves { apply(move, &change) }
    }

    private func check(_ list: OrderedList) {
        precondition(
            list.order == query.order, "a view by \(query.order) over a list by \(list.order)")
    }
}

// MARK: - One child

extension View {
    /// A child that changed, and whether the window as it was shows its old and its new position.
    private struct Move {
        let child: ListChange.Child
        let old: ListPosition
        let new: ListPosition
        let wasIn: Bool
        let comesIn: Bool

        init(_ child: ListChange.Child, by order: ChildOrder, in window: Window) {
            self.child = child
            new = order.position(of: child.key, child.new)
            old = child.oldPosition(in: order, now: new)
            wasIn = !child.wasNull && window.contains(old)
            comesIn = !child.new.isNull && window.contains(new)
        }
    }

    private func apply(_ move: Move, _ change: inout WindowChange) {
        let child = move.child
        switch (move.wasIn, !child.new.isNull && window.contains(move.new)) {
        case (false, false): break
        case (true, false):
            change.removed.append(.init(position: move.old, value: child.old))
        case (false, true): change.added.append(.init(position: move.new, value: child.new))
        case (true, true):
            if child.mayBeSame, child.old == child.new { return }
            let isMoved = query.order.isMoved(from: move.old, to: move.new)
            change.changed.append(
                .init(position: move.new, value: child.new, isMoved: isMoved))
        }
    }

    /// Decides about the value event, and keeps the value for it.
    private mutating func finish(_ change: inout WindowChange, _ list: OrderedList) {
        let isCompleting = list.isComplete && !isComplete
        isComplete = list.isComplete
        change.isValueDue = isComplete && (!change.isEmpty || change.isOwn || isCompleting)
        guard kinds.contains(.value) else { return }
        guard query.isFiltered else {
            value = list.value
            return
        }
        if change.isEmpty { return }
        var shown = value.take().children
        for entry in change.removed { shown.removeValue(forKey: entry.key) }
        for entry in change.added { shown.updateValue(entry.value, forKey: entry.key) }
        for entry in change.changed { shown.updateValue(entry.value, forKey: entry.key) }
        value = Value(shown)
    }
}

// MARK: - Events

extension View {
    /// The events of a change, in Firebase's order; `list` is the list that it was made for.
    ///
    /// - Complexity: O(log n) for each event.
    public func events(of change: WindowChange, on list: OrderedList) -> [ViewEvent] {
        var events: [ViewEvent] = []
        if !kinds.isDisjoint(with: .children) { appendChildEvents(of: change, list, &events) }
        if kinds.contains(.value), change.isValueDue {
            events.append(ViewEvent(.value, nil, value))
        }
        return events
    }

    private func appendChildEvents(
        of change: WindowChange, _ list: OrderedList, _ events: inout [ViewEvent]
    ) {
        if kinds.contains(ViewEvent.Kinds(.childRemoved)) {
            events += change.removed.map { ViewEvent(.childRemoved, $0.key, $0.value) }
        }
        if kinds.contains(ViewEvent.Kinds(.childAdded)) {
            var previous: Key?
            for entry in change.added {
                // When a view opens, all children that it shows are new.
                if !change.isOpening { previous = key(before: entry.position, list) }
                events.append(ViewEvent(.childAdded, entry.key, after: previous, entry.value))
                previous = entry.key
            }
        }
        for kind in [ViewEvent.Kind.childMoved, .childChanged] {
            guard kinds.contains(ViewEvent.Kinds(kind)) else { continue }
            for entry in change.changed where kind == .childChanged || entry.isMoved {
                let previous = key(before: entry.position, list)
                events.append(ViewEvent(kind, entry.key, after: previous, entry.value))
            }
        }
    }

    /// The child that the window shows just before one that it shows.
    private func key(before position: ListPosition, _ list: OrderedList) -> Key? {
        guard let previous = list.position(before: position) else { return nil }
        return window.contains(previous) ? previous.key : nil
    }
}
