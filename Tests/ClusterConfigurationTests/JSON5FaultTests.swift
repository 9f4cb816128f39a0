import Testing

@testable import ClusterConfiguration

/// Where a configuration is not JSON5.
@Suite struct JSON5FaultTests {
    @Test(arguments: [
        ("", 1, 1, "the file is empty"),
        ("// only a comment\n", 2, 1, "the file is empty"),
        ("{\n  a: 1\n  b: 2\n}", 3, 3, "expected a comma or } before this"),
        ("{a: [1 2]}", 1, 8, "expected a comma or ] before this"),
        ("{a: 1,, b: 2}", 1, 7, "expected a key or } here"),
        ("{a 1}", 1, 4, "expected a colon after the key"),
        ("{\n  a: 'x\n}", 2, 6, "this string has no end on its line"),
        ("{a: 1} x", 1, 8, "the file continues after its value"),
        ("{\n  nodes: [\n    {id: 'n1'},\n", 2, 10, "no ] closes this"),
        ("{a: 1", 1, 1, "no } closes this"),
        ("{a: }", 1, 5, "expected a value here"),
        ("{a:", 1, 4, "the file ends where a value is expected"),
        ("{a: tru}", 1, 5, "tru is not a value: quote text"),
        ("{a: http://x}", 1, 5, "http is not a value: quote text"),
        ("{a: 0x}", 1, 5, "0x is not a value: quote text"),
        ("{ /* no end", 1, 3, "this comment has no end"),
        ("{é: 'é', ü: ü}", 1, 13, "ü is not a value: quote text"),
    ])
    func `a fault has its line, its column and its reason`(
        text: String, line: Int, column: Int, problem: String
    ) {
        let fault = JSON5Fault(in: Array(text.utf8))
        #expect(fault?.line == line && fault?.column == column && fault?.problem == problem)
    }

    @Test(arguments: [
        "{}", "[]", "null", " { a: 1, } ", "[1, 2,]", "{'a b': \"c\", $d_1: +1.5e-3, e: .5, f: 5.}",
        "{a: 0xFF, b: -Infinity, c: NaN}", "/* c */ {a: 'it\\'s'} // end", "{a: 'two\\\nlines'}",
        "\u{FEFF}{a: [{b: [[]]}]}",
    ])
    func `JSON5 has no fault`(text: String) {
        #expect(JSON5Fault(in: Array(text.utf8)) == nil)
    }

    @Test func `values that are nested too deeply are a fault`() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(JSON5Fault(in: text)?.problem == "the values are nested too deeply")
    }
}
