import DataTree
import SyncProtocol
import Testing

@testable import HearthCommand

@Suite struct ListingLinesTests {
    private func lines(_ members: [(String, Value)], asJSON: Bool = false) -> [String] {
        let children = members.reduce(into: Children()) { $0[Key(unchecked: $1.0)] = $1.1 }
        return ListingLines(ChildListing(of: Value(children)), asJSON: asJSON).text
    }

    private let rooms = Value([Key(unchecked: "x"): Value.integer(1)].children)

    @Test func `keys stand in a column, before the value or the number of children`() {
        #expect(
            lines([("rooms", rooms), ("t", .string("a\"b"))])
                == ["rooms  1 child", #"t      "a\"b""#])
        let two = Value(
            [Key(unchecked: "x"): Value.integer(1), Key(unchecked: "y"): .integer(2)].children)
        #expect(lines([("r", two)]) == ["r  2 children"])
    }

    @Test func `a long value is cut, but not in JSON`() {
        let text = String(repeating: "x", count: 100)
        #expect(lines([("t", .string(text))])[0].count == 3 + 61)
        #expect(
            lines([("t", .string(text)), ("u", rooms)], asJSON: true)
                == [#"{"key":"t","value":"\#(text)"}"#, #"{"key":"u","children":1}"#])
    }

    @Test func `a leaf is shown as it is`() {
        #expect(ListingLines(ChildListing(of: .boolean(true)), asJSON: false).text == ["true"])
        #expect(
            ListingLines(ChildListing(of: .boolean(true)), asJSON: true).text
                == [#"{"value":true}"#])
    }
}

extension [Key: Value] {
    fileprivate var children: Children { reduce(into: Children()) { $0[$1.key] = $1.value } }
}
