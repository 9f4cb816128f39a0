import DataTree
import JSONText
import QueryEngine
import Testing

@testable import GatewayCore

/// Windows of the console on the children of a location.
@Suite struct ConsoleWindowTests {
    private let json = JSONReader()

    private func value(_ text: String) -> Value { try! json.parse(text) }

    private func window(
        from start: ConsoleWindow.Place.Start = .rank(0), count: Int = 3, isDescending: Bool = false
    ) -> ConsoleWindow {
        ConsoleWindow(
            .init(path: .root, start: start, count: count, isDescending: isDescending))
    }

    /// A list of the children `a`, `b`, and so on, each with its number.
    private func list(_ count: Int) -> Value {
        var value = Value.null
        for index in 0..<count {
            let key = Key(unchecked: String(UnicodeScalar(UInt8(97 + index))))
            value.set(.integer(Int64(index)), at: Path([key]))
        }
        return value
    }

    /// Shows a value, and returns the rank of the first row, the total, and the rows as JSON.
    private func show(
        _ value: Value, in window: inout ConsoleWindow, at milliseconds: UInt64 = 0
    ) -> (from: Int, total: Int, rows: [String])? {
        guard let text = window.show(value, as: 1, at: milliseconds) else { return nil }
        return try! json.read(text) { message in
            let rows = message["rows"]!.elements!.map { row in
                row.integer.map { "\($0)" } ?? row.elements![0].string!
            }
            return (Int(message["from"]!.integer!), Int(message["total"]!.integer!), rows)
        }
    }

    @Test func `a window by rank shows the rows from that rank on`() throws {
        var window = window(from: .rank(2))
        let shown = try #require(show(list(9), in: &window))
        #expect(shown == (2, 9, ["c", "d", "e"]))
    }

    @Test func `a rank behind the last child shows the last rows`() throws {
        var window = window(from: .rank(.max / 2))
        let shown = try #require(show(list(9), in: &window))
        #expect(shown == (6, 9, ["g", "h", "i"]))
    }

    @Test func `a window by key begins with the next key that is there`() throws {
        var window = window(from: .key(Key(unchecked: "cc")), count: 2)
        let shown = try #require(show(list(9), in: &window))
        #expect(shown == (3, 9, ["d", "e"]))
    }

    @Test func `a descending window begins with the greatest key`() throws {
        var window = window(isDescending: true)
        let shown = try #require(show(list(9), in: &window))
        #expect(shown == (0, 9, ["i", "h", "g"]))
    }

    @Test(arguments: [("d", 5), ("dd", 5), ("z", 0)])
    func `a descending window by key begins with that key or the next lower one`(
        key: String, from: Int
    ) throws {
        var window = window(
            from: .key(Key(unchecked: key)), count: 1, isDescending: true)
        let shown = try #require(show(list(9), in: &window))
        #expect(shown.from == from)
        #expect(shown.rows == [key == "z" ? "i" : "d"])
    }

    @Test func `a change sends the row that differs and the positions of the others`() throws {
        var window = window()
        var value = list(9)
        _ = show(value, in: &window)
        value.set(.boolean(true), at: try Path("b"))
        #expect(try #require(show(value, in: &window)) == (0, 9, ["0", "b", "2"]))
    }

    @Test func `a new child moves the rows behind it`() throws {
        var window = window()
        var value = list(9)
        _ = show(value, in: &window)
        value.set(.boolean(true), at: try Path("aa"))
        #expect(try #require(show(value, in: &window)) == (0, 10, ["0", "aa", "1"]))
    }

