import DataTree

/// The bytes of a replica's data: those of all keys and values.
///
/// Changes adjust it. Large values are counted in slices, some locations in each turn: the whole tree after a start, and
/// large parts that are written or removed.
struct DataSize: Sendable {
    /// A changed part with more locations is counted in slices.
    private static let countedAtOnce = 256
    /// The locations that a turn counts.
    private static let countedPerTurn = 4_000

    private struct Count: Sendable {
        var count: DataByteCount
        let isRemoved: Bool
    }

    /// The bytes that are counted so far; below zero while a removed part is counted before the tree.
    private var sum = 0
    private var counts: [Count] = []
    /// Whether the tree was replaced, and has to be counted from the beginning.
    private var isUnknown = false

    /// The bytes of the data, as far as they are counted.
    var bytes: Int { max(0, sum) }

    /// Whether everything is counted.
    var isComplete: Bool { counts.isEmpty && !isUnknown }

    /// Records that the tree was replaced without known changes.
    mutating func forget() {
        isUnknown = true
        if !counts.isEmpty { counts = [] }
    }

    /// Records the changes by an operation.
    mutating func record(_ changes: [Change]) {
        // The count of the whole tree, which begins at the end of the turn, has them.
        if isUnknown { return }
        for change in changes {
            add(change.new, isRemoved: false)
            add(change.old, isRemoved: true)
            let keyBytes = change.path.lastKeyBytes
            if change.old.isNull { sum += keyBytes }
            if change.new.isNull { sum -= keyBytes }
        }
    }

    private mutating func add(_ value: Value, isRemoved: Bool) {
        if value.hasMoreLocations(than: DataSize.countedAtOnce) {
            counts.append(Count(count: DataByteCount(of: value), isRemoved: isRemoved))
        } else {
            sum += isRemoved ? -value.dataBytes : value.dataBytes
        }
    }

    /// Counts further locations of large parts.
    ///
    /// - Returns: The removed parts that are counted, whose memory may have no other use.
    mutating func advance(in tree: Value) -> [Value] {
        if isComplete { return [] }
        if isUnknown {
            (isUnknown, sum) = (false, 0)
            counts = [Count(count: DataByteCount(of: tree), isRemoved: false)]
        }
        var (rest, done) = (DataSize.countedPerTurn, 0)
        while done < counts.count, rest > 0 {
            let before = counts[done].count.bytes
            counts[done].count.advance(by: &rest)
            let counted = counts[done].count.bytes - before
            sum += counts[done].isRemoved ? -counted : counted
            if !counts[done].count.isDone { break }
            done += 1
        }
        defer { counts.removeFirst(done) }
        return counts[..<done].filter(\.isRemoved).map(\.count.value)
    }
}

extension Path {
    /// The bytes of the last key, which only data have: the root has none, and a priority is no child.
    fileprivate var lastKeyBytes: Int { last.map { $0 == .priority ? 0 : $0.utf8Count } ?? 0 }
}
