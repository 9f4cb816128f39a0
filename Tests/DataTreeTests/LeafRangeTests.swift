import DataTree
import Testing

@Suite struct LeafRangeTests {
    @Test func `sending the differing ranges turns one value into another`() {
        for seed in UInt64(0)..<2_000 {
            var generator = LeafGenerator(seed)
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
