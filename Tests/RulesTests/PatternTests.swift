import DataTree
import Testing

@testable import Rules

/// Regular expressions.
@Suite struct `A regular expression` {
    private func finds(_ pattern: String, _ text: String, ignoringCase: Bool = false) throws -> Bool
    {
        var work = RuleWork()
        return try PatternSearch.finds(
            Pattern(pattern, ignoringCase: ignoringCase), in: text, work: &work)
    }

    @Test(arguments: [
        ("b", "abc", true), ("^b", "abc", false), ("c$", "abc", true), ("b$", "abc", false),
        ("^$", "", true), ("^$", "a", false), ("^", "a", true), ("$", "a", true),
        ("a.c", "a\nc", true), ("^.$", "😀", false), ("^..$", "😀", true), ("^😀$", "😀", true),
        ("^[abc]+$", "cab", true), ("^[^abc]+$", "cab", false), ("^[a-c-]+$", "a-c", true),
        ("^[-a]+$", "-a", true), ("^[\\d\\s]+$", "1 2", true), ("^[\\]]$", "]", true),
        ("^\\d{4}$", "2026", true), ("^\\d{4}$", "202", false), ("^a{2,}$", "aaa", true),
        ("^a{2,}$", "a", false), ("^a{1,2}$", "aaa", false), ("^a{0}$", "", true),
        ("^\\w+\\s\\W$", "a_9 !", true), ("^\\D\\S$", "ab", true), ("^\\D$", "1", false),
        ("^\\s{6}$", " \t\n\u{b}\u{c}\r", true), ("^\\s$", "\u{a0}", false), ("^\\w$", "é", false),
        ("^(ab|c)*$", "abcab", true), ("^(ab|c)*$", "aba", false), ("^a|b$", "ab", false),
        ("^a|b$", "b", true), ("^a**$", "aaa", true), ("^a+?$", "aa", true), ("^a+?$", "", true),
        ("^(?:x)$", "?:x", true), ("*a", "*a", true), ("^|a$", "|a", true), ("a}", "a}", true),
        ("\\$", "a$", true), ("\\.", "a", false), ("\\/", "/", true), ("\\\\", "\\", true),
        ("a\\\\$", "a\\", true), ("^[$^.]+$", ".$^", true), ("(a)(b)", "xaby", true),
        ("^\\n$", "n", true), (")", ")", true),
        // Units at the end of all that there are, ranges that overlap, and classes of everything and of nothing.
        ("^[^ -\u{FFFE}]$", "\u{FFFF}", true), ("^[^ -\u{FFFF}]$", "\u{FFFF}", false),
        ("^[^ -\u{FFFE}]$", "\u{1}", true), ("^[^b-da-c]$", "d", false), ("^[a-eb]$", "e", true),
        ("^[\\S\\s]$", "\u{FFFF}", true), ("^[^\\D\\S]$", "1", false),
    ])
    func `finds`(pattern: String, text: String, expected: Bool) throws {
        #expect(try finds(pattern, text) == expected)
    }

    @Test func `ignores the case of ASCII letters, inverted classes included`() throws {
        #expect(try finds("^[a-f]É$", "Bé", ignoringCase: true) == false)
        #expect(try finds("^[A-F]É$", "bÉ", ignoringCase: true))
        #expect(try !finds("^[^a]$", "A", ignoringCase: true))
        #expect(try finds("^[b-y]$", "Z", ignoringCase: true) == false)
        #expect(try finds("^a$", "A") == false)
    }

    @Test(arguments: [
        ("a(b", "expected ')' at position 3"), ("a[b", "expected ']' at position 3"),
        ("[]", "expected ']' at position 1"), ("a{2", "expected '}' at position 3"),
        ("a{x}", "integer expected at position 2"), ("a)", "end-of-string expected at position 1"),
        ("a^b", "end-of-string expected at position 1"),
        ("a$b", "end-of-string expected at position 1"),
        ("(a$)", "end-of-string expected at position 2"),
        ("a||b", "end-of-string expected at position 2"),
        ("a|", "unexpected end-of-string"), ("a|*b", "end-of-string expected at position 2"),
        ("a\\", "unexpected end-of-string"), ("()", "expected ')' at position 2"),
        ("a{3,2}", "greater integer expected at position 5"),
        ("[b-a]", "greater end of range expected at position 4"),
    ])
    func `is refused with the place of its fault`(pattern: String, expected: String) {
        let failure = #expect(throws: PatternParser.Failure.self) {
            try Pattern(pattern, ignoringCase: false)
        }
        #expect(failure?.problem == expected)
    }

    @Test(arguments: ["(a*)*b", "(a|a)*b", "(a|aa)+b", "((a*)*)*b", "(a?){30}a{30}b"])
    func `takes time that is linear in the text`(pattern: String) throws {
        let pattern = try Pattern(pattern, ignoringCase: false)
        func cost(_ count: Int) throws -> Int {
            var work = RuleWork(.max)
            #expect(
                try PatternSearch.finds(
                    pattern, in: String(repeating: "a", count: count), work: &work) == false)
            return .max - work.remaining
        }
        #expect(try cost(20_000) < 3 * cost(10_000))
        #expect(try cost(10_000) < 10_000 * 2 * (pattern.states.count + 2))
    }

    @Test func `gives up where the work does not suffice`() throws {
        let pattern = try Pattern("a*b", ignoringCase: false)
        var work = RuleWork(1_000)
        #expect(throws: RuleFailure.exhausted) {
            try PatternSearch.finds(
                pattern, in: String(repeating: "a", count: 9_999), work: &work)
        }
        #expect(work.isExhausted)
    }

    @Test(arguments: 0..<20)
    func `finds what trying all ways finds`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed))
        for _ in 0..<300 {
            let tree = NaivePattern.random(&random, depth: 3)
            let anchors = (
                Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random)
            )
            let text = (anchors.0 == 0 ? "^" : "") + tree.text + (anchors.1 == 0 ? "$" : "")
            let pattern = try Pattern(text, ignoringCase: false)
            for _ in 0..<8 {
                let sample = NaivePattern.sample(&random)
                var work = RuleWork()
                let found = try PatternSearch.finds(pattern, in: sample, work: &work)
                let expected = tree.finds(
                    in: Array(sample), atStart: anchors.0 == 0, atEnd: anchors.1 == 0)
                #expect(found == expected, "/\(text)/ in \"\(sample)\", seed \(seed)")
            }
        }
    }
}

