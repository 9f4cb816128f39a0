/// How much a replica holds: for each origin, the sequence up to which it has every operation.
public struct VersionVector: Equatable, Sendable {
    /// Origins that are shared with other vectors (see `fold`).
    public private(set) var folded: FoldedOrigins?
    /// All other origins, ascending; and folded ones whose sequence is another one here.
    public private(set) var unfolded: [(origin: WriterID, sequence: UInt64)] = []

    package init() {}

    /// Takes entries that ascend by origin, each origin once.
    init(ascending entries: [(origin: WriterID, sequence: UInt64)]) { unfolded = entries }

    /// The sequence held of `origin`; 0 if nothing. The first operation has sequence 1.
    public subscript(origin: WriterID) -> UInt64 {
        get {
            let index = unfolded.lowerBound(of: origin)
            return isPresent(origin, at: index)
                ? unfolded[index].sequence : folded?[origin] ?? 0
        }
        set {
            let index = unfolded.lowerBound(of: origin)
            if isPresent(origin, at: index) {
                unfolded[index].sequence = newValue
                return
            }
            let shared = folded?[origin]
            precondition(newValue >= shared ?? 0, "a folded origin goes back to \(newValue)")
            if shared != newValue { unfolded.insert((origin, newValue), at: index) }
        }
    }

    /// Ascending by origin, so that equal vectors are equal bytes.
    ///
    /// - Complexity: O(1) if nothing is folded, else O(entries).
    public var entries: [(origin: WriterID, sequence: UInt64)] {
        guard let folded else { return unfolded }
        var all: [(origin: WriterID, sequence: UInt64)] = []
        all.reserveCapacity(folded.count + unfolded.count)
        var index = 0
        for entry in unfolded {
            while index < folded.count, folded.entries[index].origin < entry.origin {
                all.append(folded.entries[index])
                index += 1
            }
            if index < folded.count, folded.entries[index].origin == entry.origin { index += 1 }
            all.append(entry)
        }
        return all + folded.entries[index...]
    }

    /// Whether each entry is at least that of `other`.
    ///
    /// - Complexity: O(what `other` has not folded) if both fold the same, else O(entries).
    public func covers(_ other: VersionVector) -> Bool {
        // Mostly both have entries of the same origins, which needs no search for each.
        if namesOrigins(of: other) {
            return unfolded.indices.allSatisfy {
                unfolded[$0].sequence >= other.unfolded[$0].sequence
            }
        }
        return other.entries(notSharedWith: self).allSatisfy { self[$0.origin] >= $0.sequence }
    }

    /// Raises each entry to that of `other`.
    public mutating func raise(to other: VersionVector) {
        for (origin, sequence) in other.entries(notSharedWith: self)
        where sequence > self[origin] {
            self[origin] = sequence
        }
    }

    /// The entries that exceed those of `other`.
    public func advanced(beyond other: VersionVector) -> VersionVector {
        VersionVector(
            ascending: entries(notSharedWith: other).filter { $0.sequence > other[$0.origin] })
    }

    /// The operations held of all origins together.
    public var total: UInt64 {
        unfolded.reduce(folded?.total ?? 0) { $0 + $1.sequence - (folded?[$1.origin] ?? 0) }
    }

    /// How many of the operations held here `other` does not hold.
    ///
    /// - Complexity: O(what is not folded) if both fold the same, else O(entries).
    public func excess(over other: VersionVector) -> UInt64 {
        entries(notSharedWith: other).reduce(0) {
            $0 + $1.sequence - min($1.sequence, other[$1.origin])
        }
    }

    /// Whether both are the same.
    public static func == (a: VersionVector, b: VersionVector) -> Bool {
        a.folded === b.folded
            ? a.unfolded.elementsEqual(b.unfolded, by: ==)
            : a.entries.elementsEqual(b.entries, by: ==)
    }

    /// Whether both have entries of the same origins, side by side, and fold the same.
    private func namesOrigins(of other: VersionVector) -> Bool {
        guard folded === other.folded, unfolded.count == other.unfolded.count else { return false }
        return unfolded.indices.allSatisfy {
            unfolded[$0].origin == other.unfolded[$0].origin
        }
    }

    /// The entries that may differ from those of `other`. Sequences only grow, so what both fold is the least that
    /// both have.
    private func entries(
        notSharedWith other: VersionVector
    ) -> [(origin: WriterID, sequence: UInt64)] {
        folded === other.folded ? unfolded : entries
    }

    private func isPresent(_ origin: WriterID, at index: Int) -> Bool {
        index < unfolded.count && unfolded[index].origin == origin
    }
}

// MARK: - Folding

extension VersionVector {
    /// The entries of some origins, to be folded by all vectors that have them.
    ///
    /// - Complexity: O(entries).
    public func folding(where isAtRest: (WriterID, UInt64) -> Bool) -> FoldedOrigins? {
        let atRest = entries.filter { isAtRest($0.origin, $0.sequence) }
        return atRest.isEmpty ? nil : FoldedOrigins(ascending: atRest)
    }

    /// Shares these origins with other vectors; what is held stays the same.
    ///
    /// Does nothing for a vector that holds less of one of them.
    /// - Complexity: O(entries).
    public mutating func fold(_ origins: FoldedOrigins) {
        guard origins !== folded, origins.entries.allSatisfy({ self[$0.origin] >= $0.sequence })
        else { return }
        unfolded = entries.filter { origins[$0.origin] != $0.sequence }
        folded = origins
    }

    /// A vector that was announced without the origins that its sender has folded, with them.
    public func adding(_ origins: FoldedOrigins) -> VersionVector {
        var vector = self
        vector.folded = origins
        vector.unfolded.removeAll { $0.sequence <= origins[$0.origin] ?? 0 }
        return vector
    }
}
