import DataTree
import Testing

@testable import QueryEngine

@Suite struct PlaceSortTests {
    /// Places in the order of their keys, whose values are `value` of some numbers in disorder.
    private func places(_ count: Int, _ value: (Int) -> Value) -> [Place] {
        (0..<count).map { number in
            Place(sortValue: SortValue(value(number * 7_919 % count)), key: Key(index: number))
        }
    }

    private func sorted(_ places: [Place], mergingAtOnce limit: Int) -> [Place] {
        var sort = PlaceSort()
        for place in places { sort.append(place, nil) }
        sort.beginMerge()
        while !sort.isMerged { #expect(sort.merge(limit: limit) <= limit) }
        var sorted: [Place] = []
        sort.tree.forEach(in: 0..<sort.tree.count) { sorted.append($0) }
        return sorted
    }

    @Test(arguments: [0, 1, PlaceSort.runLength, PlaceSort.runLength * 3 + 5])
    func `runs are merged in the order of values, and of keys where these are equal`(count: Int) {
        let places = places(count) { .integer(Int64($0 / 3)) }
        #expect(sorted(places, mergingAtOnce: 1_000) == places.sorted(by: <))
    }

    @Test func `long texts with the same beginning are compared as a whole`() {
        let places = places(PlaceSort.runLength * 2 + 9) { number in
            .string("the same beginning of " + String(number / 2))
        }
        #expect(sorted(places, mergingAtOnce: .max) == places.sorted(by: <))
    }

    @Test func `a copy of a sort is independent of the original`() {
        var sort = PlaceSort()
        for place in places(100, { .integer(Int64($0)) }) { sort.append(place, nil) }
        sort.beginMerge()
        sort.merge(limit: 30)
        var copy = sort
        sort.merge(limit: .max)
        #expect(copy.tree.count == 30)
        copy.merge(limit: .max)
        #expect(copy.tree.count == 100)
        #expect(sort.tree.count == 100)
    }
}
