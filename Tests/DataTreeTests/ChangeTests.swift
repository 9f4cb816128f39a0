import DataTree
import Testing

/// The list of differences between two values.
@Suite struct ChangeTests {
    @Test func `applying changes keeps the priority of a replaced object`() {
        let old = Value(children(("b", .integer(1)))).prioritized(.integer(3))
        let new = Value(children(("c", .integer(2)))).prioritized(.integer(3))
        var changes: [Change] = []
        Change.append(from: old, to: new, at: .root, into: &changes)
        var told = old
        for change in changes { told.set(change.new, at: change.path) }
        #expect(told == new)
    }

    private func children(_ members: (String, Value)...) -> Children {
        var children = Children()
        for (name, value) in members { children[Key(unchecked: name)] = value }
        return children
    }
}
