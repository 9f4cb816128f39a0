// Writers, times, sequences and vectors as MessagePack. The limits leave every honest number room,
// and let the cores add and count without a thought to overflow.

public import DataTree

/// Limits of numbers on the wire.
enum WireLimits {
    /// Highest sequence of an operation; nine years at a million a second.
    static let sequence: UInt64 = 1 << 48
    /// Origins in one vector; each incarnation of a node that writes adds one.
    static let origins = 1 << 20
    /// Members of a cluster.
    static let members = 1_000
    /// Wall clocks end before the year 6429, in milliseconds since 1970.
    static let wallMilliseconds: UInt64 = 1 << 47
}

extension MessagePackWriter {
    /// Appends a map of origins to sequences, ascending by origin.
    public mutating func append(_ vector: VersionVector) { append(vector.entries) }

    mutating func append(_ entries: [(origin: WriterID, sequence: UInt64)]) {
        appendMapHead(entries.count)
        for (origin, sequence) in entries {
            append(origin.bits)
            append(sequence)
        }
    }
}

extension MessagePackWriter {
    /// Appends `[time, writer]`.
    public mutating func append(_ stamp: Stamp) {
        appendArrayHead(2)
        append(stamp.time.bits)
        append(stamp.writer.bits)
    }
}

extension MessagePackReader {
    /// Takes `[time, writer]`.
    public mutating func stamp() throws(FrameError) -> Stamp {
        let start = position
        guard try arrayHead("a stamp ([time, writer])") == 2 else {
            throw .expected("a stamp ([time, writer])", found: "another array", at: start)
        }
        return Stamp(time: try time(), writer: try writerID())
    }

    package mutating func writerID() throws(FrameError) -> WriterID {
        WriterID(bits: try unsigned("a writer (an unsigned integer)"))
    }

    package mutating func sequence() throws(FrameError) -> UInt64 {
        try unsigned("a sequence", through: WireLimits.sequence)
    }

    mutating func wallMilliseconds() throws(FrameError) -> UInt64 {
        try unsigned("milliseconds since 1970", through: WireLimits.wallMilliseconds)
    }

    package mutating func time() throws(FrameError) -> HybridTime {
        HybridTime(bits: try unsigned("a hybrid time", through: HybridTime.latest.bits))
    }

    /// Takes a map of writers to sequences, in any order, each writer once.
    package mutating func vector() throws(FrameError) -> VersionVector {
        let head = position
        let count = try mapHead("a vector (a map of writers to sequences)")
        guard count <= WireLimits.origins else {
            throw .expected("a vector of fewer writers", found: "\(count)", at: head)
        }
        var entries: [(origin: WriterID, sequence: UInt64)] = []
        entries.reserveCapacity(min(count, 256))
        var isAscending = true
        for _ in 0..<count {
            let origin = try writerID()
            if let last = entries.last, last.origin >= origin { isAscending = false }
            entries.append((origin, try sequence()))
        }
        if !isAscending {
            entries.sort { $0.origin < $1.origin }
            let next = entries.dropFirst()
            if let repeated = zip(entries, next).first(where: { $0.origin == $1.origin })?.0 {
                throw .expected(
                    "each writer once", found: "\(repeated.origin.bits) twice", at: head)
            }
        }
        return VersionVector(ascending: entries)
    }

    private mutating func unsigned(
        _ wanted: StaticString, through limit: UInt64
    ) throws(FrameError) -> UInt64 {
        let start = position
        let number = try unsigned(wanted)
        guard number <= limit else {
            throw .expected(wanted, found: "\(number), which is above \(limit),", at: start)
        }
        return number
    }
}
