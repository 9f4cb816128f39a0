/// How much a replica holds: for each origin, the sequence up to which it has every operation.
public struct VersionVector: Equatable, Sendable {
    /// Ascending by origin, so that equal vectors are equal bytes.
    public private(set) var entries: [(origin: WriterID, sequence: UInt64)] = []

    public init() {}

    /// Takes entries that ascend by origin, each origin once.
    init(ascending entries: [(origin: WriterID, sequence: UInt64)]) { self.entries = entries }

    /// The sequence held of `origin`; 0 if nothing. The first operation has sequence 1.
    public subscript(origin: WriterID) -> UInt64 {
        get {
            let index = lowerBound(of: origin)
            return isPresent(origin, at: index) ? entries[index].sequence : 0
        }
        set {
            let index = lowerBound(of: origin)
            if isPresent(origin, at: index) {
                entries[index].sequence = newValue
            } else {
                entries.insert((origin, newValue), at: index)
            }
        }
    }

    /// Whether each entry is at least that of `other`.
    public func covers(_ other: VersionVector) -> Bool {
        other.entries.allSatisfy { self[$0.origin] >= $0.sequence }
    }

    /// Raises each entry to that of `other`.
    public mutating func raise(to other: VersionVector) {
        for (origin, sequence) in other.entries where sequence > self[origin] {
            self[origin] = sequence
        }
    }

    /// The entries that exceed those of `other`.
    public func advanced(beyond other: VersionVector) -> VersionVector {
        VersionVector(ascending: entries.filter { $0.sequence > other[$0.origin] })
    }

    /// The operations held of all origins together.
    public var total: UInt64 { entries.reduce(0) { $0 + $1.sequence } }

    public static func == (a: VersionVector, b: VersionVector) -> Bool {
        a.entries.elementsEqual(b.entries, by: ==)
    }

    private func isPresent(_ origin: WriterID, at index: Int) -> Bool {
        index < entries.count && entries[index].origin == origin
    }

    /// A cluster has few origins, and mostly a scan is fastest.
    private func lowerBound(of origin: WriterID) -> Int {
        var range = 0..<entries.count
        while range.count > 8 {
            let middle = range.lowerBound + range.count / 2
            range =
                entries[middle].origin < origin
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.first { !(entries[$0].origin < origin) } ?? range.upperBound
    }
}
