import DataTree
import SyncProtocol

/// Locations whose registers may be forgotten one day, the oldest stamp first: a binary heap.
struct StampQueue: Sendable {
    struct Entry: Sendable {
        var stamp: Stamp
        var path: Path
        /// Whether registers below the location were made as well.
        var isDeep: Bool
    }

    private var entries: [Entry] = []

    /// - Complexity: O(1) for ascending stamps, otherwise O(log n).
    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].stamp < entries[parent].stamp else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    /// Takes the oldest entry if its stamp is not after `frontier`.
    mutating func popFirst(through frontier: Stamp) -> Entry? {
        guard let first = entries.first, first.stamp <= frontier else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            siftDown()
        }
        return first
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].stamp < entries[smallest].stamp {
                smallest = child
            }
            if smallest == index { return }
            entries.swapAt(index, smallest)
            index = smallest
        }
    }
}
