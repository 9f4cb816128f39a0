// The bytes of `hello` and its answers, of checkpoint transfer, and of `bye`.

import DataTree

extension PeerMessage {
    func encodeRest(into writer: inout MessagePackWriter) {
        switch self {
        case .requestCheckpoint(let member, let checkpoint, let after):
            writer.appendMessageHead("requestCheckpoint", 4)
            writer.append(member)
            writer.append(checkpoint)
            writer.append(after)
        case .checkpointChunk(let part, let evictions):
            writer.append(part)
            writer.append(evictions)
        case .hello(let hello): writer.append(hello)
        case .welcome(let member, let addressee, let version):
            writer.appendMessageHead("welcome", 4)
            writer.append(member)
            writer.append(addressee.bits)
            writer.append(version)
        case .refuse(let member, let addressee, let problem, let fix):
            writer.appendMessageHead("refuse", 5)
            writer.append(member)
            writer.append(addressee.bits)
            writer.append(problem)
            writer.append(fix)
        case .requestHeartbeat: writer.appendMessageHead("requestHeartbeat", 1)
        case .bye(let cluster, let member, let origin, let time):
            writer.appendMessageHead("bye", 5)
            writer.append(cluster)
            writer.append(member)
            writer.append(origin.bits)
            writer.append(time.bits)
        case .propose(let proposals): writer.append(proposals)
        case .decided(let verdicts): writer.append(verdicts)
        case .disk(let statement): writer.append(statement)
        case .remembered(let memory): writer.append(memory)
        case .comparison(let comparison): writer.append(comparison)
        case .requestStatus(let member):
            writer.appendMessageHead("requestStatus", 2)
            writer.append(member)
        case .status(let member, let status):
            writer.appendMessageHead("status", 3)
            writer.append(member)
            writer.append(status)
        case .batch, .heartbeat, .requestBatches, .batches, .compacted:
            preconditionFailure("\(self) is encoded elsewhere")
        }
    }

    static func decodeRest(
        _ head: MessageHead, from reader: inout MessagePackReader
    ) throws(FrameError) -> PeerMessage {
        switch head.name {
        case "requestCheckpoint":
            try head.require(4)
            return .requestCheckpoint(
                member: try reader.string("a member"),
                checkpoint: try reader.unsigned("the ID of a row"),
                after: try reader.unsigned("the ID of a row"))
        case "checkpointChunk":
            try head.require(6)
            return .checkpointChunk(
                try reader.checkpointChunk(), evictions: try reader.evictions())
        case "hello":
            try head.require(2)
            return .hello(try Hello(try reader.binary("a hello (binary data)")))
        case "welcome":
            try head.require(4)
            return .welcome(
                member: try reader.string("a member"), to: try reader.writerID(),
                version: try reader.unsigned("a version"))
        case "refuse":
            try head.require(5)
            return .refuse(
                member: try reader.string("a member"), to: try reader.writerID(),
                problem: try reader.string("a problem"), fix: try reader.string("a fix"))
        case "requestHeartbeat":
            try head.require(1)
            return .requestHeartbeat
        case "bye":
            try head.require(5)
            return .bye(
                cluster: try reader.string("a cluster"), member: try reader.string("a member"),
                writer: try reader.writerID(), time: try reader.time())
        case "propose":
            try head.require(5)
            return .propose(try reader.proposals())
        case "decided":
            try head.require(2)
            return .decided(try reader.verdicts())
        case "disk":
            try head.require(5)
            return .disk(try reader.diskStatement())
        case "remembered":
            try head.require(12)
            return .remembered(try reader.diskMemory())
        case "comparison":
            try head.require(8)
            return .comparison(try reader.comparison())
        case "requestStatus":
            try head.require(2)
            return .requestStatus(member: try reader.string("a member"))
        case "status":
            try head.require(3)
            return .status(member: try reader.string("a member"), status: try reader.value())
        default:
            throw head.unknown(
                names: """
                    batch, heartbeat, requestBatches, batches, compacted, requestCheckpoint, \
                    checkpointChunk, hello, welcome, refuse, requestHeartbeat, bye, propose, decided, \
                    disk, remembered, comparison, requestStatus, status
                    """)
        }
    }
}

