/// Origins to which no member adds and of which all members hold the same: the past of a cluster, kept once
/// and announced as a digest.
///
/// Each restart of a node leaves an origin for ever. Vectors share the folded ones, so that copying and comparing them
/// costs what is not folded, and heartbeats leave them out where all members have folded the same.
public final class FoldedOrigins: Sendable {
    /// Ascending by origin.
    public let entries: [(origin: WriterID, sequence: UInt64)]
    /// The operations of all folded origins together.
    let total: UInt64
    /// Tells whether two nodes have folded the same.
    public let digest: Digest

    /// How many origins are folded, and a hash over them and their sequences.
    public struct Digest: Hashable, Sendable {
        /// How many there are.
        public var count: UInt64
        /// Adds what makes two of these equal.
        public var hash: UInt64

        package init(count: UInt64, hash: UInt64) {
            self.count = count
            self.hash = hash
        }
    }

    /// - Complexity: O(entries).
    init(ascending entries: [(origin: WriterID, sequence: UInt64)]) {
        self.entries = entries
        total = entries.reduce(0) { $0 + $1.sequence }
        var hash = UInt64(entries.count)
        for (origin, sequence) in entries {
            hash = FoldedOrigins.mixed(hash ^ FoldedOrigins.mixed(origin.bits) &+ sequence)
        }
        digest = Digest(count: UInt64(entries.count), hash: hash)
    }

    /// Spreads each bit over all others (the finalizer of SplitMix64).
    static func mixed(_ bits: UInt64) -> UInt64 {
        var mixed = bits &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// How many origins are folded.
    public var count: Int { entries.count }

    /// The sequence of an origin, or nil if it is not folded.
    ///
    /// - Complexity: O(log entries).
    subscript(origin: WriterID) -> UInt64? {
        let index = entries.lowerBound(of: origin)
        guard index < entries.count, entries[index].origin == origin else { return nil }
        return entries[index].sequence
    }
}

extension [(origin: WriterID, sequence: UInt64)] {
    /// The index of the first entry that is not before `origin`; a scan is fastest where there are few.
    func lowerBound(of origin: WriterID) -> Int {
        var range = 0..<count
        while range.count > 8 {
            let middle = range.lowerBound + range.count / 2
            range =
                self[middle].origin < origin
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.first { !(self[$0].origin < origin) } ?? range.upperBound
    }
}
