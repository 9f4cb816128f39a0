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
                tree.insert(place)
                places.insert(place, at: rank)
            }
            if round % 97 == 0 { #expect(agrees(tree, places, at: place)) }
        }
        #expect(read(tree, 0..<tree.count) == places)
    }

    @Test func `a tree of ascending places holds them all, and takes more`() {
        let places = (0..<10_000).map { PlaceTreeTests.place($0 * 2) }
        var tree = PlaceTree(ascending: places)
        #expect(read(tree, 0..<tree.count) == places)
        for number in 0..<10_000 { tree.insert(PlaceTreeTests.place(number * 2 + 1)) }
        #expect(read(tree, 0..<tree.count) == (0..<20_000).map { PlaceTreeTests.place($0) })
        #expect(PlaceTree(ascending: []).count == 0)
    }

    @Test func `a place that bounded a node and went can come again`() {
        var tree = PlaceTree(ascending: (0..<1000).map { PlaceTreeTests.place($0) })
        for number in 0..<1000 {
            tree.remove(PlaceTreeTests.place(number))
            tree.insert(PlaceTreeTests.place(number))
        }
        #expect(read(tree, 0..<tree.count) == (0..<1000).map { PlaceTreeTests.place($0) })
    }

    @Test func `a copy stays as it was`() {
        let places = (0..<1000).map { PlaceTreeTests.place($0) }
        var tree = PlaceTree(ascending: places)
        let copy = tree
        for place in places.dropLast(10) { tree.remove(place) }
        tree.insert(PlaceTreeTests.place(5000))
        #expect(tree.count == 11)
        #expect(read(copy, 0..<copy.count) == places)
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
