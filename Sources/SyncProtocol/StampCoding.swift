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

    package mutating func vector() throws(FrameError) -> VersionVector {
        let head = position
        let count = try mapHead("a vector (a map of writers to sequences)")
        guard count <= WireLimits.origins else {
            throw .expected("a vector of fewer writers", found: "\(count)", at: head)
        }
        var entries: [(origin: WriterID, sequence: UInt64)] = []
        entries.reserveCapacity(min(count, 256))
        for _ in 0..<count {
            let start = position
            let origin = try writerID()
            if let last = entries.last, last.origin >= origin {
                throw .expected("writers in ascending order", found: "\(origin.bits)", at: start)
            }
            entries.append((origin, try sequence()))
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
