import DataTree
import Testing

@testable import QueryEngine

@Suite struct PlaceTreeTests {
    @Test(arguments: [(1, 40), (2, 5_000), (3, 20_000)])
    func `places come and go as in a sorted array`(seed: Int, count: Int) {
        var random = SplitMix64(state: UInt64(seed))
        var tree = PlaceTree()
        var places: [Place] = []
        for round in 0..<count * 3 {
            let place = PlaceTreeTests.place(&random, below: count)
            let rank = places.firstRank(notBefore: place)
            let isThere = rank < places.count && places[rank] == place
            // Grows for two thirds of the time, and then shrinks.
            if isThere, round > count * 2 || random.odds(3) {
                tree.remove(place)
                places.remove(at: rank)
            } else if !isThere, round < count * 2 || random.odds(5) {
                tree.insert(place, nil)
                places.insert(place, at: rank)
            }
            if round % 97 == 0 { #expect(agrees(tree, places, at: place)) }
        }
        #expect(read(tree, 0..<tree.count) == places)
    }

    @Test func `a tree of ascending places holds them all, and takes more`() {
        let places = (0..<10_000).map { PlaceTreeTests.place($0 * 2) }
        var tree = PlaceTree(ascending: places.map { ($0, nil) })
        #expect(read(tree, 0..<tree.count) == places)
        for number in 0..<10_000 { tree.insert(PlaceTreeTests.place(number * 2 + 1), nil) }
        #expect(read(tree, 0..<tree.count) == (0..<20_000).map { PlaceTreeTests.place($0) })
        #expect(PlaceTree(ascending: []).count == 0)
    }

    @Test func `a place that bounded a node and went can come again`() {
        var tree = PlaceTree(ascending: (0..<1000).map { (PlaceTreeTests.place($0), nil) })
        for number in 0..<1000 {
            tree.remove(PlaceTreeTests.place(number))
            tree.insert(PlaceTreeTests.place(number), nil)
        }
        #expect(read(tree, 0..<tree.count) == (0..<1000).map { PlaceTreeTests.place($0) })
    }

    @Test func `a copy stays as it was`() {
        let places = (0..<1000).map { PlaceTreeTests.place($0) }
        var tree = PlaceTree(ascending: places.map { ($0, nil) })
        let copy = tree
        for place in places.dropLast(10) { tree.remove(place) }
        tree.insert(PlaceTreeTests.place(5000), nil)
        #expect(tree.count == 11)
        #expect(read(copy, 0..<copy.count) == places)
    }

    @Test func `a copy keeps its records`() {
        let places = (0..<1000).map { PlaceTreeTests.place($0) }
        let (before, after) = (PlaceTreeTests.record(1), PlaceTreeTests.record(2))
        var tree = PlaceTree(ascending: places.map { ($0, before) })
        let copy = tree
        for place in places { tree.replace(after, at: place) }
        #expect(read(copy, places).allSatisfy { $0 == .integer(1) })
        #expect(read(tree, places).allSatisfy { $0 == .integer(2) })
    }

    @Test(arguments: 1...20)
    func `records between two cuts are found from both ends`(seed: Int) {
        var random = SplitMix64(state: UInt64(seed))
        let count = UInt64([1, 70, 700, 5_000][seed % 4])
        var tree = PlaceTree()
        var records: [Int: Value?] = [:]
        for _ in 0..<count * 2 {
            change(&tree, &records, at: Int(random.next(upperBound: count)), &random)
        }
        for _ in 0..<100 {
            let start = Int(random.next(upperBound: count))
            let end = Int(random.next(upperBound: count))
            let limit =
                random.odds(3) ? nil : Query.Limit(count: start % 90 + 1, isFirst: random.odds(2))
            let inside = records.keys.filter { start <= $0 && $0 <= end }.sorted()
            let expected = limit.map {
                $0.isFirst ? inside.prefix($0.count) : inside.suffix($0.count)
            }
            let found = tree.records(
                from: .before(PlaceTreeTests.place(start)), to: .behind(PlaceTreeTests.place(end)),
                limit)
            withExtendedLifetime(tree) {
                #expect(
                    found.compactMap { Int($0.key.text) }.sorted()
                        == Array(expected ?? inside[...]))
                #expect(
                    found.allSatisfy { records[Int($0.key.text) ?? -1] == .some($0.packed?.value) })
            }
        }
    }

    /// Inserts, replaces or removes the value at a place.
    private func change(
        _ tree: inout PlaceTree, _ records: inout [Int: Value?], at number: Int,
        _ random: inout SplitMix64
    ) {
        let place = PlaceTreeTests.place(number)
        var children = Children()
        if random.odds(2) {
            children[place.key] = .integer(Int64.random(in: 0..<1_000, using: &random))
            children.compact()
        }
        if records[number] == nil {
            tree.insert(place, children.packed)
        } else if random.odds(3) {
            tree.remove(place)
            records[number] = nil
            return
        } else {
            tree.replace(children.packed, at: place)
        }
        records[number] = .some(children.isEmpty ? nil : Value(children))
    }

    private func agrees(_ tree: PlaceTree, _ places: [Place], at place: Place) -> Bool {
        let rank = places.firstRank(notBefore: place)
        let isThere = rank < places.count && places[rank] == place
        let ranks = max(0, rank - 70)..<min(places.count, rank + 70)
        return tree.count == places.count && tree.rank(of: .before(place)) == rank
            && tree.rank(of: .behind(place)) == rank + (isThere ? 1 : 0)
            && read(tree, ranks) == Array(places[ranks])
            && (places.isEmpty
                || tree.place(at: min(rank, places.count - 1))
                    == places[
                        min(rank, places.count - 1)])
    }

    private func read(_ tree: PlaceTree, _ ranks: Range<Int>) -> [Place] {
        var places: [Place] = []
        tree.forEach(in: ranks) { places.append($0) }
        return places
    }

    private static let number = Key(unchecked: "number")

    /// The numbers that stand from the first of some places to the last.
    private func read(_ tree: PlaceTree, _ places: [Place]) -> [Value?] {
        withExtendedLifetime(tree) {
            tree.records(from: .before(places[0]), to: .behind(places[places.count - 1]), nil)
                .map { $0.packed?.value[PlaceTreeTests.number] }
        }
    }

    private static func record(_ number: Int64) -> PackedChildren? {
        var children = Children()
        children[self.number] = .integer(number)
        children.compact()
        return children.packed
    }

    private static func place(_ random: inout SplitMix64, below count: Int) -> Place {
        place(Int(random.next(upperBound: UInt64(count))))
    }

    /// The place with a number, in ascending order; three share a sort value.
    private static func place(_ number: Int) -> Place {
        Place(
            sortValue: SortValue(.integer(Int64(number / 3))),
            key: Key(unchecked: String(number)))
    }
}

extension PlaceTree {
    fileprivate init(ascending places: [(place: Place, record: PackedChildren?)]) {
        var ascending = AscendingPlaces()
        for (place, record) in places { ascending.append(place, record) }
        self.init(ascending)
    }
}

extension [Place] {
    fileprivate func firstRank(notBefore place: Place) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
