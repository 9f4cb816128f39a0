import DataTree
import Testing

/// Hashes and comparisons that are computed step by step.
@Suite struct SteppedHashTests {
    @Test func `the hash in steps is that of the whole value`() {
        for seed in UInt64(0)..<500 {
            var generator = LeafGenerator(seed)
            let value = generator.value(depth: 4)
            var hashing = ValueHashing(of: value)
            while hashing.hashes == nil { _ = hashing.advance(spending: 1) }
            #expect(hashing.hashes?.exact == DataHash(of: value), "seed \(seed)")
            #expect(hashing.hashes?.match(DataHash(of: value)) == true)
        }
    }

    @Test func `children with priorities are hashed in their order, however many`() throws {
        let members = (0..<3_000).map { number in
            let value = Value.integer(Int64(number))
            let rank = Int64(number * 7_919 % 1_009)
            return ("k\(number)", number % 5 == 0 ? value : value.prioritized(.integer(rank)))
        }
        let value = try Value(members: members)
        #expect(ValueHashes(of: value).exact == DataHash(of: value))
    }

    @Test func `clients that round numbers know a value by another hash`() {
        let value: Value = ["a": .integer(1 << 53 + 1)]
        let hashes = ValueHashes(of: value)
        #expect(hashes.exact == DataHash(of: value))
        #expect(hashes.match(DataHash(of: ["a": .double(0x1p53)])))
        #expect(!hashes.match(DataHash(of: ["a": .double(0x1p54)])))
    }

    @Test func `a long string is hashed in many steps`() {
        let text = String(repeating: "ä\"b", count: 100_000)
        for value: Value in [.string(text), ["a": ["x": .string(text)], "b": 1]] {
            var hashing = ValueHashing(of: value)
            var largest = 0
            while hashing.hashes == nil { largest = max(largest, hashing.advance(spending: 1)) }
            #expect(largest < 100)
            #expect(hashing.hashes?.exact == DataHash(of: value))
            let hash = CompoundHash(of: value)
            #expect(hash.rangesThatDiffer(from: value).isEmpty)
        }
    }

    @Test func `the parts of many ranges are those of each range`() {
        for seed in UInt64(0)..<1_000 {
            var generator = LeafGenerator(seed)
            let old = generator.value(depth: 3)
            let new = generator.changed(old)
            let hash = CompoundHash(of: old) { _, _ in generator.chance(40) }
            var comparison = RangeComparison(of: new, with: hash, partLimit: 1_000)
            while comparison.outcome == nil { _ = comparison.advance(spending: 1) }
            let ranges = hash.rangesThatDiffer(from: new)
            guard case .ranges(let changed) = comparison.outcome else {
                #expect(ranges.count == hash.hashes.count, "seed \(seed)")
                continue
            }
            #expect(changed.map(\.range) == ranges, "seed \(seed)")
            for (range, parts) in changed {
                let expected = range.parts(of: new)
                #expect(parts.map(\.path) == expected.map(\.path), "seed \(seed)")
                #expect(parts.map(\.value) == expected.map(\.value), "seed \(seed)")
            }
        }
    }

    @Test func `the work grows with the ranges and the children, not with their product`() throws {
        for count in [1_000, 4_000] {
            let members = (0..<count).map { ("key\(10_000 + $0)", Value.integer(1)) }
            let value = try Value(members: members)
            let posts = stride(from: 0, to: count, by: 2).map {
                Path([Key(unchecked: "key\(10_000 + $0)")])
            }
            let wrong = Array(repeating: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", count: posts.count)
            let hash = try CompoundHash(posts: posts, hashes: wrong + [""])
            var comparison = RangeComparison(of: value, with: hash, partLimit: 100_000)
            var spent = 0
            while comparison.outcome == nil {
                let step = comparison.advance(spending: 100)
                #expect(step < 200)
                spent += step
            }
            #expect(spent < 10 * count, "\(count) children")
        }
    }

    @Test func `more parts than the limit are replaced by the whole value`() throws {
        let value = try Value(members: (0..<100).map { ("key\(100 + $0)", Value.integer(1)) })
        let right = CompoundHash(of: value) { path, _ in path == "key150" }
        let hash = try CompoundHash(posts: right.posts, hashes: ["x", right.hashes[1], ""])
        for (limit, isWhole) in [(50, true), (51, false)] {
            var comparison = RangeComparison(of: value, with: hash, partLimit: limit)
            while comparison.outcome == nil { _ = comparison.advance(spending: 10) }
            guard case .whole = comparison.outcome else {
                #expect(!isWhole)
                continue
            }
            #expect(isWhole)
        }
    }
}
