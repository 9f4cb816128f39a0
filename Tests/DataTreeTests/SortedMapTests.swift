import Testing

@testable import DataTree

/// Compares the map with a plain sorted array that goes through the same changes.
@Suite struct SortedMapTests {
    typealias Map = SortedMap<Value>

    /// A sorted array with the map's operations, slow and obvious.
    struct Model {
        var entries: [(key: Key, value: Value)] = []

        func rank(of key: Key) -> Int {
            var rank = 0
            while rank < entries.count, entries[rank].key < key { rank += 1 }
            return rank
        }

        mutating func set(_ value: Value?, at key: Key) {
            let rank = rank(of: key)
            if rank < entries.count, entries[rank].key == key { entries.remove(at: rank) }
            if let value { entries.insert((key, value), at: rank) }
        }

        func matches(_ map: Map) -> Bool {
            map.count == entries.count && map.isEmpty == entries.isEmpty
                && map.elementsEqual(entries) { $0.key == $1.key && $0.value == $1.value }
        }
    }

    @Test func `many keys are found together as they are one by one`() {
        for seed in UInt64(0)..<30 {
            var random = SeededRandom(seed: seed)
            var map = Map()
            for number in 0..<[0, 1, 60, 5_000][Int(seed % 4)] {
                map[Self.randomKey(&random, among: 8_000)] = .integer(Int64(number))
            }
            let keys = (0..<100).map { _ in Self.randomKey(&random, among: 8_000) }
            var visited: [Key] = []
            var found: [Value?] = []
            map.visit(at: keys) {
                visited.append($0)
                found.append($1)
            }
            #expect(visited == keys && found == keys.map { map[$0] }, "seed \(seed)")
        }
    }

    @Test func `the memory of long keys is given back with the last map that has them`() {
        weak var text: LongKey?
        do {
            var map = Map()
            for number in 0..<200 {
                map[Key(unchecked: String(repeating: "long", count: 10) + "\(number)")] = .boolean(
                    true)
            }
            text = map.first?.key.overflow
            var copy = map
            copy[Key(unchecked: "a")] = .boolean(true)
            map = Map()
            #expect(text != nil && copy.count == 201)
        }
        #expect(text == nil)
    }

    static func randomKey(_ random: inout SeededRandom, among count: Int) -> Key {
        let number = Int.random(in: 0..<count, using: &random)
        return switch number % 5 {
        case 0: Key(unchecked: String(number))
        case 1: Key(unchecked: String(repeating: "long", count: 10) + String(number))
        case 2: Key(unchecked: "🐵\(number)")
        default: Key(unchecked: "key\(number)")
        }
    }

    @Test(arguments: [(40, 1), (400, 2), (4_000, 3)])
    func `random changes, with copies kept on the way`(keys: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var map = Map()
        var model = Model()
        var kept: [(Map, Model)] = []
        var mismatches = 0
        for step in 0..<6_000 {
            let key = Self.randomKey(&random, among: keys)
            // Growth and shrinkage take turns, so that nodes split and merge.
            let grows = Int.random(in: 0..<10, using: &random) < (step / 1_500 % 2 == 0 ? 8 : 2)
            let value = Value.string("a text that needs memory of its own \(step)")
            map[key] = grows ? value : nil
            model.set(grows ? value : nil, at: key)
            if map[key] != (grows ? value : nil) { mismatches += 1 }
            if step % 500 == 0 { kept.append((map, model)) }
        }
        #expect(mismatches == 0)
        #expect(model.matches(map))
        #expect(kept.allSatisfy { map, model in model.matches(map) })
    }

    @Test(arguments: [1, 63, 64, 65, 128, 3_000, 5_000])
    func `ascending and descending keys`(count: Int) {
        for isAscending in [true, false] {
            var map = SortedMap<Int>()
            for step in 0..<count {
                let number = isAscending ? step : count - 1 - step
                #expect(map.updateValue(number, forKey: Key(index: number)) == nil)
            }
            #expect(map.map(\.value) == Array(0..<count))
            #expect(map.first?.value == 0 && map.last?.value == count - 1)
            for number in stride(from: 0, to: count, by: 2) {
                #expect(map.removeValue(forKey: Key(index: number)) == number)
                #expect(map.removeValue(forKey: Key(index: number)) == nil)
            }
            #expect(map.map(\.value) == Array(stride(from: 1, to: count, by: 2)))
            for number in stride(from: 1, to: count, by: 2).reversed() {
                map[Key(index: number)] = nil
            }
            #expect(map.isEmpty && map.first == nil && map.last == nil)
        }
    }

