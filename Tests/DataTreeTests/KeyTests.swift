import DataTree
import Testing

@Suite struct KeyTests {
    @Test func `integer keys come first, by number, then strings by code unit`() {
        let ascending: [Key] = [
            "-2147483648", "-1", "0", "-0", "00", "1", "01", "001", "2", "007", "10", "2147483647",
            "-", "-2147483649", "-2147483650", "-a", "000000000001", "2147483648", "21474836480",
            "2147483649", "a", "aa", "b",
        ]
        #expect(ascending.shuffled().sorted().map(\.text) == ascending.map(\.text))
    }

    @Test func `surrogates sort before the characters from U+E000 on`() {
        let ascending: [Key] = ["\u{D7FF}", "🐵", "\u{10FFFF}", "\u{E000}", "\u{FF21}", "\u{FFFF}"]
        #expect(ascending.reversed().sorted() == ascending)
        #expect(Key("유주연") < Key("윤규완오빠"))
        let long = String(repeating: "k", count: 60)
        #expect(Key(unchecked: long + "🐵") < Key(unchecked: long + "\u{FF21}"))
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("00", 0), ("007", 7), ("-7", -7), ("2147483647", Int32.max),
        ("-2147483648", Int32.min), ("00000000001", 1), ("-0000000001", -1),
    ])
    func `a key that reads as a 32-bit integer is one`(text: String, number: Int32) {
        #expect(Key(unchecked: text).integer == number)
        #expect(Key(unchecked: text).text == text)
    }

    @Test(arguments: [
        "-", "+1", "1.0", " 1", "1e3", "2147483648", "-2147483649", "000000000001", "-00000000001",
        "--1", "1-", "٣",
    ])
    func `any other key is a string`(text: String) {
        #expect(Key(unchecked: text).integer == nil)
    }

    @Test func `equal numbers of different spelling are different keys`() {
        let spellings: [Key] = ["0", "-0", "00", "000", "-00"]
        #expect(Set(spellings).count == spellings.count)
        #expect(Key("-0") < Key("00"))
    }

    @Test func `canonical equivalents are different keys`() {
        let composed = Key(unchecked: "\u{E9}")
        let decomposed = Key(unchecked: "e\u{301}")
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(decomposed < composed)
    }

    @Test(arguments: [
        "a", "-NxAbCdEfGhIjKlMnOpQ", "ünïcödé", "🐵🌴", "\u{E000}\u{FFFF}", "12", "-2147483648",
        "007",
        String(repeating: "x", count: 31), String(repeating: "x", count: 32),
        String(repeating: "é", count: 15) + "a", String(repeating: "🐵", count: 8),
        String(repeating: "\u{FFFF}", count: 256),
    ])
    func `text comes back as it went in`(text: String) throws {
        let key = try Key(text)
        #expect(Array(key.text.utf8) == Array(text.utf8))
        #expect(key.utf8Count == text.utf8.count)
        #expect(key == Key(unchecked: text))
        #expect(key.hashValue == Key(unchecked: text).hashValue)
    }

    @Test func `keys of every length sort as their code units do`() {
        var random = SeededRandom(seed: 11)
        let alphabet = ["a", "b", "é", "🐵", "\u{FF21}", "\u{D7FF}", "7", "-"]
        let texts = (0..<2_000).map { _ in
            let length = [1, 8, 30, 31, 32, 33, 90].randomElement(using: &random)!
            let start = String(repeating: "s", count: Int.random(in: 0...length, using: &random))
            return (0..<3).reduce(start) { text, _ in
                text + alphabet.randomElement(using: &random)!
            }
        }
        let strings = texts.filter { Key(unchecked: $0).integer == nil }
        let sorted = strings.map { Key(unchecked: $0) }.sorted().map { Array($0.text.utf16) }
        let expected = strings.map { Array($0.utf16) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(sorted == expected)
    }

    @Test(arguments: [
        "", ".", "a.b", "a#", "$a", "a/b", "[", "]", "a\u{0}", "\u{1F}", "\u{7F}", "12345678.",
        "123456789012345\u{7F}", String(repeating: "x", count: 40) + "/", ".priority",
        String(repeating: "x", count: 769),
    ])
    func `a key with a forbidden character or length is refused`(text: String) {
        #expect(throws: DataError.self) { try Key(text) }
    }

    @Test func `every byte is allowed or refused by the rule, at every place`() {
        let forbidden = Set("./#$[]".utf8).union(0..<0x20).union([0x7F])
        for length in 1...40 {
            for byte in UInt8(0)...0xFF {
                var bytes = [UInt8](repeating: UInt8(ascii: "m"), count: length)
                bytes[Int(byte) % length] = byte
                let isAllowed = bytes.withUnsafeBufferPointer { (try? Key(validating: $0)) != nil }
                #expect(isAllowed == !forbidden.contains(byte), "byte \(byte) of \(length)")
            }
        }
    }

    @Test func `a refusal names the key and the failure`() {
        #expect {
            let text = "rooms.old"
            _ = try Key(text)
        } throws: { error in
            (error as? DataError)?.problem == "invalid key \"rooms.old\": it contains \".\""
        }
    }
}
