import DataTree

/// An event of a node, as its recorder keeps it, so that the checks of the simulator can judge real nodes.
public struct NodeRecord: Equatable, Sendable {
    /// What happened.
    public enum Event: Equatable, Sendable {
        /// An incarnation began with this on the disk.
        case started(writer: WriterID, holds: VersionVector)
        /// A turn ended that changed the replica; `stable` was the stable time before it.
        case turned(
            writer: WriterID, holds: VersionVector, stableTime: HybridTime, wallMilliseconds: UInt64
        )
        /// Batches, own ones and those of peers, went to the disk.
        case stored([[UInt8]])
        /// All of this is on the disk.
        case durable(VersionVector)
        /// Clients are served from now on.
        case serving
        /// A frame went to all peers.
        case published([UInt8])
        /// The replica served a frame of a client, and went from one vector to another.
        case served(session: UInt64, frame: [UInt8], before: VersionVector, after: VersionVector)
    }

    /// Read from a clock that all processes of a machine share and that never steps.
    public let microseconds: UInt64
    package let event: Event

    package init(microseconds: UInt64, _ event: Event) {
        self.microseconds = microseconds
        self.event = event
    }
}

/// The last vectors in a file of records: each is written as its difference from the one before.
private struct ToldVectors {
    var held = VersionVector()
    var durable = VersionVector()
}

// MARK: - Writing

/// Writes the records of one incarnation, of which the first is `started`, as MessagePack arrays.
public struct NodeRecordWriter: Sendable {
    private var told = ToldVectors()
    private var writer = MessagePackWriter()

    package init() {}

    /// Takes the bytes written since the last time.
    public mutating func takeBytes() -> [UInt8] {
        defer { writer.removeAll() }
        return writer.bytes
    }

    package mutating func append(_ record: NodeRecord) {
        switch record.event {
        case .started(let origin, let vector):
            begin("started", 5, record)
            writer.append(origin.bits)
            writer.append(vector, beyond: &told.held)
            told.durable = vector
        case .turned(let origin, let vector, let stableTime, let wall):
            begin("turned", 7, record)
            writer.append(origin.bits)
            writer.append(stableTime.bits)
            writer.append(wall)
            writer.append(vector, beyond: &told.held)
        case .stored(let batches):
            begin("stored", 3, record)
            writer.appendArrayHead(batches.count)
            for batch in batches { writer.append(binary: batch) }
        case .durable(let vector):
            begin("durable", 4, record)
            writer.append(vector, beyond: &told.durable)
        case .serving: begin("serving", 2, record)
        case .published(let frame):
            begin("published", 3, record)
            writer.append(binary: frame)
        case .served(let session, let frame, let before, let after):
            begin("served", 8, record)
            writer.append(session)
            writer.append(binary: frame)
            writer.append(before, beyond: &told.held)
            writer.append(after, beyond: &told.held)
        }
    }

    private mutating func begin(_ name: StaticString, _ count: Int, _ record: NodeRecord) {
        writer.appendMessageHead(name, count)
        writer.append(record.microseconds)
    }
}

extension MessagePackWriter {
    /// Appends a flag, and the whole vector or its difference from the one before. A vector shrinks when a node
    /// installs a checkpoint.
    fileprivate mutating func append(_ vector: VersionVector, beyond told: inout VersionVector) {
        let isWhole = !vector.covers(told)
        append(isWhole)
        append(isWhole ? vector : vector.advanced(beyond: told))
        told = vector
    }
}

// MARK: - Reading

/// Reads the records of one incarnation.
public struct NodeRecordReader {
    private var told = ToldVectors()

    private init() {}

    /// The records in a file. An incomplete record at its end, as after a crash, is left out.
    ///
    /// - Throws: for a record that is invalid and not just incomplete.
    public static func records(in bytes: [UInt8]) throws(FrameError) -> [NodeRecord] {
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in try records(in: bytes) }
    }

    private static func records(
        in bytes: UnsafeRawBufferPointer
    ) throws(FrameError) -> [NodeRecord] {
        var reader = NodeRecordReader()
        var source = MessagePackReader(bytes)
        var records: [NodeRecord] = []
        while !source.isAtEnd, NodeRecordReader.isWhole(source) {
            records.append(try reader.record(from: &source))
        }
        return records
    }

    private static func isWhole(_ source: MessagePackReader) -> Bool {
        var source = source
        do throws(FrameError) {
            try source.skip()
            return source.remaining >= 0
        } catch {
            return false
        }
    }

    private mutating func record(
        from source: inout MessagePackReader
    ) throws(FrameError) -> NodeRecord {
        let head = try source.messageHead()
        let time = try source.unsigned("microseconds")
        return NodeRecord(microseconds: time, try event(head, from: &source))
    }

    private mutating func event(
        _ head: MessageHead, from source: inout MessagePackReader
    ) throws(FrameError) -> NodeRecord.Event {
        switch head.name {
        case "started":
            try head.require(5)
            let writer = try source.writerID()
            let vector = try source.vector(beyond: &told.held)
            told.durable = vector
            return .started(writer: writer, holds: vector)
        case "turned":
            try head.require(7)
            let writer = try source.writerID()
            let stableTime = try source.time()
            let wall = try source.wallMilliseconds()
            return .turned(
                writer: writer, holds: try source.vector(beyond: &told.held),
                stableTime: stableTime,
                wallMilliseconds: wall)
        case "stored":
            try head.require(3)
            return .stored(
                try source.elements(try source.arrayHead("batches")) { reader throws(FrameError) in
                    try reader.binary("a batch")
                })
        case "durable":
            try head.require(4)
            return .durable(try source.vector(beyond: &told.durable))
        case "serving":
            try head.require(2)
            return .serving
        case "published":
            try head.require(3)
            return .published(try source.binary("a frame"))
        case "served":
            try head.require(8)
            return .served(
                session: try source.unsigned("a session"), frame: try source.binary("a frame"),
                before: try source.vector(beyond: &told.held),
                after: try source.vector(beyond: &told.held))
        default:
            throw head.unknown(
                names: "started, turned, stored, durable, serving, published, served")
        }
    }
}

extension MessagePackReader {
    fileprivate mutating func vector(beyond told: inout VersionVector) throws(FrameError)
        -> VersionVector
    {
        let isWhole = try boolean("whether the vector is whole")
        let vector = try vector()
        if isWhole { told = vector } else { told.raise(to: vector) }
        return told
    }
}
