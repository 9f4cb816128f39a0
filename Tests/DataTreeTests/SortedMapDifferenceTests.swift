import DataTree
import Testing

@Suite struct SortedMapDifferenceTests {
    private typealias Map = SortedMap<Int>

    private static func key(_ number: Int) -> Key { Key(unchecked: "k\(number)") }

    private static func differences(_ new: Map, _ old: Map) -> [Key] {
        new.differences(from: old, areSame: ==)
    }

    /// The difference by its definition.
    private static func expected(_ new: Map, _ old: Map) -> [Key] {
        Set(new.keys).union(old.keys).filter { new[$0] != old[$0] }.sorted()
    }

    @Test(arguments: 1...40)
    func `exactly the changed keys are found, in order`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var old = Map()
        for _ in 0..<Int.random(in: 0...3_000, using: &random) {
            old[Self.key(Int.random(in: 0..<5_000, using: &random))] = 0
        }
        var new = old
        for step in 0..<Int.random(in: 0...400, using: &random) {
            let key = Self.key(Int.random(in: 0..<5_000, using: &random))
            new[key] = Bool.random(using: &random) ? step : nil
        }
        #expect(Self.differences(new, old) == Self.expected(new, old))
        #expect(Self.differences(old, new) == Self.expected(old, new))
        #expect(Self.differences(old, old).isEmpty)
    }

    @Test func `shared parts of two maps are not visited`() {
        var old = Map()
        for number in 0..<100_000 { old[Self.key(number)] = 0 }
        var new = old
        new[Self.key(50_000)] = 1
        var looks = 0
        let keys = new.differences(from: old) {
            looks += 1
            return $0 == $1
        }
        #expect(keys == [Self.key(50_000)])
        #expect(looks <= 64)
    }

    @Test func `maps of different origin are compared item by item`() {
        var one = Map()
        var other = Map()
        for number in 0..<1_000 { one[Self.key(number)] = number }
        for number in (0..<1_000).reversed() { other[Self.key(number)] = number }
        #expect(Self.differences(one, other).isEmpty)
        #expect(Self.differences(one, Map()).count == 1_000)
        #expect(Self.differences(Map(), one).count == 1_000)
    }
}
