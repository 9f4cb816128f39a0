import SyncProtocol

/// The origins of a version vector, in the order of their last advance.
///
/// A version vector names every writer that ever was; few of them have advanced since a given
/// moment.
struct VersionVectorDelta: Sendable {
    private var vector = VersionVector()
    /// Ascending by count.
    private var origins: [(origin: WriterID, count: UInt64)] = []
    /// The number of turns in which the vector advanced.
    private(set) var count: UInt64 = 0

    mutating func record(_ new: VersionVector) {
        guard new != vector else { return }
        count += 1
        for (origin, _) in new.advanced(beyond: vector).entries {
            if let index = origins.lastIndex(where: { $0.origin == origin }) {
                origins.remove(at: index)
            }
            origins.append((origin, count))
        }
        vector = new
    }

    /// The entries that have advanced since a count.
    func since(_ told: UInt64) -> VersionVector {
        var advanced = VersionVector()
        for (origin, count) in origins.reversed() {
            if count <= told { break }
            advanced[origin] = vector[origin]
        }
        return advanced
    }
}
