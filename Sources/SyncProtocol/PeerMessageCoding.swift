public import DataTree

extension PeerMessage: FrameMessage {
    /// Appends it as one MessagePack array.
    public func encode(into writer: inout MessagePackWriter) {
        switch self {
        case .batch(let bytes):
            writer.appendMessageHead("batch", 2)
            writer.append(binary: bytes)
        case .heartbeat(let heartbeat):
            writer.append(heartbeat)
        case .requestBatches(let member, let origin, let from, let through):
            writer.appendMessageHead("requestBatches", 5)
            writer.append(member)
            writer.append(origin.bits)
            writer.append(from)
            writer.append(through)
        case .batches(let origin, let batches):
            writer.appendMessageHead("batches", 3)
            writer.append(origin.bits)
            writer.appendArrayHead(batches.count)
            for batch in batches { writer.append(binary: batch) }
        case .compacted(let origin, let through):
            writer.appendMessageHead("compacted", 3)
            writer.append(origin.bits)
            writer.append(through)
        default: encodeRest(into: &writer)
        }
    }

    /// Takes one; what is wrong with it is thrown.
    public static func decode(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> PeerMessage {
        let head = try reader.messageHead()
        switch head.name {
        case "batch":
            try head.require(2)
            return .batch(try reader.binary("a batch (binary data)"))
        case "heartbeat":
            try head.require(12)
            return .heartbeat(try reader.heartbeat())
        case "requestBatches":
            try head.require(5)
            return try reader.batchesRequest()
        case "batches":
            try head.require(3)
            return .batches(origin: try reader.writerID(), batches: try reader.batches())
        case "compacted":
            try head.require(3)
            return .compacted(origin: try reader.writerID(), through: try reader.sequence())
        default: return try decodeRest(head, from: &reader)
        }
    }

    /// Frames between nodes end with a checksum (CRC-32C, 4 bytes, little-endian): a flipped bit could make a clock
    /// leap by years, or close a timestamp in the far future.
    public static func seal(_ frame: inout [UInt8]) {
        let checksum = frame.withUnsafeBytes { Checksum.crc32c(of: $0) }
        withUnsafeBytes(of: checksum.littleEndian) { frame.append(contentsOf: $0) }
    }

    /// The bytes without the checksum.
    public static func unseal(
        _ frame: UnsafeRawBufferPointer
    ) throws(FrameError) -> UnsafeRawBufferPointer {
        // The end of a frame of another version is unknown.
        guard frame.first == protocolVersion else { return frame }
        return try Checksum.content(
            of: frame, named: "a frame",
            fix: "send it again; if it happens often, check the network")
    }
}

extension MessagePackWriter {
    fileprivate mutating func append(_ heartbeat: Heartbeat) {
        appendMessageHead("heartbeat", 12)
        append(heartbeat.cluster)
        append(heartbeat.member)
        append(heartbeat.writer.bits)
        if heartbeat.folding?.areLeftOut == true {
            append(heartbeat.vector.unfolded)
        } else {
            append(heartbeat.vector)
        }
        append(heartbeat.time.bits)
        append(heartbeat.closedTimestamp.bits)
        appendArrayHead(heartbeat.writers.count)
        for writer in heartbeat.writers { append(writer.bits) }
        append(heartbeat.evictions)
        append(heartbeat.wallMilliseconds)
        append(heartbeat.lease)
        append(heartbeat.folding)
    }

    /// Appends `[count, hash, are left out]`, or nil.
    private mutating func append(_ folding: Heartbeat.Folding?) {
        guard let folding else { return appendNil() }
        appendArrayHead(3)
        append(folding.origins.count)
        append(folding.origins.hash)
        append(folding.areLeftOut)
    }
}

extension MessagePackReader {
    fileprivate mutating func batchesRequest() throws(FrameError) -> PeerMessage {
        let (member, origin) = (try string("a member"), try writerID())
        let start = position
        let (from, through) = (try sequence(), try sequence())
        guard 1 <= from, from <= through else {
            throw .expected(
                "a range of sequences from 1 on", found: "\(from)...\(through)", at: start)
        }
        return .requestBatches(member: member, origin: origin, from: from, through: through)
    }

    fileprivate mutating func heartbeat() throws(FrameError) -> Heartbeat {
        Heartbeat(
            cluster: try string("a cluster"), member: try string("a member"),
            writer: try writerID(), vector: try vector(),
            time: try time(), closedTimestamp: try time(), writers: try writers(),
            evictions: try evictions(), wallMilliseconds: try wallMilliseconds(),
            lease: try lease(), folding: try folding())
    }

    private mutating func folding() throws(FrameError) -> Heartbeat.Folding? {
        if takeNil() { return nil }
        let start = position
        guard try arrayHead("folded origins") == 3 else {
            throw .expected(
                "folded origins as [count, hash, are left out]", found: "another array", at: start)
        }
        let digest = FoldedOrigins.Digest(
            count: try unsigned("a number of origins"), hash: try unsigned("a hash of origins"))
        return Heartbeat.Folding(digest, areLeftOut: try boolean("whether they are left out"))
    }

    private mutating func writers() throws(FrameError) -> [WriterID] {
        try elements(try arrayHead("an array of writers")) { reader throws(FrameError) in
            try reader.writerID()
        }
    }

    fileprivate mutating func batches() throws(FrameError) -> [[UInt8]] {
        try elements(try arrayHead("an array of batches")) { reader throws(FrameError) in
            try reader.binary("a batch (binary data)")
        }
    }
}