    @Test func `a change below a child sends the row of that child`() throws {
        var window = window()
        var value = value(#"{"a":{"x":{"y":1}},"b":{"x":{"y":1}}}"#)
        _ = show(value, in: &window)
        value.set(.integer(2), at: try Path("b/x/y"))
        #expect(try #require(show(value, in: &window)) == (0, 2, ["0", "b"]))
    }

    @Test func `an equal value sends nothing`() throws {
        var window = window()
        let value = value(#"{"a":{"x":1},"b":"text"}"#)
        _ = show(value, in: &window)
        #expect(show(value, in: &window) == nil)
    }

    @Test func `a change outside of the window is sent once a second`() throws {
        var window = window()
        var value = list(9)
        _ = show(value, in: &window, at: 5_000)
        value.set(.boolean(true), at: try Path("z"))
        #expect(show(value, in: &window, at: 5_999) == nil)
        #expect(try #require(show(value, in: &window, at: 6_000)) == (0, 10, ["0", "1", "2"]))
    }

    @Test func `a window that moves sends only rows that the page does not have`() throws {
        var window = window()
        let value = list(9)
        _ = show(value, in: &window)
        window.move(to: .init(path: .root, start: .rank(1), count: 3, isDescending: false))
        #expect(try #require(show(value, in: &window)) == (1, 9, ["1", "2", "d"]))
    }

    @Test(arguments: [(false, ["c", "a", "b"]), (true, ["b", "a", "c"])])
    func `a window in the order of a child shows its rows in that order`(
        isDescending: Bool, keys: [String]
    ) throws {
        var window = ConsoleWindow(
            .init(
                path: .root, start: .rank(0), count: 3, order: .child(try Path("n")),
                isDescending: isDescending))
        let value = value(#"{"a":{"n":2},"b":{"n":3},"c":{"n":1}}"#)
        #expect(try #require(show(value, in: &window)).rows == keys)
        #expect(show(value, in: &window, at: 5_000) == nil)
        var other = value
        other.set(.integer(9), at: try Path("c/n"))
        #expect(try #require(show(other, in: &window)).rows.contains("c"))
    }

    /// A list of more children than a page's session sorts: the key `k1` has the number -1, and so on.
    private static let longList: Value = {
        var value = Value.null
        value.mutateChildren { children in
            for index in 0...ConsoleList.sortLimit {
                children[Key(unchecked: "k\(index)")] = .integer(Int64(-index))
            }
        }
        return value
    }()

    /// The answer of a replica to the request for a part.
    private func answer(to part: ConsolePart, from value: Value) -> Value {
        let index = Index(by: .value, of: value.children)
        return part.query.shown(in: OrderedList(value, by: index), skipping: part.skip).value
    }

    private static let parts: [(rank: Int, isDescending: Bool, from: Int, rows: [String])] = [
        (0, false, 0, ["k5000", "k4999", "k4998"]), (2, false, 2, ["k4998", "k4997", "k4996"]),
        (2, true, 2, ["k2", "k3", "k4"]), (.max, false, 4998, ["k2", "k1", "k0"]),
        (.max, true, 4998, ["k4998", "k4999", "k5000"]),
    ]

    @Test(arguments: parts)
    func `a window on a long list in another order requests a part`(
        rank: Int, isDescending: Bool, from: Int, rows: [String]
    ) throws {
        var window = ConsoleWindow(
            .init(
                path: .root, start: .rank(rank), count: 3, order: .value,
                isDescending: isDescending))
        let part = window.partToRequest(of: Self.longList)
        let answer = answer(to: try #require(part), from: Self.longList)
        let other = window.partToRequest(of: answer)
        #expect(other == nil)
        #expect(try #require(show(answer, in: &window)) == (from, 5001, rows))
        // The next value of the location gives another request, and equal rows give no message.
        let next = window.partToRequest(of: Self.longList)
        #expect(next?.skip == part?.skip)
        #expect(show(answer, in: &window) == nil)
    }

    @Test func `a window that has moved ignores the part that was requested before`() {
        var window = ConsoleWindow(
            .init(path: .root, start: .rank(0), count: 3, order: .value, isDescending: false))
        let first = window.partToRequest(of: Self.longList)
        window.move(
            to: .init(path: .root, start: .rank(9), count: 3, order: .value, isDescending: false))
        let second = window.partToRequest(of: Self.longList)
        #expect(first?.skip == 0 && second?.skip == 9)
    }

    @Test func `a key of a long list is found only in the order of keys`() {
        var window = ConsoleWindow(
            .init(
                path: .root, start: .key(Key(unchecked: "k7")), count: 3, order: .value,
                isDescending: false))
        let part = window.partToRequest(of: Self.longList)
        #expect(part == nil)
        let texts = (0..<2).map { _ in
            window.show(Self.longList, as: 1, at: 0).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(texts[0]?.contains(#""code":"too_big""#) == true)
        #expect(texts[1] == nil)
    }

    @Test func `a row has the fields of its child for a table`() {
        let row = ConsoleRow(
            key: Key(unchecked: "k"), value: value(#"{"a":1,"b":"x"}"#), hasFields: true)
        #expect(row.json == #"["k","object","a: 1, b: \"x\"",2,null,{"a":"1","b":"\"x\""}]"#)
    }

    @Test func `a refusal is sent once, and the rows again after it`() throws {
        var window = window()
        let value = list(4)
        _ = show(value, in: &window)
        #expect(window.refuse("permission_denied", "no", "ask", as: 1) != nil)
        #expect(window.refuse("permission_denied", "no", "ask", as: 1) == nil)
        #expect(try #require(show(value, in: &window)).rows == ["a", "b", "c"])
    }

    private static let rows: [(json: String, row: String)] = [
        ("true", #"["k","boolean",true,0]"#),
        ("9007199254740993", #"["k","number","9007199254740993",0]"#),
        (#""a\"b\u0000""#, #"["k","string","a\"b\u0000",4]"#),
        (#""</script>""#, #"["k","string","</script>",9]"#),
        (#"{"a":1,"b":{"c":2}}"#, #"["k","object","a: 1, b: {…}",2]"#),
        (#"{".value":1,".priority":"p"}"#, #"["k","number","1",0,"p"]"#),
    ]

    @Test(arguments: rows)
    func `a row summarizes a value`(json text: String, row: String) {
        #expect(ConsoleRow(key: Key(unchecked: "k"), value: value(text)).json == row)
    }

    @Test func `a row has a bounded size, whatever its value holds`() throws {
        let letter = "e" + String(repeating: "\u{301}", count: 100_000)
        var object = Value.null
        for index in 0..<1_000 {
            object.set(.string(letter), at: Path([Key(unchecked: "key\(index)")]))
        }
        for value in [Value.string(letter), object, Value.string("x").prioritized(.string(letter))]
        {
            let row = ConsoleRow(key: Key(unchecked: "k"), value: value).json
            #expect(row.utf8.count < 1_000)
        }
    }
}
