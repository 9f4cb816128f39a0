// The entry of libFuzzer; `scripts/fuzz rules` builds it with the language of rules, and without the tests.
import DataTree
import Glibc
import JSONText

@testable import Rules

/// The kinds of text that the fuzzer's bytes stand for; the first byte chooses.
enum FuzzedText: UInt8, CaseIterable {
    case document, expression, pattern

    /// The first texts of the corpus.
    var examples: [String] {
        switch self {
        case .document:
            [
                """
                {"rules": { // all
                  ".read": "auth != null && root.child('a').val() > 3",
                  "list": {".indexOn": ["a", ".value"], "$k": {".validate": "newData.val() == now"}}
                }}
                """
            ]
        case .expression:
            [
                "auth.uid === $k && newData.hasChildren(['a', 'b/c'])",
                "data.val().matches(/^[a-z]{1,9}$/i) ? query.limitToFirst <= 100 : -1 % 2 == .5e-3",
                "!newData.parent().child('x' + $k).exists() || 'é\\u00e9'.replace(\"a\", 'b').length < 1000",
            ]
        case .pattern: ["^(a|b*)+[^c-z\\d]{2,9}?$\naab", "(\\s|.)+/\\/\\ud83d\n😀"]
        }
    }

    /// The invariant that these bytes violate; nil if they violate none.
    func violation(for bytes: ArraySlice<UInt8>) -> String? {
        switch self {
        case .document: FuzzedText.violation(ofDocument: Array(bytes))
        case .expression:
            FuzzedText.violation(ofExpression: String(decoding: bytes, as: UTF8.self))
        case .pattern: FuzzedText.violation(ofPattern: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// A document is refused with places in it, or judges with and without a trace alike.
    private static func violation(ofDocument bytes: [UInt8]) -> String? {
        do throws(RulesetError) {
            return violation(of: try Ruleset(bytes))
        } catch {
            let isPlaced = error.errors.allSatisfy { $0.line >= 1 && $0.column >= 1 }
            return isPlaced && !error.errors.isEmpty ? nil : "refused without a place: \(error)"
        }
    }

    private static func violation(ofExpression text: String) -> String? {
        let quoted = JSONWriter.text(of: .string(text))
        let rules = "{\"rules\": {\"$k\": {\".write\": \(quoted), \".read\": \(quoted)}}}"
        return (try? Ruleset(Array(rules.utf8))).flatMap(violation)
    }

    private static func violation(of ruleset: Ruleset) -> String? {
        let place = Path([Key(unchecked: "list"), Key(unchecked: "a")])
        var tree = Value.null
        tree.set(.string("aab"), at: place)
        let write = RuleSituation(auth: .user("list"), now: 1, before: .integer(7), after: tree)
        let read = RuleSituation(auth: .null, now: 1, data: tree)
        for (operation, situation) in [
            (RuleOperation.write(place), write), (.read(place), read), (.read(.root), read),
        ] {
            let trace = ruleset.trace(operation, in: situation)
            let verdict = ruleset.evaluate(operation, in: situation)
            if trace.verdict != verdict { return "a trace changes the verdict on \(operation)" }
            if trace.explanation.isEmpty != verdict.isAllowed {
                return "\(verdict) of \(operation), explained by \(trace.explanation)"
            }
        }
        return nil
    }

    /// A search enters each state at most once a unit of the text, which is what stands behind the first line.
    private static func violation(ofPattern text: String) -> String? {
        let lines = text.split(separator: "\n", maxSplits: 1)
        guard let first = lines.first,
            let pattern = try? Pattern(String(first), ignoringCase: first.utf8.count % 2 == 1)
        else { return nil }
        let searched = lines.count > 1 ? String(lines[1]) : ""
        var work = RuleWork(1 << 40)
        guard (try? PatternSearch.finds(pattern, in: searched, work: &work)) != nil else {
            return "the work is never enough"
        }
        let most = 2 * (pattern.states.count + 1) * (searched.utf16.count + 2)
        let spent = 1 << 40 - work.remaining
        return spent <= most ? nil : "\(spent) units of work, at most \(most) are due"
    }
}

/// Writes the examples into the corpus, whose folder is the program's last argument.
#if HEARTH_FUZZ
    @_cdecl("LLVMFuzzerInitialize")
#endif
public func writeCorpus(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    let folder = String(cString: arguments.pointee[Int(count.pointee) - 1])
    for subject in FuzzedText.allCases {
        for (index, example) in subject.examples.enumerated() {
            guard let file = fopen("\(folder)/seed-\(subject)-\(index)", "w") else { continue }
            let bytes = [subject.rawValue] + example.utf8
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }
    }
    return 0
}

/// Stops the fuzzer at bytes for which an invariant does not hold.
#if HEARTH_FUZZ
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let subject = bytes.first.flatMap({ FuzzedText(rawValue: $0 % 3) }) else { return 0 }
    if let violation = subject.violation(for: bytes[1...]) { fatalError(violation) }
    return 0
}
