import DataTree
import SyncProtocol

/// Locations whose registers may be forgotten later, approximately in the order of their stamps.
///
/// Clients stamp their own writes, so stamps ascend except within some milliseconds. They are in buckets
/// of time, and only the bucket that contains the stable time is ever sorted.
///
/// - Complexity: O(1) amortised to insert an entry near the end or to remove one, O(buckets) to insert
///   one at a time that has no bucket yet.
struct StampQueue: Sendable {
    struct Entry: Sendable {
        var stamp: Stamp
        /// The location: a child, or `parent` itself if there is no key. Siblings share their parent's
        /// path, which is most of a path's memory.
        var parent: Path
        var key: Key?
        /// Whether locations below may have registers of this write as well.
        var isDeep: Bool

        var path: Path { key.map(parent.appending) ?? parent }
    }

    private struct Bucket: Sendable {
        let number: UInt64
        var entries: [Entry]
        /// Whether the oldest entry is the last one.
        var isSorted = false

        /// The first time after all entries.
        var end: HybridTime { HybridTime(bits: (number + 1) << StampQueue.shift) }
    }

    /// A bucket spans 64 ms.
    private static let shift: UInt64 = 16 + 6

    /// Ascending; those before `start` are empty, all others are not.
    private var buckets: [Bucket] = []
    private var start = 0
    private(set) var count = 0
    /// The parent of the location that was inserted last by its keys.
    private var parent = Path.root

    init() {}

    /// A queue of the entries that `forEach` passes, in any order.
    ///
    /// - Complexity: O(entries + buckets · log buckets).
    init(_ forEach: (_ body: (Entry) -> Void) -> Void) {
        var places: [UInt64: Int] = [:]
        var place = 0
        forEach { entry in
            let number = entry.stamp.time.bits >> StampQueue.shift
            if place == buckets.count || buckets[place].number != number {
                place = places[number] ?? buckets.count
                if place == buckets.count {
                    places[number] = place
                    buckets.append(Bucket(number: number, entries: []))
                }
            }
            buckets[place].entries.append(entry)
            count += 1
        }
        buckets.sort { $0.number < $1.number }
    }

    /// Inserts the location that the first keys of a path lead to.
    mutating func insert(_ stamp: Stamp, at keys: ArraySlice<Key>, isDeep: Bool = false) {
        let above = keys.dropLast()
        if !parent.keys.elementsEqual(above) { parent = Path(Array(above)) }
        insert(Entry(stamp: stamp, parent: parent, key: keys.last, isDeep: isDeep))
    }

    mutating func insert(_ entry: Entry) {
        count += 1
        let number = entry.stamp.time.bits >> StampQueue.shift
        let index = place(of: number)
        if index < buckets.count, buckets[index].number == number {
            buckets[index].entries.append(entry)
            buckets[index].isSorted = false
        } else {
            buckets.insert(Bucket(number: number, entries: [entry]), at: index)
        }
    }

    /// Removes and returns one of the entries with stamps up to `stableStamp`, if there is one.
    mutating func popFirst(through stableStamp: Stamp) -> Entry? {
        guard start < buckets.count else { return nil }
        if buckets[start].end > stableStamp.time {
            sortFirst()
            guard let oldest = buckets[start].entries.last, oldest.stamp <= stableStamp
            else { return nil }
        }
        count -= 1
        let entry = buckets[start].entries.popLast()
        if buckets[start].entries.isEmpty { dropFirst() }
        return entry
    }

    private mutating func sortFirst() {
        guard !buckets[start].isSorted else { return }
        buckets[start].entries.sort { $0.stamp > $1.stamp }
        buckets[start].isSorted = true
    }

    private mutating func dropFirst() {
        buckets[start].entries = []
        start += 1
        if start == buckets.count || start >= 64 && start * 2 > buckets.count {
            buckets.removeFirst(start)
            start = 0
        }
    }

    /// The index of the first bucket with at least this number.
    private func place(of number: UInt64) -> Int {
        var range = start..<buckets.count
        if let last = buckets.last, last.number < number { return range.upperBound }
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                buckets[middle].number < number
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
