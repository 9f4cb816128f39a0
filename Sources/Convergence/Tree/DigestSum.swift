package import DataTree

/// The digest of a tree, adjusted by its changes.
///
/// Large values are counted in slices, some locations in each turn: the whole tree after a start, and large parts that are
/// written or removed.
package struct DigestSum: Sendable {
    /// A changed part with more locations is counted in slices.
    private static let countedAtOnce = 256
    /// The locations that a turn counts.
    package static let countedPerTurn = 4_000

    private struct Count: Sendable {
        var count: DigestCount
        let isRemoved: Bool
    }

    private var sum = TreeDigest()
    private var counts: [Count] = []
    /// Whether the tree has contents of which no change was recorded, and has to be counted from the beginning.
    private var isUnknown = false

    /// The digest of an empty tree.
    package init() {}

    /// The digest of a tree that is not counted yet.
    package static var unknown: DigestSum {
        var sum = DigestSum()
        sum.isUnknown = true
        return sum
    }

    /// The digest; nil until everything is counted.
    package var digest: TreeDigest? { isComplete ? sum : nil }

    /// Whether everything is counted.
    package var isComplete: Bool { !isUnknown && counts.isEmpty }

    /// Records the changes by an operation.
    ///
    /// - Complexity: O(changed locations), as far as these are few.
    mutating func record(_ changes: [Change]) {
        // The count of the whole tree has them.
        if isUnknown { return }
        for change in changes {
            add(change.new, at: change.path, isRemoved: false)
            add(change.old, at: change.path, isRemoved: true)
        }
    }

    private mutating func add(_ value: Value, at path: Path, isRemoved: Bool) {
        if value.isNull { return }
        if value.hasMoreLocations(than: DigestSum.countedAtOnce) {
            counts.append(Count(count: DigestCount(of: value, at: path), isRemoved: isRemoved))
        } else if isRemoved {
            sum.remove(value, at: path)
        } else {
            sum.insert(value, at: path)
        }
    }

    /// Counts further locations.
    ///
    /// - Parameter limit: The number of locations.
    /// - Returns: The removed parts that are counted, whose memory may have no other use.
    mutating func advance(in tree: Value, limit: Int) -> [Value] {
        if isUnknown {
            isUnknown = false
            counts = [Count(count: DigestCount(of: tree, at: .root), isRemoved: false)]
        }
        var (rest, done) = (limit, 0)
        while done < counts.count {
            if !counts[done].count.isDone {
                if rest <= 0 { break }
                counts[done].count.advance(by: &rest)
                if !counts[done].count.isDone { break }
            }
            let counted = counts[done]
            if counted.isRemoved {
                sum -= counted.count.digest
            } else {
                sum += counted.count.digest
            }
            done += 1
        }
        defer { counts.removeFirst(done) }
        return counts[..<done].filter(\.isRemoved).map(\.count.value)
    }
}
