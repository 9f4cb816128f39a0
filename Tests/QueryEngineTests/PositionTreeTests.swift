import DataTree
import Testing

@testable import QueryEngine

@Suite struct PositionTreeTests {
    @Test(arguments: [(1, 40), (2, 5_000), (3, 20_000)])
    func `positions come and go as in a sorted array`(seed: Int, count: Int) {
        var random = SplitMix64(state: UInt64(seed))
        var tree = PositionTree()
        var positions: [ListPosition] = []
        for round in 0..<count * 3 {
            let position = PositionTreeTests.position(&random, below: count)
            let rank = positions.firstRank(notBefore: position)
            let isThere = rank < positions.count && positions[rank] == position
            // Grows for two thirds of the time, and then shrinks.
            if isThere, round > count * 2 || random.odds(3) {
                tree.remove(position)
                positions.remove(at: rank)
            } else if !isThere, round < count * 2 || random.odds(5) {
                tree.insert(position, nil)
                positions.insert(position, at: rank)
            }
            if round % 97 == 0 { #expect(agrees(tree, positions, at: position)) }
        }
        #expect(read(tree, 0..<tree.count) == positions)
    }

    @Test func `a tree of ascending positions holds them all, and takes more`() {
        let positions = (0..<10_000).map { PositionTreeTests.position($0 * 2) }
        var tree = PositionTree(ascending: positions.map { ($0, nil) })
        #expect(read(tree, 0..<tree.count) == positions)
        for number in 0..<10_000 { tree.insert(PositionTreeTests.position(number * 2 + 1), nil) }
        #expect(read(tree, 0..<tree.count) == (0..<20_000).map { PositionTreeTests.position($0) })
        #expect(PositionTree(ascending: []).count == 0)
    }

    @Test func `a position that bounded a node and went can come again`() {
        var tree = PositionTree(ascending: (0..<1000).map { (PositionTreeTests.position($0), nil) })
        for number in 0..<1000 {
            tree.remove(PositionTreeTests.position(number))
            tree.insert(PositionTreeTests.position(number), nil)
        }
        #expect(read(tree, 0..<tree.count) == (0..<1000).map { PositionTreeTests.position($0) })
    }

    @Test func `a copy stays as it was`() {
        let positions = (0..<1000).map { PositionTreeTests.position($0) }
        var tree = PositionTree(ascending: positions.map { ($0, nil) })
        let copy = tree
        for position in positions.dropLast(10) { tree.remove(position) }
        tree.insert(PositionTreeTests.position(5000), nil)
        #expect(tree.count == 11)
        #expect(read(copy, 0..<copy.count) == positions)
    }

    @Test func `a copy keeps its records`() {
        let positions = (0..<1000).map { PositionTreeTests.position($0) }
        let (before, after) = (PositionTreeTests.record(1), PositionTreeTests.record(2))
        var tree = PositionTree(ascending: positions.map { ($0, before) })
        let copy = tree
        for position in positions { tree.replace(after, at: position) }
        #expect(read(copy, positions).allSatisfy { $0 == .integer(1) })
        #expect(read(tree, positions).allSatisfy { $0 == .integer(2) })
    }

    @Test(arguments: 1...20)
    func `records between two cuts are found from both ends`(seed: Int) {
        var random = SplitMix64(state: UInt64(seed))
        let count = UInt64([1, 70, 700, 5_000][seed % 4])
        var tree = PositionTree()
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
                from: .before(PositionTreeTests.position(start)),
                to: .behind(PositionTreeTests.position(end)),
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

    /// Inserts, replaces or removes the value at a position.
    private func change(
        _ tree: inout PositionTree, _ records: inout [Int: Value?], at number: Int,
        _ random: inout SplitMix64
    ) {
        let position = PositionTreeTests.position(number)
        var children = Children()
        if random.odds(2) {
            children[position.key] = .integer(Int64.random(in: 0..<1_000, using: &random))
            children.compact()
        }
        if records[number] == nil {
            tree.insert(position, children.packed)
        } else if random.odds(3) {
            tree.remove(position)
            records[number] = nil
            return
        } else {
            tree.replace(children.packed, at: position)
        }
        records[number] = .some(children.isEmpty ? nil : Value(children))
    }

    private func agrees(
        _ tree: PositionTree, _ positions: [ListPosition], at position: ListPosition
    ) -> Bool {
        let rank = positions.firstRank(notBefore: position)
        let isThere = rank < positions.count && positions[rank] == position
        let ranks = max(0, rank - 70)..<min(positions.count, rank + 70)
        return tree.count == positions.count && tree.rank(of: .before(position)) == rank
            && tree.rank(of: .behind(position)) == rank + (isThere ? 1 : 0)
            && read(tree, ranks) == Array(positions[ranks])
            && (positions.isEmpty
                || tree.position(at: min(rank, positions.count - 1))
                    == positions[
                        min(rank, positions.count - 1)])
    }

    private func read(_ tree: PositionTree, _ ranks: Range<Int>) -> [ListPosition] {
        var positions: [ListPosition] = []
        tree.forEach(in: ranks) { positions.append($0) }
        return positions
    }

    private static let number = Key(unchecked: "number")

    /// The numbers that stand from the first of some positions to the last.
    private func read(_ tree: PositionTree, _ positions: [ListPosition]) -> [Value?] {
        withExtendedLifetime(tree) {
            tree.records(
                from: .before(positions[0]), to: .behind(positions[positions.count - 1]), nil
            )
            .map { $0.packed?.value[PositionTreeTests.number] }
        }
    }

    private static func record(_ number: Int64) -> PackedChildren? {
        var children = Children()
        children[self.number] = .integer(number)
        children.compact()
        return children.packed
    }

    private static func position(_ random: inout SplitMix64, below count: Int) -> ListPosition {
        position(Int(random.next(upperBound: UInt64(count))))
    }

    /// The position with a number, in ascending order; three share a sort value.
    private static func position(_ number: Int) -> ListPosition {
        ListPosition(
            sortValue: SortValue(.integer(Int64(number / 3))),
            key: Key(unchecked: String(number)))
    }
}

extension PositionTree {
    fileprivate init(ascending positions: [(position: ListPosition, record: PackedChildren?)]) {
        var ascending = AscendingPositions()
        for (position, record) in positions { ascending.append(position, record) }
        self.init(ascending)
    }
}

extension [ListPosition] {
    fileprivate func firstRank(notBefore position: ListPosition) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
