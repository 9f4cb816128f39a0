import DataTree
import JSONText
import Testing

@Suite struct JSONErrorTests {
    private func refusal(
        of text: [UInt8], maximumBytes: Int = 1 << 20, maximumDepth: Int = 34
    ) -> JSONError? {
        let reader = JSONReader(maximumBytes: maximumBytes, maximumDepth: maximumDepth)
        do {
            _ = try reader.parse(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", 1, 1, "/", "the text is empty"),
        (" \n ", 2, 2, "/", "the text is empty"),
        ("[1] x", 1, 5, "/", "\"x\" follows the end of the value"),
        ("[1]]", 1, 4, "/", "\"]\" follows the end of the value"),
        ("[1,\n 2,]", 2, 4, "/2", "expected a value, found \"]\""),
        ("{\"a\":1,}", 1, 8, "/", "expected a key in double quotes, found \"}\""),
        ("{a:1}", 1, 2, "/", "expected a key in double quotes, found \"a\""),
        ("{\"é\":{\"b\" 1}}", 1, 11, "/é", "expected a colon after the key, found \"1\""),
        ("{\"a\":{\"b\":tru}}", 1, 11, "/a/b", "expected a value, found \"tru\""),
        ("nulls", 1, 1, "/", "expected a value, found \"nulls\""),
        ("[1 2]", 1, 4, "/", "expected a comma or \"]\", found \"2\""),
        ("{\"a\":1", 1, 7, "/", "expected a comma or \"}\", found the end of the text"),
        ("[01]", 1, 2, "/0", "malformed number \"01\""),
        ("[1.]", 1, 2, "/0", "malformed number \"1.\""),
        ("[-]", 1, 2, "/0", "malformed number \"-\""),
        ("[1x]", 1, 2, "/0", "malformed number \"1\""),
        ("{\"x\":[0,-1e400]}", 1, 9, "/x/1", "number -1e400 is too large"),
        ("\"a\nb\"", 1, 3, "/", "a string contains control character 10"),
        ("[\"a", 1, 2, "/0", "a string has no closing quote"),
        ("[\"a\\", 1, 2, "/0", "a string has no closing quote"),
        ("\"\\x\"", 1, 2, "/", "a string contains an unknown escape"),
        ("\"\\u12g4\"", 1, 2, "/", "\\u without four hexadecimal digits"),
        ("\"\\u+123\"", 1, 2, "/", "\\u without four hexadecimal digits"),
        ("\"-\\ud800\"", 1, 3, "/", "a string contains half of a surrogate pair"),
        ("\"\\udc00\"", 1, 2, "/", "a string contains half of a surrogate pair"),
        ("\"\\ud800\\ud800\"", 1, 2, "/", "a string contains half of a surrogate pair"),
    ])
    func `a failure in the text is named with its place`(
        text: String, line: Int, column: Int, path: String, problem: String
    ) throws {
        let error = try #require(refusal(of: Array(text.utf8)))
        #expect(error.problem == problem)
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.path == path)
        #expect(!error.fix.isEmpty)
    }

    @Test(arguments: [
        ("{\n \"ok\": 1, \"a.b\": 2}", 2, 11, "/", "invalid key"),
        ("{\"x\":[{\"\":2}]}", 1, 8, "/x/0", "invalid key"),
        ("{\"x\":{\".nonsense\":2}}", 1, 7, "/x", "invalid key"),
        ("{\"x\":{\".value\":2,\"y\":1}}", 1, 6, "/x", "\".value\" stands beside"),
        ("[12345678901234567890123,{\".priority\":true,\"a\":1}]", 1, 26, "/1", "a priority"),
        ("{\"x\":{\".sv\":\"now\"}}", 1, 6, "/x", "unknown server value"),
    ])
    func `a failure in the data is named with its place`(
        text: String, line: Int, column: Int, path: String, problem: String
    ) throws {
        let error = try #require(refusal(of: Array(text.utf8)))
        #expect(error.problem.hasPrefix(problem))
        #expect(error.line == line)
        #expect(error.column == column)
        #expect(error.path == path)
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
            [0x80],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) throws {
        let text = Array("[\"é".utf8) + bytes + Array("\"]".utf8)
        let error = try #require(refusal(of: text))
        #expect(error.problem == "the text is not valid UTF-8")
        #expect(error.column == 4)
        #expect(error.path == "/0")
    }

    @Test func `nesting is refused beyond the limit only`() throws {
        let deep = { (depth: Int) in
            Array(
                (String(repeating: "[", count: depth) + "1"
                    + String(repeating: "]", count: depth)).utf8)
        }
        for limit in [1, 2, 34, 1000] {
            #expect(refusal(of: deep(limit), maximumDepth: limit) == nil)
            let error = try #require(refusal(of: deep(limit + 1), maximumDepth: limit))
            #expect(error.problem.contains("more than \(limit) levels"))
            #expect(error.column == limit + 1)
        }
    }

    @Test func `depth bombs are refused`() {
        for opening in ["[", "{\"a\":", "[{\"a\":"] {
            let bomb = Array(String(repeating: opening, count: 100_000).utf8)
            #expect(refusal(of: bomb)?.problem.contains("more than 34 levels") == true)
        }
    }

    @Test func `size is refused beyond the limit only`() throws {
        #expect(refusal(of: Array("[1,2]".utf8), maximumBytes: 5) == nil)
        let error = try #require(refusal(of: Array("[1,22]".utf8), maximumBytes: 5))
        #expect(error.problem == "the text has 6 bytes, and 5 are allowed")
    }

    @Test func `a string beyond its limit is refused`() throws {
        let string = "\"" + String(repeating: "a", count: Limits.stringBytes + 1) + "\""
        let error = try #require(
            refusal(of: Array("{\"s\":\(string)}".utf8), maximumBytes: 16 << 20))
        #expect(error.problem.hasPrefix("a string has 10485761 bytes"))
        #expect(error.path == "/s")
    }

    @Test func `an update with an invalid path names it`() {
        let text = Array(#"{"a/b": 1, "a/b#": 2}"#.utf8)
        #expect {
            try text.withUnsafeBytes { try JSONReader().parseUpdate($0) }
        } throws: { error in
            (error as? JSONError)?.column == 12
        }
        #expect(throws: JSONError.self) {
            try Array("[1]".utf8).withUnsafeBytes { try JSONReader().parseUpdate($0) }
        }
    }

    @Test func `an error describes itself on one line`() {
        let error = refusal(of: Array("{\"a\":\n nope}".utf8))
        #expect(error?.description == "line 2, column 2, at /a: expected a value, found \"nope\"")
    }
}
