import DataTree
import Testing

@Suite struct ValueOrderTests {
    static let ascending: [Value] = [
        .null, .deferred(.timestamp), false, true, .double(-1e300), .integer(.min), -1,
        .double(-0.5),
        0, .double(0.5), 1, .integer(1 << 60), .integer(1 << 60 + 1), .integer(.max),
        .double(0x1p63),
        .double(1e300), "", "1", "A", "a", "aa", "é", "\u{D7FF}", "🐵", "\u{FF21}", ["a": 1],
    ]

    @Test func `kinds and values have one order`() {
        for (i, a) in Self.ascending.enumerated() {
            for (j, b) in Self.ascending.enumerated() {
                #expect(a.order(to: b) == Order(i, j), "\(a) to \(b)")
            }
        }
    }

    @Test(
        arguments: [
            (.double(-0.0), 0), (.double(1), 1),
            (.deferred(.timestamp), .deferred(.increment(.integer(1)))),
            (["a": 1], ["b": true]), ([".value": "x", ".priority": 2], "x"),
            (.double(0x1p60), .integer(1 << 60)),
        ] as [(Value, Value)])
    func `keys decide between values that count the same`(a: Value, b: Value) {
        #expect(a.order(to: b) == .same)
        #expect(b.order(to: a) == .same)
    }

    @Test func `great integers and doubles have a total order`() {
        let near = ([-1, 0, 1] as [Int64]).flatMap { offset -> [Value] in
            let number: Int64 = 1 << 60 + offset
            return [.integer(number), .double(Double(number)), .integer(-number), .integer(.max)]
        }
        for a in near {
            for b in near {
                #expect(a.order(to: b) == b.order(to: a).reversed)
                for c in near where a.order(to: b) == .same {
                    #expect(a.order(to: c) == b.order(to: c))
                }
            }
        }
    }

    @Test func `strings sort by UTF-16 code unit`() {
        var random = SeededRandom(seed: 5)
        let alphabet = ["a", "b", "é", "🐵", "\u{FF21}", "\u{D7FF}"]
        let texts = (0..<300).map { _ in
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                alphabet.randomElement(using: &random)!
            }.joined()
        }
        for a in texts {
            for b in texts.prefix(40) {
                let (x, y) = (Array(a.utf16), Array(b.utf16))
                let isBefore = x.lexicographicallyPrecedes(y)
                let isAfter = y.lexicographicallyPrecedes(x)
                let order = Value.string(a).order(to: .string(b))
                #expect(order == (isBefore ? .before : isAfter ? .after : .same))
            }
        }
    }
}