    @Test func `neighbours, ranks and places agree with the order`() {
        var random = SeededRandom(seed: 4)
        var map = Map()
        var model = Model()
        for step in 0..<3_000 {
            let key = Self.randomKey(&random, among: 6_000)
            map[key] = .integer(Int64(step))
            model.set(.integer(Int64(step)), at: key)
        }
        let sorted = model.entries.map(\.key)
        for (index, key) in sorted.enumerated() {
            #expect(map.rank(of: key) == index)
            #expect(map.entry(at: index).key == key)
        }
        for _ in 0..<2_000 {
            let key = Self.randomKey(&random, among: 6_000)
            let rank = sorted.firstIndex { !($0 < key) } ?? sorted.count
            #expect(map.rank(of: key) == rank)
            #expect(map.entry(before: key)?.key == (rank > 0 ? sorted[rank - 1] : nil))
            let following = map.entries(from: key).prefix(100).map(\.key)
            #expect(following == Array(sorted[rank...].prefix(100)))
            let positions = rank..<min(sorted.count, rank + 150)
            var visited: [Key] = []
            map.visit(in: positions) { key, _ in visited.append(key) }
            #expect(visited == Array(sorted[positions]))
        }
    }

    @Test func `runs of a large map go, and some of their keys come back`() {
        var random = SeededRandom(seed: 8)
        var map = SortedMap<Int>()
        var present = Set(0..<20_000)
        for number in present.shuffled(using: &random) { map[Key(index: number)] = number }
        for _ in 0..<60 {
            // Whole nodes go, and what comes back lies before the first key of those that follow.
            let start = Int.random(in: 0..<19_000, using: &random)
            let run = start..<start + 1_000
            for number in run { map[Key(index: number)] = nil }
            present.subtract(run)
            for _ in 0..<20 {
                let number = Int.random(in: run, using: &random)
                map[Key(index: number)] = number
                present.insert(number)
            }
            #expect(map.map(\.value) == present.sorted())
            #expect(present.allSatisfy { map[Key(index: $0)] == $0 })
        }
    }

    @Test func `late keys among ascending ones`() {
        var random = SeededRandom(seed: 9)
        var map = SortedMap<Bool>()
        var expected: Set<Key> = []
        for step in 0..<20_000 {
            let late = step % 50 == 49 ? Int.random(in: 1...300, using: &random) : 0
            let key = Key(unchecked: "k\(1_000_000 + step * 10 - late * 10 + (late > 0 ? 1 : 0))")
            map[key] = true
            expected.insert(key)
        }
        #expect(Array(map.keys) == expected.sorted())
    }

    @Test func `a change in place copies no unshared nodes`() {
        final class Box { var number = 0 }
        var map = SortedMap<[Box]>()
        for number in 0..<200 { map[Key(index: number)] = [Box(), Box()] }
        for number in 0..<200 {
            map.mutate(Key(index: number)) { boxes in
                let address = boxes?.withUnsafeBufferPointer { $0.baseAddress }
                boxes?[0] = Box()
                #expect(address == boxes?.withUnsafeBufferPointer { $0.baseAddress })
            }
        }
    }

    @Test func `every item is released exactly once`() {
        final class Count { var living = 0 }
        final class Item {
            let count: Count
            init(_ count: Count) {
                self.count = count
                count.living += 1
            }
            deinit { count.living -= 1 }
        }
        let count = Count()
        do {
            var random = SeededRandom(seed: 6)
            var map = SortedMap<Item>()
            var copy = map
            for step in 0..<5_000 {
                let key = Self.randomKey(&random, among: 700)
                map[key] = step % 3 == 0 ? nil : Item(count)
                if step == 2_500 { copy = map }
            }
            copy = SortedMap()
            #expect(count.living == map.count)
            #expect(copy.isEmpty)
        }
        #expect(count.living == 0)
    }

    @Test func `reserved memory is no content, and trimming keeps the items`() {
        var map = SortedMap<Int>(minimumCapacity: 10)
        #expect(map.isEmpty && map.first == nil && Array(map.keys).isEmpty)
        map.trim()
        #expect(map.isEmpty)
        for number in 0..<5 { map[Key(index: number)] = number }
        let copy = map
        map.trim()
        #expect(map.map(\.value) == [0, 1, 2, 3, 4])
        map[Key(index: 9)] = 9
        #expect(map.map(\.value) == [0, 1, 2, 3, 4, 9])
        #expect(copy.map(\.value) == [0, 1, 2, 3, 4])
    }

    @Test func `maps are equal by their entries`() {
        var ascending = SortedMap<Int>()
        var descending = SortedMap<Int>()
        for number in 0..<500 {
            ascending[Key(index: number)] = number
            descending[Key(index: 499 - number)] = 499 - number
        }
        #expect(ascending == descending)
        descending[Key(index: 250)] = 0
        #expect(ascending != descending)
        descending[Key(index: 250)] = nil
        #expect(ascending != descending)
    }
}
