import DataTree
import Testing

@testable import SyncProtocol

@Suite struct ChildListingTests {
    private let value: Value = Value(
        [("a", .integer(5)), ("b", Value.numbers(7)), ("c", .string("text"))].reduce(
            into: Children()
        ) { $0[Key(unchecked: $1.0)] = $1.1 })

    @Test func `keys come in order, with leaves and the number of children`() {
        let listing = ChildListing(of: value)
        #expect(listing.count == 3)
        #expect(listing.entries.map(\.key.text) == ["a", "b", "c"])
        #expect(
            listing.entries.map(\.child)
                == [.leaf(.integer(5)), .object(count: 7), .leaf(.string("text"))])
        #expect(listing.next == nil)
    }

    @Test func `a limit ends a listing, and names the key that the next one begins with`() {
        let first = ChildListing(of: value, limit: 2)
        #expect(first.entries.map(\.key.text) == ["a", "b"])
        #expect(first.next?.text == "c")
        var both = first
        both.append(ChildListing(of: value, from: first.next))
        #expect(both.entries == ChildListing(of: value).entries)
        #expect(both.next == nil)
        #expect(both.count == 3)
    }

    @Test func `a listing begins with the next key where there is none of that name`() {
        let between = ChildListing(of: value, from: Key(unchecked: "aa"))
        #expect(between.entries.map(\.key.text) == ["b", "c"])
        #expect(ChildListing(of: value, from: Key(unchecked: "d")).entries.isEmpty)
        #expect(ChildListing(of: value, from: Key(unchecked: "d")).count == 3)
    }

    @Test func `neither many keys nor long texts make a listing large`() {
        let many = ChildListing(of: .numbers(10_001))
        #expect(many.entries.count == 10_000)
        #expect(many.next?.text == "10000")
        let text = Value.string(String(repeating: "x", count: 600_000))
        let long = (0..<4).reduce(into: Children()) { $0[Key(unchecked: String($1))] = text }
        #expect(ChildListing(of: Value(long)).entries.count == 2)
        #expect(ChildListing(of: Value(long)).next?.text == "2")
    }

    @Test func `a leaf has a value and no children, and nothing has neither`() {
        let leaf = ChildListing(of: .string("x").prioritized(1))
        #expect(leaf.leaf == .string("x"))
        #expect(leaf.count == 0)
        #expect(!leaf.isEmpty)
        #expect(ChildListing(of: .null).isEmpty)
    }

    @Test func `what is sent is read as it was`() {
        let listings = [
            ChildListing(of: value), ChildListing(of: value, limit: 1), ChildListing(of: .null),
            ChildListing(of: .boolean(false)),
            ChildListing(of: value, from: Key(unchecked: "d")),
        ]
        for listing in listings { #expect(ChildListing(listing.value) == listing) }
    }

    @Test func `the shallow value has true in place of objects`() {
        let expected = [("a", Value.integer(5)), ("b", .boolean(true)), ("c", .string("text"))]
        #expect(
            ChildListing(of: value).shallowValue
                == Value(expected.reduce(into: Children()) { $0[Key(unchecked: $1.0)] = $1.1 }))
        #expect(ChildListing(of: .integer(1)).shallowValue == .integer(1))
        #expect(ChildListing(of: .null).shallowValue.isNull)
    }
}

extension Value {
    /// An object of so many numbers.
    fileprivate static func numbers(_ count: Int) -> Value {
        Value(
            (0..<count).reduce(into: Children()) {
                $0[DataTree.Key(unchecked: String($1))] = .integer(1)
            })
    }
}