/// A regular expression that is matched by trying all ways.
indirect enum NaivePattern {
    case letter(Character)
    case any
    case oneOf([Character], isInverted: Bool)
    case sequence([NaivePattern])
    case alternatives([NaivePattern])
    case repetition(NaivePattern, Int, Int?)

    static func random(_ random: inout TestRandom, depth: Int) -> NaivePattern {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 9), using: &random) {
        case 0...2: return .letter("abc".randomElement(using: &random)!)
        case 3: return .any
        case 4:
            return .oneOf(
                Array("abc".shuffled(using: &random).prefix(2)),
                isInverted: Bool.random(using: &random))
        case 5, 6: return .sequence((0..<3).map { _ in .random(&random, depth: depth - 1) })
        case 7: return .alternatives((0..<2).map { _ in .random(&random, depth: depth - 1) })
        default:
            let minimum = Int.random(in: 0..<3, using: &random)
            let maximum =
                Bool.random(using: &random) ? nil : minimum + Int.random(in: 0..<3, using: &random)
            return .repetition(.random(&random, depth: depth - 1), minimum, maximum)
        }
    }

    static func sample(_ random: inout TestRandom) -> String {
        String(
            (0..<Int.random(in: 0..<8, using: &random)).map { _ in
                "abcd".randomElement(using: &random)!
            })
    }

    /// As it is written; every part in parentheses.
    var text: String {
        switch self {
        case .letter(let letter): String(letter)
        case .any: "."
        case .oneOf(let letters, let isInverted): "[\(isInverted ? "^" : "")\(String(letters))]"
        case .sequence(let parts): "(" + parts.map(\.text).joined() + ")"
        case .alternatives(let parts): "(" + parts.map(\.text).joined(separator: "|") + ")"
        case .repetition(let part, 0, nil): part.text + "*"
        case .repetition(let part, 1, nil): part.text + "+"
        case .repetition(let part, 0, 1): part.text + "?"
        case .repetition(let part, let minimum, let maximum):
            part.text + "{\(minimum)" + (maximum.map { $0 == minimum ? "" : ",\($0)" } ?? ",") + "}"
        }
    }

    /// The places at which a match that begins at a place can end.
    func ends(in text: [Character], from start: Int) -> Set<Int> {
        switch self {
        case .letter(let letter):
            return start < text.count && text[start] == letter ? [start + 1] : []
        case .any: return start < text.count ? [start + 1] : []
        case .oneOf(let letters, let isInverted):
            return start < text.count && letters.contains(text[start]) != isInverted
                ? [start + 1] : []
        case .sequence(let parts):
            return parts.reduce([start]) { starts, part in
                Set(starts.flatMap { part.ends(in: text, from: $0) })
            }
        case .alternatives(let parts):
            return Set(parts.flatMap { $0.ends(in: text, from: start) })
        case .repetition(let part, let minimum, let maximum):
            var reached: Set<Int> = [start]
            for _ in 0..<minimum {
                reached = Set(reached.flatMap { part.ends(in: text, from: $0) })
            }
            var all = reached
            for _ in 0..<(maximum.map { $0 - minimum } ?? text.count + 1) {
                reached = Set(reached.flatMap { part.ends(in: text, from: $0) })
                all.formUnion(reached)
            }
            return all
        }
    }

    func finds(in text: [Character], atStart: Bool, atEnd: Bool) -> Bool {
        (0...(atStart ? 0 : text.count)).contains { start in
            let ends = ends(in: text, from: start)
            return atEnd ? ends.contains(text.count) : !ends.isEmpty
        }
    }
}
