public import DataTree

extension NodeMessage: FrameMessage {
    /// Appends it as one MessagePack array.
    public func encode(into writer: inout MessagePackWriter) {
        switch self {
        case .ok(let id):
            writer.appendMessageHead("ok", 2)
            writer.append(id)
        case .acknowledged(let id, let concern):
            writer.appendMessageHead("acknowledged", 3)
            writer.append(id)
            writer.append(concern.rawValue)
        case .pushed(let id, let key):
            writer.appendMessageHead("pushed", 3)
            writer.append(id)
            writer.append(key)
        case .value(let id, let value):
            writer.appendMessageHead("value", 3)
            writer.append(id)
            writer.append(value)
        case .unindexed(let listen):
            writer.appendMessageHead("unindexed", 2)
            writer.append(listen)
        case .change(let listen, let writes):
            writer.appendMessageHead("change", 3)
            writer.append(listen)
            writer.appendChanges(writes)
        case .ranges(let listen, let ranges):
            writer.appendMessageHead("ranges", 3)
            writer.append(listen)
            writer.append(ranges)
        case .ready(let id, let member, let wallMilliseconds, let time, let holds):
            writer.appendMessageHead("ready", 6)
            writer.append(id)
            writer.append(member)
            writer.append(wallMilliseconds)
            writer.append(time.bits)
            writer.append(holds)
        case .seen(let time, let holds):
            writer.appendMessageHead("seen", 3)
            writer.append(time.bits)
            writer.append(holds)
        case .error(let id, let code, let problem, let fix):
            writer.appendFailure("error", id, code, problem, fix)
        case .ended(let listen, let code, let problem, let fix):
            writer.appendFailure("ended", listen, code, problem, fix)
        }
    }

    /// Takes one; what is wrong with it is thrown.
    public static func decode(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> NodeMessage {
        let head = try reader.messageHead()
        switch head.name {
        case "ok":
            try head.require(2)
            return .ok(id: try reader.id())
        case "acknowledged":
            try head.require(3)
            return .acknowledged(id: try reader.id(), concern: try reader.writeConcern())
        case "pushed":
            try head.require(3)
            return .pushed(id: try reader.id(), key: try reader.key())
        case "value":
            try head.require(3)
            return .value(id: try reader.id(), value: try reader.value())
        case "unindexed":
            try head.require(2)
            return .unindexed(listen: try reader.id())
        case "change":
            try head.require(3)
            return .change(listen: try reader.id(), writes: try reader.changes())
        case "ranges":
            try head.require(3)
            return .ranges(listen: try reader.id(), ranges: try reader.ranges())
        case "ready":
            try head.require(6)
            return .ready(
                id: try reader.id(), member: try reader.string("a member"),
                wallMilliseconds: try reader.wallMilliseconds(), time: try reader.time(),
                holds: try reader.vector())
        case "seen":
            try head.require(3)
            return .seen(time: try reader.time(), holds: try reader.vector())
        case "error":
            try head.require(5)
            return .error(
                id: try reader.id(), code: try reader.errorCode(),
                problem: try reader.string("a problem"), fix: try reader.string("a fix"))
        case "ended":
            try head.require(5)
            return .ended(
                listen: try reader.id(), code: try reader.errorCode(),
                problem: try reader.string("a problem"), fix: try reader.string("a fix"))
        default:
            throw head.unknown(
                names:
                    "ok, acknowledged, pushed, value, unindexed, change, ranges, ready, seen, error, ended"
            )
        }
    }
}

extension MessagePackWriter {
    mutating func appendChanges(_ writes: [Write]) {
        appendArrayHead(writes.count)
        for write in writes {
            appendArrayHead(2)
            append(write.path)
            append(write.value)
        }
    }

    fileprivate mutating func append(_ ranges: [ChangedRange]) {
        appendArrayHead(ranges.count)
        for changed in ranges {
            appendArrayHead(3)
            for end in [changed.range.after, changed.range.through] {
                if let end { append(end) } else { appendNil() }
            }
            appendChanges(changed.writes)
        }
    }

    fileprivate mutating func appendFailure(
        _ name: StaticString, _ id: UInt64, _ code: ErrorCode, _ problem: String, _ fix: String
    ) {
        appendMessageHead(name, 5)
        append(id)
        append(code.encoded.rawValue)
        append(problem)
        append(fix)
    }
}

extension MessagePackReader {
    fileprivate mutating func changes() throws(FrameError) -> [Write] {
        try elements(try arrayHead("an array of changes")) { reader throws(FrameError) in
            let start = reader.position
            guard try reader.arrayHead("a change ([path, value])") == 2 else {
                throw .expected("a change ([path, value])", found: "another array", at: start)
            }
            return Write(path: try reader.path(), value: try reader.value())
        }
    }

    fileprivate mutating func ranges() throws(FrameError) -> [ChangedRange] {
        try elements(try arrayHead("an array of ranges")) { reader throws(FrameError) in
            let start = reader.position
            guard try reader.arrayHead("a range ([after, through, changes])") == 3 else {
                throw .expected(
                    "a range ([after, through, changes])", found: "another array", at: start)
            }
            let range = LeafRange(
                after: try reader.optionalPath(), through: try reader.optionalPath())
            return ChangedRange(range, writes: try reader.changes())
        }
    }

    private mutating func optionalPath() throws(FrameError) -> Path? {
        takeNil() ? nil : try path()
    }

    fileprivate mutating func errorCode() throws(FrameError) -> ErrorCode {
        let start = position
        let name = try string("an error code")
        guard let code = ErrorCode(rawValue: name) else {
            throw .expected("an error code", found: "\"\(name.prefix(40))\"", at: start)
        }
        return code
    }
}

extension ErrorCode {
    /// The code that native clients receive: earlier ones know no other limit than `tooBig`.
    package var encoded: ErrorCode {
        switch self {
        case .tooMany, .full: .tooBig
        default: self
        }
    }
}
