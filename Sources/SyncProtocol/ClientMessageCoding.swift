import DataTree

extension ClientMessage: FrameMessage {
    public func encode(into writer: inout MessagePackWriter) {
        switch self {
        case .get(let id, let path): writer.appendHead("get", id, at: path, count: 3)
        case .put(let id, let path, let value):
            writer.appendHead("put", id, at: path, count: 4)
            writer.append(value)
        case .merge(let id, let path, let writes):
            writer.appendHead("merge", id, at: path, count: 4)
            writer.appendMapHead(writes.count)
            for write in writes {
                writer.append(write.path)
                writer.append(write.value)
            }
        case .push(let id, let path, let value):
            writer.appendHead("push", id, at: path, count: 4)
            writer.append(value)
        case .listen(let id, let path): writer.appendHead("listen", id, at: path, count: 3)
        case .unlisten(let id, let listen):
            writer.appendMessageHead("unlisten", 3)
            writer.append(id)
            writer.append(listen)
        case .ping(let id):
            writer.appendMessageHead("ping", 2)
            writer.append(id)
        case .status(let id):
            writer.appendMessageHead("status", 2)
            writer.append(id)
        }
    }

    public static func decode(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        let head = try reader.messageHead()
        switch head.name {
        case "get":
            try head.require(3)
            return .get(id: try reader.id(), path: try reader.path())
        case "put":
            try head.require(4)
            return try put(from: &reader)
        case "merge":
            try head.require(4)
            return try merge(from: &reader)
        case "push":
            try head.require(4)
            return .push(
                id: try reader.id(), path: try reader.location(), value: try reader.value())
        case "listen":
            try head.require(3)
            return .listen(id: try reader.id(), path: try reader.location())
        case "unlisten":
            try head.require(3)
            return .unlisten(
                id: try reader.id(), listen: try reader.unsigned("the id of a listen"))
        case "ping":
            try head.require(2)
            return .ping(id: try reader.id())
        case "status":
            try head.require(2)
            return .status(id: try reader.id())
        default:
            throw head.unknown(names: "get, put, merge, push, listen, unlisten, ping, status")
        }
    }

    private static func put(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        let id = try reader.id()
        let start = reader.position
        let write = Write(path: try reader.path(), value: try reader.value())
        if let flaw = write.flawInPriority { throw .data(flaw, at: start) }
        return .put(id: id, path: write.path, value: write.value)
    }

    private static func merge(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        let id = try reader.id()
        let path = try reader.location()
        let start = reader.position
        let count = try reader.mapHead("a map of relative paths to values")
        let writes = try reader.writes(count)
        if let flaw = Write.flaw(inMerge: writes, at: path) { throw .data(flaw, at: start) }
        return .merge(id: id, path: path, writes: writes)
    }
}

extension MessagePackWriter {
    fileprivate mutating func appendHead(
        _ name: StaticString, _ id: UInt64, at path: Path, count: Int
    ) {
        appendMessageHead(name, count)
        append(id)
        append(path)
    }
}

extension MessagePackReader {
    mutating func id() throws(FrameError) -> UInt64 {
        try unsigned("an id (an unsigned integer)")
    }

    /// Takes a path that can have something below it, as one that ends in `.priority` cannot.
    mutating func location() throws(FrameError) -> Path {
        let start = position
        let path = try path()
        if path.last == .priority {
            throw .expected("the path of a location", found: "\(path)", at: start)
        }
        return path
    }

    /// Takes so many paths, each with the value that is written there.
    mutating func writes(_ count: Int) throws(FrameError) -> [Write] {
        var writes: [Write] = []
        // What is only declared gets little memory.
        writes.reserveCapacity(min(count, 256))
        for _ in 0..<count {
            writes.append(Write(path: try path(), value: try value()))
        }
        return writes
    }
}
