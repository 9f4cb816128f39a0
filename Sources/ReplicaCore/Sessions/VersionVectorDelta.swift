import SyncProtocol

/// The origins of a vector in the order in which they advanced last.
///
/// A vector names every writer that ever was; what is new in it since some moment are a few.
struct VersionVectorDelta: Sendable {
    private var vector = VersionVector()
    /// Ascending by count.
    private var origins: [(origin: WriterID, count: UInt64)] = []
    /// Counts the turns in which something advanced.
    private(set) var count: UInt64 = 0

    mutating func note(_ new: VersionVector) {
        defer { vector = new }
        guard new != vector else { return }
        count += 1
        for (origin, _) in new.advanced(beyond: vector).entries {
            if let index = origins.lastIndex(where: { $0.origin == origin }) {
                origins.remove(at: index)
            }
            origins.append((origin, count))
        }
    }

    /// What has advanced since a count.
    func since(_ told: UInt64) -> VersionVector {
        var advanced = VersionVector()
        for (origin, count) in origins.reversed() {
            if count <= told { break }
            advanced[origin] = vector[origin]
        }
        return advanced
    }
}
