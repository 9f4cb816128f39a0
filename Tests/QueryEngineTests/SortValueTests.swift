import DataTree
import Testing

@testable import QueryEngine

@Suite struct SortValueTests {
    private static let values: [Value] =
        [.null, .deferred(.timestamp), .boolean(false), .boolean(true)]
        + [Int64.min, -(1 << 53) - 1, -1, 0, 1, (1 << 53) + 1, (1 << 60), (1 << 60) + 1]
        .map(Value.integer) + [.integer(.max - 511), .integer(.max - 512), .integer(.max)]
        + [-.greatestFiniteMagnitude, -0x1p63, -1.5, -0.0, 0.5, 0x1p60, 0x1p63, 1e300]
        .map(Value.double)
        + ["", "\0", "a", "a\0", "ab", "é", "e\u{301}", "\u{D7FF}", "🐵", "\u{E000}", "\u{FF61}"]
        .map(Value.string)
        + [
            "exactly 14 byt", "exactly 14 byt\0", "exactly 14 byte", "exactly 14 bytf",
            "thirteen byt🐵", "thirteen byt\u{FF61}",
        ].map(Value.string)
        + [Value([(Key(unchecked: "a"), Value.integer(1))].children)]

    @Test func `two words order values as the values' own order does`() {
        for a in SortValueTests.values {
            for b in SortValueTests.values {
                let order = Order(SortValue(a), SortValue(b))
                #expect(order == a.order(to: b), "\(a) and \(b)")
                #expect((SortValue(a) == SortValue(b)) == (order == .same), "\(a) and \(b)")
            }
        }
    }

    @Test func `random numbers and strings keep their order`() {
        var random = SplitMix64(state: 4)
        var values: [Value] = []
        for _ in 0..<300 {
            values.append(
                .integer(Int64(bitPattern: random.next()) >> random.next(upperBound: UInt64(63))))
            let double = Double(bitPattern: random.next())
            values.append(.double(double.isFinite ? double : 1))
            let letters = (0..<random.next(upperBound: UInt64(20))).map { _ in
                ["a", "b", "é", "🐵", "\u{FF61}"].randomElement(using: &random)!
            }
            values.append(.string(letters.joined()))
        }
        for a in values {
            let wrong = values.first { Order(SortValue(a), SortValue($0)) != a.order(to: $0) }
            #expect(wrong == nil, "\(a)")
        }
    }

    @Test func `a priority of its own plays no part`() {
        let value = Value.integer(3).prioritized(.string("p"))
        #expect(SortValue(value) == SortValue(.integer(3)))
    }
}

extension [(Key, Value)] {
    fileprivate var children: Children {
        var children = Children()
        for (key, value) in self { children[key] = value }
        return children
    }
}
