import DataTree
import Testing

/// One map that takes all of another one, compared with one that takes its entries one by one.
@Suite struct SortedMapMergeTests {
    typealias Map = SortedMap<Int>

    private static func map(_ range: Range<Int>, step: Int = 1) -> Map {
        var map = Map()
        for number in stride(from: range.lowerBound, to: range.upperBound, by: step) {
            map[Key(unchecked: "key" + String(100_000 + number))] = number
        }
        return map
    }

    @Test(arguments: 0..<200)
    func `parts that come one behind the other, or not, make the same map`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var merged = Map()
        var expected = Map()
        var kept: [(Map, Map)] = []
        var end = 0
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let isBehind = Int.random(in: 0..<4, using: &random) > 0
            let start = isBehind ? end : Int.random(in: 0...end, using: &random)
            let count = [0, 1, 5, 33, 64, 65, 600, 5_000].randomElement(using: &random)!
            end = max(end, start + count)
            let part = SortedMapMergeTests.map(start..<start + count)
            merged.merge(part)
            for (key, item) in part { expected[key] = item }
            kept.append((merged, expected))
            // The grafted nodes are shared with the part: a change must not appear there.
            if let key = part.first?.key {
                merged[key] = -1
                expected[key] = -1
                #expect(part.first?.value != -1)
            }
        }
        for (merged, expected) in kept + [(merged, expected)] {
            #expect(merged == expected)
            #expect(merged.count == expected.count)
            for index in stride(from: 0, to: merged.count, by: 97) {
                let entry = merged.entry(at: index)
                #expect(merged.rank(of: entry.key) == index && merged[entry.key] == entry.value)
            }
        }
    }

    @Test func `an empty map may have memory`() {
        var merged = Map(minimumCapacity: 8)
        merged.merge(Map(minimumCapacity: 8))
        #expect(merged.isEmpty)
        let part = SortedMapMergeTests.map(0..<10)
        merged.merge(part)
        merged.merge(Map(minimumCapacity: 8))
        #expect(merged == part)
    }

    @Test func `a map grows by parts as large ones do, and shrinks again`() {
        var merged = Map()
        for start in 0..<300 {
            merged.merge(SortedMapMergeTests.map(start * 100..<(start + 1) * 100))
        }
        #expect(merged.count == 30_000)
        for (key, _) in SortedMapMergeTests.map(0..<30_000) {
            #expect(merged.removeValue(forKey: key) != nil)
        }
        #expect(merged.isEmpty)
    }
}
