import DataTree
import Testing

@testable import QueryEngine

@Suite struct PositionSortTests {
    /// Positions in the order of their keys, whose values are `value` of some numbers in disorder.
    private func positions(_ count: Int, _ value: (Int) -> Value) -> [ListPosition] {
        (0..<count).map { number in
            ListPosition(
                sortValue: SortValue(value(number * 7_919 % count)), key: Key(index: number))
        }
    }

    private func sorted(_ positions: [ListPosition], mergingAtOnce limit: Int) -> [ListPosition] {
        var sort = PositionSort()
        for position in positions { sort.append(position, nil) }
        sort.beginMerge()
        while !sort.isMerged { #expect(sort.merge(limit: limit) <= limit) }
        var sorted: [ListPosition] = []
        sort.tree.forEach(in: 0..<sort.tree.count) { sorted.append($0) }
        return sorted
    }

    @Test(arguments: [0, 1, PositionSort.runLength, PositionSort.runLength * 3 + 5])
    func `runs are merged in the order of values, and of keys where these are equal`(count: Int) {
        let positions = positions(count) { .integer(Int64($0 / 3)) }
        #expect(sorted(positions, mergingAtOnce: 1_000) == positions.sorted(by: <))
    }

    @Test func `long texts with the same beginning are compared as a whole`() {
        let positions = positions(PositionSort.runLength * 2 + 9) { number in
            .string("the same beginning of " + String(number / 2))
        }
        #expect(sorted(positions, mergingAtOnce: .max) == positions.sorted(by: <))
    }

    @Test func `a copy of a sort is independent of the original`() {
        var sort = PositionSort()
        for position in positions(100, { .integer(Int64($0)) }) { sort.append(position, nil) }
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
