import DataTree

/// Positions on their way into a tree: runs of some thousand are sorted one by one, and then merged.
///
///     var sort = PositionSort()
///     for (key, child) in children { sort.append(order.position(of: key, child), Index.record(child)) }
///     sort.beginMerge()
///     while !sort.isMerged { sort.merge(limit: 1_000) }
///     let tree = sort.tree
///
/// No step takes long, so an index of a long list can be built in slices. The positions arrive in the order of their keys.
struct PositionSort {
    /// The positions of a run, which are sorted at once.
    static let runLength = 8_192

    private var unsorted: [Index.Entry] = []
    /// The runs in the order of their keys.
    private var runs: [SortedRun] = []
    /// A heap of the first positions of the runs that are not merged yet, the first one of all at the top.
    private var heads: [Head] = []
    private var merged = AscendingPositions()

    /// The first position of a run.
    private struct Head {
        let draft: Draft
        let isLong: Bool
        let run: Int

        init(_ position: ListPosition, of run: Int) {
            (draft, isLong) = (Draft(position.sortValue, run), position.sortValue.isLong)
            self.run = run
        }
    }

    /// Adds a position, whose key is behind all earlier ones.
    mutating func append(_ position: ListPosition, _ record: PackedChildren?) {
        unsorted.append((position, record))
        if unsorted.count == PositionSort.runLength { sortRun() }
    }

    private mutating func sortRun() {
        if unsorted.isEmpty { return }
        runs.append(SortedRun(unsorted))
        unsorted.removeAll(keepingCapacity: true)
    }

    // MARK: Merging

    /// Ends the additions.
    mutating func beginMerge() {
        sortRun()
        unsorted = []
        heads = runs.indices.map { Head(runs[$0].first!.position, of: $0) }
        for index in heads.indices.reversed() { siftDown(index) }
    }

    /// Whether the tree has all positions.
    var isMerged: Bool { heads.isEmpty }

    /// Merges some of the positions.
    ///
    /// - Returns: Their number.
    /// - Complexity: O(log runs) for each.
    @discardableResult
    mutating func merge(limit: Int) -> Int {
        var count = 0
        while count < limit, let run = heads.first?.run {
            let entry = runs[run].removeFirst()
            merged.append(entry.position, entry.record)
            count += 1
            if let next = runs[run].first {
                heads[0] = Head(next.position, of: run)
            } else {
                heads.swapAt(0, heads.count - 1)
                heads.removeLast()
            }
            siftDown(0)
        }
        return count
    }

    /// The tree of all positions, once they are merged.
    var tree: PositionTree { PositionTree(merged) }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            var least = index
            if left < heads.count, isBefore(left, least) { least = left }
            if left + 1 < heads.count, isBefore(left + 1, least) { least = left + 1 }
            if least == index { return }
            heads.swapAt(index, least)
            index = least
        }
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        let (a, b) = (heads[a], heads[b])
        if a.isLong, b.isLong {
            let (x, y) = (
                runs[a.run].first!.position.sortValue, runs[b.run].first!.position.sortValue
            )
            if x != y { return x < y }
        }
        // Equal values are in the order of their keys, and so of their runs.
        return a.draft < b.draft
    }
}

// Packed children are never changed while several hold them.
extension PositionSort: @unchecked Sendable {}

/// A sort value in two words, and a rank for equal ones. Moving the positions themselves would count references.
private struct Draft {
    let word0: UInt64
    let word1: UInt64
    let rank: Int

    init(_ value: SortValue, _ rank: Int) {
        (word0, word1) = value.words
        self.rank = rank
    }

    @inline(__always)
    static func < (a: Draft, b: Draft) -> Bool {
        if a.word0 != b.word0 { return a.word0 < b.word0 }
        if a.word1 != b.word1 { return a.word1 < b.word1 }
        return a.rank < b.rank
    }
}

/// Positions in order. They are kept in reverse order and in parts, whose memory is freed as they are removed.
private struct SortedRun {
    private static let partLength = 512
    private var parts: [[Index.Entry]]

    /// Sorts positions with ascending keys.
    init(_ positions: [Index.Entry]) {
        var hasLong = false
        var drafts: [Draft] = []
        drafts.reserveCapacity(positions.count)
        for (rank, entry) in positions.enumerated() {
            hasLong = hasLong || entry.position.sortValue.isLong
            drafts.append(Draft(entry.position.sortValue, rank))
        }
        if hasLong {
            drafts.sort { positions[$1.rank].position < positions[$0.rank].position }
        } else {
            drafts.sort { $1 < $0 }
        }
        parts = stride(from: 0, to: drafts.count, by: Self.partLength).map { start in
            drafts[start..<min(start + Self.partLength, drafts.count)].map { positions[$0.rank] }
        }
    }

    var first: Index.Entry? { parts.last?.last }

    mutating func removeFirst() -> Index.Entry {
        let last = parts.count - 1
        let entry = parts[last].removeLast()
        if parts[last].isEmpty { parts.removeLast() }
        return entry
    }
}
