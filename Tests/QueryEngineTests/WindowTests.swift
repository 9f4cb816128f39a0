import DataTree
import Testing

@testable import QueryEngine

/// The rules Q1-Q8 of `firebase-semantics.md`, section 4.3, one by one.
@Suite struct WindowTests {
    private func firstTwo() throws -> CachedView {
        let query = try Query().ordered(byChild: "pos").limited(toFirst: 2)
        return view(of: query, ["a": 1, "b": 2, "c": 3])
    }

    @Test func `a window shows the first children of an order`() throws {
        let view = try firstTwo()
        #expect(view.view.value == list(["a": 1, "b": 2]))
    }

    @Test func `a window with room accepts new children`() throws {
        let query = try Query().ordered(byChild: "pos").limited(toFirst: 5)
        var view = view(of: query, ["a": 1, "b": 2])
        #expect(write(&view, "c", 3) == ["added c after b", "value a b c"])
    }

    @Test func `a child outside a full window makes no event`() throws {
        var view = try firstTwo()
        #expect(write(&view, "c", 4) == [])
        #expect(write(&view, "d", 5) == [])
    }

    @Test func `an entering child replaces the last one in one event`() throws {
        var view = try firstTwo()
        #expect(write(&view, "z", 0) == ["removed b", "added z", "value a z"])
    }

    @Test func `a leaving child is replaced by the next candidate`() throws {
        var view = try firstTwo()
        #expect(remove(&view, "a") == ["removed a", "added c after b", "value b c"])
        #expect(write(&view, "b", 9) == ["moved b after c", "changed b after c", "value b c"])
    }

    @Test func `a child that sorts beyond the next candidate gives way to it`() throws {
        var view = try firstTwo()
        #expect(write(&view, "a", 7) == ["removed a", "added c after b", "value b c"])
    }

    @Test func `a tie at the boundary is decided by key`() throws {
        var view = try firstTwo()
        #expect(write(&view, "bb", 2) == [])
        #expect(write(&view, "aa", 2) == ["removed b", "added aa after a", "value a aa"])
    }

    @Test func `the last window reports in ascending order, the child before the first is nil`()
        throws
    {
        let query = try Query().ordered(byChild: "pos").limited(toLast: 2)
        var view = view(of: query, ["a": 1, "b": 2, "c": 3])
        #expect(write(&view, "d", 4) == ["removed b", "added d after c", "value c d"])
        #expect(write(&view, "c", 5) == ["moved c after d", "changed c after d", "value c d"])
        #expect(remove(&view, "d") == ["removed d", "added b", "value b c"])
    }

    @Test func `a child is added and removed at the bounds of a range, never moved`() throws {
        let query = try Query().ordered(byChild: "pos")
            .starting(at: .integer(2)).ending(before: .integer(4))
        var view = view(of: query, ["a": 1, "b": 2, "c": 3, "d": 4])
        #expect(view.view.value == list(["b": 2, "c": 3]))
        #expect(write(&view, "a", 2) == ["added a", "value a b c"])
        #expect(write(&view, "c", 4) == ["removed c", "value a b"])
    }

    @Test func `a limit and a range let no candidate in from beyond the range`() throws {
        let query = try Query().ordered(byChild: "pos").ending(at: .integer(2)).limited(toFirst: 2)
        var view = view(of: query, ["a": 1, "b": 2, "c": 3])
        #expect(remove(&view, "a") == ["removed a", "value b"])
    }

    @Test func `an operation that exchanges children makes one value event`() throws {
        var view = try firstTwo()
        let events = view.apply(writing: [
            (Path([key("a")]), .null), (Path([key("c"), key("pos")]), .integer(0)),
            (Path([key("d")]), child(1)),
        ])
        #expect(
            texts(events) == [
                "removed a", "removed b", "added c", "added d after c", "value c d",
            ])
    }

    @Test func `a filtered query sees nothing of a primitive or of the list's own priority`() throws
    {
        var view = try firstTwo()
        #expect(view.apply(writing: [(Path([.priority]), .integer(5))]) == [])
        #expect(texts(view.set(.string("text"))) == ["removed a", "removed b", "value"])
        #expect(view.apply(writing: [(.root, .string("other"))]) == [])
    }

    @Test func `only unknown data delay a value event`() throws {
        let query = try Query().limited(toFirst: 2)
        let index = Index(by: query.order, of: Children())
        var view = View(of: query, for: .all)
        let unknown = OrderedList(.null, by: index, isComplete: false)
        var change = view.open(on: unknown)
        #expect(view.events(of: change, on: unknown) == [])
        let mine = ListChange(children: [.init(key: key("a"), old: .null, new: child(1))])
        let pending = OrderedList(list(["a": 1]), by: index, isComplete: false)
        change = view.apply(mine, to: pending)
        #expect(texts(view.events(of: change, on: pending)) == ["added a"])
        let known = OrderedList(list(["a": 1]), by: index)
        change = view.apply(ListChange(children: []), to: known)
        #expect(texts(view.events(of: change, on: known)) == ["value a"])
    }
}

// MARK: - In words

private func key(_ text: String) -> Key { Key(unchecked: text) }

private func child(_ position: Int64) -> Value {
    var value = Value.null
    value.set(.integer(position), at: Path([key("pos")]))
    return value
}

private func list(_ positions: [String: Int64]) -> Value {
    var value = Value.null
    for (name, position) in positions { value.set(child(position), at: Path([key(name)])) }
    return value
}

private func view(of query: Query, _ positions: [String: Int64]) -> CachedView {
    var view = CachedView(of: query, for: .all)
    _ = view.set(list(positions))
    return view
}

private func write(_ view: inout CachedView, _ name: String, _ position: Int64) -> [String] {
    texts(view.apply(writing: [(Path([key(name)]), child(position))]))
}

private func remove(_ view: inout CachedView, _ name: String) -> [String] {
    texts(view.apply(writing: [(Path([key(name)]), .null)]))
}

private func texts(_ events: [ViewEvent]) -> [String] {
    events.map { event in
        let previous = event.previousChildKey.map { " after \($0)" } ?? ""
        let name = event.key?.text ?? ""
        return switch event.kind {
        case .childRemoved: "removed \(name)"
        case .childAdded: "added \(name)\(previous)"
        case .childMoved: "moved \(name)\(previous)"
        case .childChanged: "changed \(name)\(previous)"
        case .value:
            (["value"] + event.data.children.map { $0.key.text }).joined(separator: " ")
        }
    }
}