extension MessagePackWriter {
    fileprivate mutating func append(_ part: CheckpointChunk) {
        appendMessageHead("checkpointChunk", 6)
        append(binary: part.head)
        append(part.after)
        appendArrayHead(2 * part.rows.count)
        for row in part.rows {
            append(row.id)
            append(binary: row.bytes)
        }
        append(part.isLast)
    }

    fileprivate mutating func append(_ hello: Hello) {
        var writer = MessagePackWriter()
        writer.appendArrayHead(7)
        writer.append(hello.cluster)
        writer.append(hello.member)
        writer.append(hello.writer.bits)
        writer.append(hello.endpoint)
        writer.append(hello.oldestVersion)
        writer.append(hello.newestVersion)
        writer.appendArrayHead(2 * hello.members.count)
        for member in hello.members {
            writer.append(member.name)
            writer.append(member.endpoint)
        }
        writer.appendChecksum()
        appendMessageHead("hello", 2)
        append(binary: writer.bytes)
    }
}

extension MessagePackReader {
    fileprivate mutating func checkpointChunk() throws(FrameError) -> CheckpointChunk {
        let head = try binary("the head of a checkpoint (binary data)")
        let after = try unsigned("the ID of a row")
        let start = position
        let count = try arrayHead("an array of rows")
        guard count.isMultiple(of: 2) else {
            throw .expected("pairs of IDs and rows", found: "an array of \(count)", at: start)
        }
        let rows = try elements(count / 2) { reader throws(FrameError) in
            CheckpointRow(
                id: try reader.unsigned("the ID of a row"),
                bytes: try reader.binary("a row (binary data)"))
        }
        let isLast = try boolean("whether these rows are the last")
        return CheckpointChunk(head: head, after: after, rows: rows, isLast: isLast)
    }
}

extension Hello {
    fileprivate init(_ bytes: [UInt8]) throws(FrameError) {
        self = try bytes.span.bytes.withUnsafeBytes { bytes throws(FrameError) in
            var reader = MessagePackReader(try Checksum.content(of: bytes, named: "a hello"))
            return try Hello(from: &reader)
        }
    }

    private init(from reader: inout MessagePackReader) throws(FrameError) {
        guard try reader.arrayHead("a hello (an array of 7)") == 7 else {
            throw .expected("a hello (an array of 7)", found: "another array", at: 0)
        }
        self.init(
            cluster: try reader.string("a cluster"), member: try reader.string("a member"),
            writer: try reader.writerID(), endpoint: try reader.string("an endpoint"),
            members: [], oldestVersion: try reader.unsigned("a version"),
            newestVersion: try reader.unsigned("a version"))
        let start = reader.position
        let count = try reader.arrayHead("an array of members")
        guard count.isMultiple(of: 2), count <= 2 * WireLimits.members else {
            throw .expected("members and endpoints", found: "an array of \(count)", at: start)
        }
        for _ in 0..<count / 2 {
            let position = reader.position
            let name = try reader.string("a member")
            if let last = members.last, last.name >= name {
                throw .expected("members in ascending order", found: name, at: position)
            }
            members.append(Member(name, at: try reader.string("an endpoint")))
        }
    }
}

// MARK: - Between versions

extension PeerMessage {
    /// The hello of a frame of another version of the protocol, or the answer to one: by these, nodes of different
    /// versions recognise each other, so their form never changes.
    ///
    /// Nil if the frame is of this version, or holds another message.
    public static func greeting(inForeign frame: [UInt8]) -> PeerMessage? {
        guard let version = frame.first, version != protocolVersion else { return nil }
        let readable = [protocolVersion] + frame.dropFirst()
        guard let messages = try? FrameReader<PeerMessage>.messages(in: readable),
            messages.count == 1, case .message(let message) = messages[0]
        else { return nil }
        switch message {
        case .hello, .welcome, .refuse: return message
        default: return nil
        }
    }
}
