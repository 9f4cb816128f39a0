import DataTree
import JSONText
import Testing

@Suite struct JSONReaderTests {
    private let reader = JSONReader()

    private func object(_ members: [(String, Value)]) -> Value {
        var children = Children()
        for (key, value) in members { children.updateValue(value, forKey: Key(unchecked: key)) }
        return Value(children)
    }

    @Test(
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("-0.0", .integer(0)), ("1e-400", .integer(0)),
            ("1.0", .integer(1)), ("1e3", .integer(1000)), ("-12", .integer(-12)),
            ("2.5", .double(2.5)), ("1e300", .double(1e300)),
            ("9007199254740993", .integer(9_007_199_254_740_993)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .double(0x1p63)),
            ("12345678901234567890", .double(1.2345678901234567e19)),
            ("18446744073709551616", .double(0x1p64)),
            ("123456789012345678901234567890", .double(1.2345678901234568e29)),
        ] as [(String, Value)])
    func `numbers are read as native clients hold them`(text: String, expected: Value) throws {
        #expect(try reader.parse(text) == expected)
    }

    @Test func `large integers deep in a text leave all else as it is`() throws {
        let text = #" {"a": [1, 123456789012345678901], "b": {"c": -99999999999999999999}, "d": 7}"#
        let expected = object([
            ("a", object([("0", .integer(1)), ("1", .double(1.2345678901234568e20))])),
            ("b", object([("c", .double(-1e20))])), ("d", .integer(7)),
        ])
        #expect(try reader.parse(text) == expected)
    }

    @Test(arguments: [
        "null", "{}", "[]", "[null]", "{\"a\":null}", "{\"a\":{\"b\":[[],{}]}}",
        "{\"a\":1,\"a\":null}", "{\".priority\":1}", "{\".value\":null}",
    ])
    func `empty containers are null`(text: String) throws {
        #expect(try reader.parse(text) == .null)
    }

    @Test func `arrays become children without their nulls`() throws {
        let list = object([("0", .string("x")), ("2", .boolean(true))])
        #expect(try reader.parse(#"["x", null, true]"#) == list)
        let long = "[" + (0..<300).map(String.init).joined(separator: ",") + "]"
        let children = try reader.parse(long).children
        #expect(children.count == 300)
        #expect(children.allSatisfy { $0.value == .integer(Int64($0.key.integer ?? -1)) })
    }

    @Test func `the last of equal keys wins`() throws {
        #expect(
            try reader.parse(#"{"a":1,"b":2,"a":3}"#)
                == object([("a", .integer(3)), ("b", .integer(2))]))
        #expect(try reader.parse(#"{"a":1,"\u0061":3}"#) == object([("a", .integer(3))]))
    }

    @Test func `keys that only look alike stay apart`() throws {
        #expect(try reader.parse(#"{"e\u0301":1,"\u00e9":2}"#).children.count == 2)
    }

    @Test func `reserved members set value, priority and placeholder`() throws {
        #expect(
            try reader.parse(#"{".value":5,".priority":"p"}"#)
                == Value.integer(5).prioritized(.string("p")))
        #expect(
            try reader.parse(#"{".priority":1.5,"a":true}"#)
                == object([("a", .boolean(true))]).prioritized(.double(1.5)))
        #expect(try reader.parse(#"{".sv":"timestamp"}"#) == .deferred(.timestamp))
        #expect(
            try reader.parse(#"{"n":{".sv":{"increment":-2}}}"#)
                == object([("n", .deferred(.increment(.integer(-2))))]))
    }

    @Test func `escapes are read, whole surrogate pairs included`() throws {
        #expect(
            try reader.parse(#""\u00e9\n\/\"\\\ud83d\udc35\u0000""#)
                == .string("\u{e9}\n/\"\\\u{1F435}\u{0}"))
    }

    @Test func `a byte order mark is skipped`() throws {
        #expect(try reader.parse("\u{FEFF}[1]") == object([("0", .integer(1))]))
    }

    @Test func `one reader reads texts large and small in turn`() throws {
        let large = "[" + String(repeating: "\"0123456789\",", count: 200_000) + "1]"
        for _ in 0..<3 {
            #expect(try reader.parse(large).children.count == 200_001)
            #expect(try reader.parse("[1,2]").children.count == 2)
            #expect(throws: JSONError.self) { try reader.parse("[1,") }
        }
    }

    @Test func `spare capacity behind a text changes nothing`() throws {
        var bytes = Array("12".utf8)
        bytes.reserveCapacity(200)
        bytes += "345".utf8
        bytes.removeLast(3)
        #expect(try reader.parse(bytes) == .integer(12))
    }

    @Test func `an update keeps its paths, its order and its nulls`() throws {
        let text = Array(#"{"b/c":1,"a":null,"d/.priority":2,"/e//f/":{"x":null}}"#.utf8)
        let members = try text.withUnsafeBytes { try reader.parseUpdate($0) }
        #expect(members.map(\.path.description) == ["/b/c", "/a", "/d/.priority", "/e/f"])
        #expect(members.map(\.value) == [.integer(1), .null, .integer(2), .null])
    }
}
