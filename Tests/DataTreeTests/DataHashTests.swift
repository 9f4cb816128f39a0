import Testing

@testable import DataTree

@Suite struct DataHashTests {
    @Test(
        arguments: [
            (.null, ""),
            (4, "eVih19a6ZDz3NL32uVBtg9KSgQY="),
            (4.5623, "vf1CL0tIRwXXunHcG/irRECk3lY="),
            ("hey guys", "CUNLXWpCVoJE6z7z1vE57lGaKAU="),
            (true, "E5z61QM0lN/U2WsOnusszCTkR8M="),
            (
                ["intNode": 4, "doubleNode": 4.5623, "stringNode": "hey guys", "boolNode": true],
                "6Mc4jFmNdrLVIlJJjz2/MakTK9I="
            ),
            (
                ["root": ["c": [".value": 99, ".priority": "abc"], ".priority": "def"]],
                "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="
            ),
            (
                ["b": [".value": 1, ".priority": 1], "a": [".value": 2, ".priority": 2], "c": 3],
                "Qf/hRznoPTohPT0sTDDuiN3EHPw="
            ),
            ([".value": 12_345_678_901_234_568, ".priority": "🐵"], "+E+Mxlqh5MhT+On05bjsZ6JaaxI="),
            (["10": "t", "9": "n", "a": "z"], "74r8U/QzxfSAWWuJMCh0iTtSlIQ="),
        ] as [(Value, String)])
    func `data has the hash that Firebase's clients compute`(value: Value, hash: String) {
        #expect(DataHash(of: value).text == hash)
        #expect(DataHash(text: hash).matches(value))
    }

    @Test func `zero and minus zero have different hashes`() {
        #expect(DataHash(of: .double(-0.0)) != DataHash(of: .integer(0)))
    }

    @Test func `between powers of two JavaScript's bytes are the true ones`() {
        for number in 0..<2_000 {
            // Exponents from -900 to 1,000, and fractions whose lowest bits are set or not.
            let significand = 1.1 + 0.8 * Double(number * 7_919 % 2_000) / 2_000
            let exponent = number * 37 % 1_901 - 900
            let size = Double(sign: .plus, exponent: exponent, significand: significand)
            for double in [size, -size] {
                #expect(JavaScriptDouble.bitPattern(of: double) == double.bitPattern, "\(double)")
            }
        }
    }

    @Test(arguments: [1 << 60 + 1, 1 << 53 + 1, 1 << 62 - 511, .max, .min + 1] as [Int64])
    func `integers that are no doubles hash apart, and match as the nearest`(
        number: Int64
    ) {
        let hash = DataHash(of: ["a": .integer(number)])
        #expect(hash.matches(["a": .integer(number)]))
        #expect(!hash.matches(["a": .integer(number - 1)]))
        #expect(CompoundHash(of: .integer(number)) != CompoundHash(of: .integer(number - 1)))
        // What a client knows that has only doubles.
        let rounded = DataHash(of: ["a": .double(Double(number))])
        #expect(rounded != hash)
        #expect(rounded.matches(["a": .integer(number)]))
    }

    @Test(arguments: [1 << 53, 1 << 60, .min] as [Int64])
    func `integers that are doubles have their hashes`(number: Int64) {
        #expect(DataHash(of: .integer(number)) == DataHash(of: .double(Double(number))))
    }

    @Test func `the hash that JavaScript gets wrong matches too`() {
        // JavaScript spells 63.99999999999999 as 64, and true 64 right.
        let near = Value.double(64.0.nextDown)
        let wrong = DataHash(of: .double(64))
        #expect(wrong.matches(near))
        #expect(wrong.matches(64))
        #expect(!DataHash(of: near).matches(64))
        #expect(DataHash(of: ["a": 64]).matches(["a": near]))
    }

    @Test func `texts of every length around a block have their own hash`() {
        let hashes = (0..<200).map { DataHash(of: .string(String(repeating: "x", count: $0))).text }
        #expect(Set(hashes).count == hashes.count)
        #expect(hashes[0] == "Ki0Xy0V6morg0TO3Sxi/jwugYDQ=")
    }
}
