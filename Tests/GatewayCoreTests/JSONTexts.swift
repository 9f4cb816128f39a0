import Randomness
import ReplicaCore

/// Texts that are JSON by RFC 8259, whatever they mean: also what no data can be, such as half of a surrogate pair, a number
/// beyond all doubles, a deep nest or an invalid key.
struct JSONTexts {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    /// A value of at most so many levels.
    mutating func value(levels: Int = 4) -> String {
        switch number(below: levels > 0 ? 12 : 8) {
        case 0, 1, 2: string()
        case 3, 4: numeral()
        case 5: ["true", "false", "null"][number(below: 3)]
        case 6: serverValue()
        case 7: chance(20) ? nest() : "{}"
        case 8: list(of: "[", "]") { $0.value(levels: levels - 1) }
        default: object(levels: levels - 1)
        }
    }

    mutating func object(levels: Int = 3) -> String {
        list(of: "{", "}") { "\($0.key()):\($0.space())\($0.value(levels: levels))" }
    }

    private mutating func list(
        of open: String, _ close: String, _ element: (inout JSONTexts) -> String
    ) -> String {
        let elements = (0..<number(below: 4)).map { _ in space() + element(&self) + space() }
        return open + elements.joined(separator: ",") + close
    }

    private mutating func space() -> String {
        ["", "", "", " ", "\n\t", "\r "][number(below: 6)]
    }

    private mutating func key() -> String {
        let known = [
            ".value", ".priority", ".sv", ".", "a/b", "a", "b", "", "$", "[", "r", "d", "t",
            "__proto__",
        ]
        return chance(60) ? "\"\(known[number(below: known.count)])\"" : string()
    }

    /// A string with quotes.
    mutating func string() -> String {
        let parts = [
            "x", "é", "😀", "\u{2028}", "\\ud83d", "\\ude00", "\\ud83d\\ude00", "\\udbff\\udbff",
            "\\u0000",
            "\\u001f", "\\\"", "\\\\", "\\/", "\\n", "\u{7f}", "/", "#", "}",
            "{\\\"d\\\":{\\\"r\\\":9}}",
        ]
        var text = "\""
        for _ in 0..<number(below: 5) { text += parts[number(below: parts.count)] }
        if chance(3) { text += String(repeating: "y", count: 800) }
        return text + "\""
    }

    private mutating func numeral() -> String {
        let numerals = [
            "0", "-0", "1", "-1.5", "1e999", "-1e999", "1E+400", "1e-999", "9223372036854775808",
            "-9223372036854775809", "18446744073709551616", "1.7976931348623157e308",
            "0.1e1", "123456789012345678901234567890", "5e-324",
        ]
        return numerals[number(below: numerals.count)]
    }

    private mutating func serverValue() -> String {
        let values = [
            #"{".sv":"timestamp"}"#, #"{".sv":{"increment":1}}"#, #"{".sv":"x"}"#,
            #"{".sv":{"increment":"x"}}"#,
            #"{".sv":{"increment":1e999}}"#, #"{".value":1,".priority":{"a":1}}"#,
            #"{".value":{"a":1}}"#,
        ]
        return values[number(below: values.count)]
    }

    /// Objects or arrays in each other, around the deepest that data may be.
    private mutating func nest() -> String {
        let levels = [30, 31, 32, 33, 34, 36, 38, 40, 100, 2_000][number(below: 10)]
        let (open, close) = chance(50) ? ("[", "]") : (#"{"a":"#, "}")
        return String(repeating: open, count: levels) + "1"
            + String(repeating: close, count: levels)
    }
}
