import DataTree
import SyncProtocol

/// Locations whose registers may be forgotten one day, the oldest stamp first.
///
/// Each writer's stamps arrive in ascending order, so the queue is a few ascending runs, about one for
/// each writer, rather than a heap.
///
/// - Complexity: O(runs) to insert or take an entry.
struct StampQueue: Sendable {
    struct Entry: Sendable {
        var stamp: Stamp
        var path: Path
        /// Whether registers below the location were made as well.
        var isDeep: Bool
    }

    private struct Run: Sendable {
        private var entries: [Entry]
        private var start = 0

        init(_ entry: Entry) { entries = [entry] }

        var isEmpty: Bool { start == entries.count }
        var first: Stamp { entries[start].stamp }
        var last: Stamp { entries[entries.count - 1].stamp }

        mutating func append(_ entry: Entry) { entries.append(entry) }

        mutating func removeFirst() -> Entry {
            let entry = entries[start]
            start += 1
            if start == entries.count {
                entries.removeAll(keepingCapacity: start <= 1024)
                start = 0
            } else if start >= 1024, start * 2 > entries.count {
                entries.removeFirst(start)
                start = 0
            }
            return entry
        }
    }

    /// None is empty.
    private var runs: [Run] = []

    mutating func insert(_ entry: Entry) {
        for index in runs.indices where runs[index].last <= entry.stamp {
            runs[index].append(entry)
            return
        }
        runs.append(Run(entry))
    }

    /// Takes the oldest entry if its stamp is not after `frontier`.
    mutating func popFirst(through frontier: Stamp) -> Entry? {
        guard let oldest = runs.indices.min(by: { runs[$0].first < runs[$1].first }),
            runs[oldest].first <= frontier
        else { return nil }
        let entry = runs[oldest].removeFirst()
        if runs[oldest].isEmpty { runs.remove(at: oldest) }
        return entry
    }
}
