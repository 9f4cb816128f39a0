import DataTree
import JSONText
import Testing

@Suite struct JSONFuzzTests {
    private static let seeds = [
        #"{"users":{"-Nabc":{"name":"Ada \u00e9","at":1760000000123,"tags":["x",null,"y"]}}}"#,
        #"{".value":12.5,".priority":"p"} "#,
        #"[1,-2.5e3,true,false,null,"\ud83d\udc35",{"a":{"b":{"c":[]}}}]"#,
        #"{"n":{".sv":{"increment":1}},"t":{".sv":"timestamp"},"big":123456789012345678901234}"#,
        "\"plain é\u{1F435}\"",
    ]

    @Test func `mutated texts are read, or refused with a place inside of them`() {
        var random = SplitMix64(state: 7)
        let reader = JSONReader(maximumDepth: 6)
        let seeds = Self.seeds.map { Array($0.utf8) }
        var refused = 0
        for _ in 0..<200_000 {
            let text = mutated(seeds[random.below(seeds.count)], using: &random)
            do {
                let value = try reader.parse(text)
                let again = try reader.parse(JSONWriter.bytes(of: value, form: .export))
                if again != value { Issue.record("\(String(decoding: text, as: UTF8.self))") }
            } catch {
                refused += 1
                if !isSensible(error, for: text) {
                    Issue.record("\(error) for \(String(decoding: text, as: UTF8.self))")
                }
            }
        }
        // Both outcomes must be common, or the test says little.
        #expect((20_000...190_000).contains(refused))
    }

    private func isSensible(_ error: JSONError, for text: [UInt8]) -> Bool {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return (1...lines.count).contains(error.line)
            && (1...lines[error.line - 1].count + 1).contains(error.column)
            && error.problem != "the text is not JSON" && !error.fix.isEmpty
    }

    private func mutated(_ seed: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var text = seed
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d8", "0", "-", ".", "e9", "\n", "\0",
            "\u{80}", "true", "null", "\".value\":", "\".sv\"", "99999999999999999999", "1e400",
        ]
        for _ in 0...random.below(3) {
            let place = random.below(text.count + 1)
            switch random.below(5) {
            case 0 where place < text.count: text[place] = UInt8(truncatingIfNeeded: random.next())
            case 1 where place < text.count: text.remove(at: place)
            case 2: text.insert(contentsOf: tokens[random.below(tokens.count)].utf8, at: place)
            case 3: text.removeLast(random.below(min(8, text.count + 1)))
            default:
                let end = place + random.below(text.count - place + 1)
                text.insert(contentsOf: text[place..<end], at: place)
            }
        }
        return text
    }
}
