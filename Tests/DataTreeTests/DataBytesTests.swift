import Testing

@testable import DataTree

@Suite struct DataBytesTests {
    /// A record as the tree packs it, and the same as a map.
    private static let fields: [(String, Value)] = [
        ("text", .string("größe")), ("n", .integer(7)), ("x", .double(0.5)), ("is", .boolean(true)),
    ]

    private func list(_ count: Int, textBytes: (Int) -> Int = { _ in 10 }) -> Value {
        .object(
            named: (0..<count).map { number in
                let text = String(repeating: "a", count: textBytes(number))
                return ("k\(1_000_000 + number)", .object(named: [("t", .string(text))]))
            })
    }

    private func packed(_ value: Value) -> Value {
        guard case .object(let children) = value,
            let packed = PackedChildren.make(packing: children.asMap)
        else { return value }
        return .object(Children(packed))
    }

    @Test func `keys and strings count as UTF-8, numbers as 8 bytes, and booleans as one`() {
        let record = Value.object(named: Self.fields)
        // 4 + 7, 1 + 8, 1 + 8, 2 + 1.
        #expect(record.dataBytes == 32)
        #expect(record.prioritized(.integer(1)).dataBytes == 40)
        #expect(Value.null.dataBytes == 0)
    }

    @Test func `packed children have the size of the same children in a map`() {
        let record = Value.object(named: Self.fields)
        #expect(packed(record) == record)
        #expect(packed(record).dataBytes == record.dataBytes)
    }

    @Test func `a count in slices is that of the whole`() {
        var value = list(100)
        value.set(.object(named: Self.fields).prioritized(.integer(1)), at: "k1000005/more")
        value = value.prioritized(.string("p"))
        var count = DataByteCount(of: value)
        var slices = 0
        while !count.isDone {
            var rest = 7
            count.advance(by: &rest)
            slices += 1
        }
        #expect(count.bytes == value.dataBytes)
        #expect(slices > 10)
        #expect(DataByteCount(of: .string("abc")).isDone)
        #expect(DataByteCount(of: .string("abc")).bytes == 3)
    }

    @Test func `small values are estimated exactly, and large ones by some children`() {
        #expect(list(100).estimatedDataBytes(samples: 100) == list(100).dataBytes)
        let equal = list(5_000)
        #expect(equal.estimatedDataBytes(samples: 100) == equal.dataBytes)
        let growing = list(5_000) { $0 / 10 }
        let estimate = Double(growing.estimatedDataBytes(samples: 200))
        #expect(abs(estimate / Double(growing.dataBytes) - 1) < 0.05)
    }
}
