import DataTree
import Foundation
import Testing

@testable import Rules

/// Hostile texts: they may be refused, and never crash, hang or take more than their bounds.
///
/// A longer run: `HEARTH_FUZZ_SEEDS=1000`.
@Suite struct `Random text` {
    static let seeds =
        0..<(ProcessInfo.processInfo.environment["HEARTH_FUZZ_SEEDS"].flatMap { Int($0) } ?? 10)

    static let words = [
        "auth", "now", "root", "data", "newData", "query", "$k", "null", "true", "1", "1.5e3",
        "'a'",
        "\"b\"", "/a*/", "/(/", "(", ")", "[", "]", ".", ",", "?", ":", "!", "-", "+", "*", "/",
        "%", "==",
        "===", "!=", "<", "<=", "&&", "||", "=", "&", ".val()", ".child('x')", ".parent()",
        ".exists()",
        ".length", ".matches(/a|b/i)", ".hasChildren(['x'])", ".contains('a')", ".uid", " ", "\n",
        "//", "/*",
        "é", "😀", "\\", "'", "\"", "0x1f", "1e", "..", ";", "{", "}",
    ]

    private func text(_ random: inout TestRandom, of words: [String], upTo count: Int) -> String {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in
            words.randomElement(using: &random)!
        }.joined()
    }

    @Test(arguments: `Random text`.seeds)
    func `as an expression is refused or evaluates`(seed: Int) {
        var random = TestRandom(seed: UInt64(seed) &+ 1)
        let situation = RuleSituation(auth: .u1, now: 1, before: .string("a"), after: .integer(1))
        var accepted = 0
        for _ in 0..<5_000 {
            let text = text(&random, of: Self.words, upTo: 9)
            let document = "{\"rules\":{\"$k\":{\".write\":\(quoted(text))}}}"
            guard let ruleset = try? Ruleset(Array(document.utf8)) else { continue }
            accepted += 1
            let trace = ruleset.trace(.write(.at("/x/y")), in: situation)
            #expect(trace.explanation.isEmpty == trace.verdict.isAllowed)
            // What is accepted gives a boolean or a failure.
            switch trace.evaluations[0].values[ruleset.rules[0].expression.root] {
            case .boolean, .failure: break
            case let value: Issue.record("\(text) gives \(String(describing: value))")
            }
        }
        #expect(accepted > 10)
    }

    @Test(arguments: `Random text`.seeds)
    func `as a regular expression is refused or searches`(seed: Int) {
        var random = TestRandom(seed: UInt64(seed) &+ 2)
        let signs = "ab^$|()[]{}*+?.,-\\0129sSdDwW/é😀".map(String.init)
        var accepted = 0
        for _ in 0..<5_000 {
            let text = text(&random, of: signs, upTo: 12)
            guard let pattern = try? Pattern(text, ignoringCase: Bool.random(using: &random)) else {
                continue
            }
            accepted += 1
            #expect(pattern.states.count <= RuleLimits.patternStates)
            var work = RuleWork(1_000_000)
            _ = try? PatternSearch.finds(pattern, in: "ab$😀aab(]\n9", work: &work)
        }
        #expect(accepted > 100)
    }

    @Test(arguments: `Random text`.seeds)
    func `is searched in time that grows with it, whatever the expression`(seed: Int) {
        var random = TestRandom(seed: UInt64(seed) &+ 5)
        let signs = [
            "a", "b", "(a|b)", "(a*)*", "(a|a)+", "(a+b?){2,9}", ".*", "[^c]{0,20}", "(.a)*", "$",
        ]
        for _ in 0..<200 {
            let text = text(&random, of: signs, upTo: 8)
            guard let pattern = try? Pattern(text, ignoringCase: false) else { continue }
            for count in [10, 1_000] {
                let searched = String(repeating: "a", count: count) + "c"
                var work = RuleWork(1 << 40)
                _ = try? PatternSearch.finds(pattern, in: searched, work: &work)
                // Each unit may lead to each state, once.
                #expect(
                    1 << 40 - work.remaining <= 2 * (pattern.states.count + 1) * (count + 3),
                    "\(text), \(count)")
            }
        }
    }

    @Test(arguments: `Random text`.seeds)
    func `as a document is refused or compiles`(seed: Int) {
        var random = TestRandom(seed: UInt64(seed) &+ 3)
        let original = Array(WorkedCaseTexts.document.utf8)
        var accepted = 0
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default:
                    bytes.insert("{}[]\",:\\/*.$'".utf8.randomElement(using: &random)!, at: place)
                }
            }
            do throws(RulesetError) {
                _ = try Ruleset(bytes)
                accepted += 1
            } catch {
                #expect(
                    !error.errors.isEmpty
                        && error.errors.allSatisfy { $0.line >= 1 && $0.column >= 1 })
            }
        }
        #expect(accepted > 10)
    }

    @Test(arguments: `Random text`.seeds)
    func `as a file of cases is refused or runs`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &+ 4)
        let ruleset = try Ruleset(Array(WorkedCaseTexts.document.utf8))
        let words = [
            "rules r", "allow", "deny", "read", "write", "update", "delete", "/", "/a",
            "/a/.priority", "as", "none",
            "{", "}", "a:", "1", "\"x\"", "\n", "#", "//", "user", "u", "data", "now", "query",
            "{\".sv\":\"timestamp\"}",
        ]
        for _ in 0..<5_000 {
            let text = "rules r\n" + text(&random, of: words.map { $0 + " " }, upTo: 8)
            guard let file = try? RuleTestFile(Array(text.utf8)) else { continue }
            _ = file.run(on: ruleset)
        }
    }
}

enum WorkedCaseTexts {
    static let document = """
        {"rules": { // all
          ".read": "auth != null && root.child('a').val() > 3",
          "users": {"$uid": {".write": "auth.uid === $uid", ".validate": "newData.hasChildren(['name'])",
            "name": {".validate": "newData.isString() && newData.val().matches(/^[a-z]{1,9}$/i)"}}},
          "list": {".indexOn": ["a", ".value"], "$k": {".validate": "newData.val() == now ? true : !data.exists()"}}
        }}
        """
}
