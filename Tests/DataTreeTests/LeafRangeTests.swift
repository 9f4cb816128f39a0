import DataTree
import Testing

@Suite struct LeafRangeTests {
    @Test func `sending the differing ranges turns one value into another`() {
        for seed in UInt64(0)..<2_000 {
            var generator = Generator(seed)
            let old = generator.value(depth: 3)
            let new = generator.chance(20) ? generator.value(depth: 3) : generator.changed(old)
            let hash = CompoundHash(of: old) { path, _ in
                path.last != .priority && generator.chance(30)
            }
            let ranges = hash.rangesThatDiffer(from: new)
            #expect(ranges.isEmpty == (old == new), "seed \(seed)")
            var merged = old
            merged.replace(ranges, by: ranges.flatMap { $0.parts(of: new) })
            #expect(merged == new, "seed \(seed): \(old) to \(new) by \(ranges)")
        }
    }

    @Test func `equal values differ in no range`() throws {
        let members = (0..<500).map { ("key\(1_000 + $0)", Value.string("some text \($0)")) }
        let value = try Value(members: members)
        let hash = CompoundHash(of: value)
        #expect(hash.rangesThatDiffer(from: value).isEmpty)
        var other = value
        other.set(.integer(1), at: "key1250")
        #expect(hash.rangesThatDiffer(from: other).count == 1)
    }

    @Test func `a part is as large as the range allows`() {
        let value: Value = ["a": ["x": 1, "y": 2], "b": ["x": 3, "y": 4], "c": 5]
        let parts = LeafRange(after: "a/x", through: "b/y").parts(of: value)
        #expect(parts.map(\.path) == ["a/y", "b/x", "b/y"])
        let rest = LeafRange(after: "a/y", through: nil).parts(of: value)
        #expect(rest.map(\.path) == ["b", "c"])
        #expect(LeafRange(after: nil, through: nil).parts(of: value).map(\.path) == [.root])
    }

    @Test func `posts that do not ascend, or too few hashes, are refused`() {
        #expect(throws: DataError.self) {
            try CompoundHash(posts: ["b", "a"], hashes: ["", "", ""])
        }
        #expect(throws: DataError.self) { try CompoundHash(posts: ["a"], hashes: [""]) }
    }
}

/// Small values that are likely to have places in common, priorities included.
private struct Generator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func chance(_ percent: UInt64) -> Bool { number(below: 100) < percent }

    mutating func number(below limit: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
    }

    mutating func key() -> Key {
        // Push keys come before `.priority`, others behind it.
        let keys: [Key] = ["-a", "-b", "1", "10", "a", "b", "z"]
        return keys[Int(number(below: 7))]
    }

    mutating func value(depth: Int) -> Value {
        if depth == 0 || chance(20) { return leaf() }
        var children = Children()
        for _ in 0...number(below: 4) { children[key()] = value(depth: depth - 1) }
        let value = Value(children)
        return chance(25) ? value.prioritized(.integer(Int64(number(below: 3)))) : value
    }

    private mutating func leaf() -> Value {
        let value: Value = chance(50) ? .integer(Int64(number(below: 3))) : .string("x\"\\é")
        return chance(25) ? value.prioritized(.string("p")) : value
    }

    mutating func changed(_ value: Value) -> Value {
        var changed = value
        for _ in 0..<number(below: 3) {
            let path = Path((0...number(below: 3)).map { _ in key() })
            changed.set(chance(40) ? .null : self.value(depth: 1), at: path)
        }
        return changed
    }
}
