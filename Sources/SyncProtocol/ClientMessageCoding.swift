import DataTree
import QueryEngine

extension ClientMessage: FrameMessage {
    public func encode(into writer: inout MessagePackWriter) {
        switch self {
        case .get(let id, let path, let query):
            writer.append("get", id, at: path, count: 3, Options(query: query))
        case .children(let id, let path, let from, let limit):
            let options = Options(from: from, limit: limit)
            writer.append("children", id, at: path, count: 3, options)
        case .put(let id, let path, let value, let condition, let concern, let stamp):
            let options = Options(
                condition: condition?.hash, isLocal: condition?.isLocal ?? false,
                patience: condition?.patienceMilliseconds, concern: concern, stamp: stamp)
            writer.append("put", id, at: path, count: 4, options) { $0.append(value) }
        case .merge(let id, let path, let writes, let concern, let stamp):
            let options = Options(concern: concern, stamp: stamp)
            writer.append("merge", id, at: path, count: 4, options) { $0.append(merge: writes) }
        case .push(let id, let path, let value):
            writer.append("push", id, at: path, count: 4) { $0.append(value) }
        case .listen(let id, let path, let query, let held):
            let options = Options(query: query, hash: held?.hash, ranges: held?.ranges)
            writer.append("listen", id, at: path, count: 3, options)
        case .unlisten(let id, let listen):
            writer.append("unlisten", id, count: 3)
            writer.append(listen)
        case .onDisconnect(let id, let path, let value):
            writer.append("onDisconnect", id, at: path, count: 4) { $0.append(value) }
        case .onDisconnectMerge(let id, let path, let writes):
            writer.append("onDisconnectMerge", id, at: path, count: 4) { $0.append(merge: writes) }
        case .onDisconnectCancel(let id, let path):
            writer.append("onDisconnectCancel", id, at: path, count: 3)
        case .backup(let id, let name):
            writer.append("backup", id, count: 3)
            writer.append(name)
        case .evict(let id, let member):
            writer.append("evict", id, count: 3)
            writer.append(member)
        case .hello(let id, let seen):
            writer.append("hello", id, count: 3)
            writer.append(seen)
        case .awaitStable(let id, let milliseconds):
            writer.append("awaitStable", id, count: 3)
            writer.append(milliseconds)
        case .ping(let id): writer.append("ping", id, count: 2)
        case .status(let id): writer.append("status", id, count: 2)
        }
    }

    public static func decode(
        from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        let head = try reader.messageHead()
        switch head.name {
        case "get": return try get(head, from: &reader)
        case "children": return try children(head, from: &reader)
        case "put": return try put(head, from: &reader)
        case "merge":
            let (id, path, writes) = try reader.merge(head, optional: 1)
            let options = try reader.options(of: head, after: 4, [.concern, .stamp])
            return .merge(
                id: id, path: path, writes: writes, concern: options.concern, stamp: options.stamp)
        case "push":
            try head.require(4)
            return .push(
                id: try reader.id(), path: try reader.location(), value: try reader.value())
        case "listen": return try listen(head, from: &reader)
        case "unlisten":
            try head.require(3)
            return .unlisten(
                id: try reader.id(), listen: try reader.unsigned("the id of a listen"))
        case "onDisconnect":
            try head.require(4)
            let (id, write) = (try reader.id(), try reader.put())
            return .onDisconnect(id: id, path: write.path, value: write.value)
        case "onDisconnectMerge":
            let (id, path, writes) = try reader.merge(head)
            return .onDisconnectMerge(id: id, path: path, writes: writes)
        case "onDisconnectCancel":
            try head.require(3)
            return .onDisconnectCancel(id: try reader.id(), path: try reader.location())
        case "backup":
            try head.require(3)
            return .backup(id: try reader.id(), name: try reader.string("the name of a backup"))
        case "evict":
            try head.require(3)
            return .evict(id: try reader.id(), member: try reader.string("a member"))
        case "hello":
            try head.require(3)
            return .hello(id: try reader.id(), seen: try reader.vector())
        case "awaitStable":
            try head.require(3)
            return .awaitStable(
                id: try reader.id(), milliseconds: try reader.unsigned("a limit in milliseconds"))
        case "ping":
            try head.require(2)
            return .ping(id: try reader.id())
        case "status":
            try head.require(2)
            return .status(id: try reader.id())
        default: throw head.unknown(names: names)
        }
    }

    private static let names = """
        get, children, put, merge, push, listen, unlisten, onDisconnect, onDisconnectMerge, \
        onDisconnectCancel, backup, evict, hello, awaitStable, ping, status
        """

    private static func get(
        _ head: MessageHead, from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        try head.require(3, optional: 1)
        let (id, path) = (try reader.id(), try reader.path())
        let options = try reader.options(of: head, after: 3, [.query])
        return .get(id: id, path: path, query: options.query)
    }

    private static func children(
        _ head: MessageHead, from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        try head.require(3, optional: 1)
        let (id, path) = (try reader.id(), try reader.location())
        let options = try reader.options(of: head, after: 3, [.from, .limit])
        return .children(id: id, path: path, from: options.from, limit: options.limit)
    }

    private static func put(
        _ head: MessageHead, from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        try head.require(4, optional: 1)
        let (id, write) = (try reader.id(), try reader.put())
        let start = reader.position
        let options = try reader.options(
            of: head, after: 4, [.condition, .isLocal, .patience, .concern, .stamp])
        if options.condition == nil, options.isLocal || options.patience != nil {
            throw .expected("\"if\" beside \"local\" and \"within\"", found: "none", at: start)
        }
        let condition = options.condition.map {
            Condition($0, isLocal: options.isLocal, patienceMilliseconds: options.patience)
        }
        return .put(
            id: id, path: write.path, value: write.value, condition: condition,
            concern: options.concern, stamp: options.stamp)
    }

    private static func listen(
        _ head: MessageHead, from reader: inout MessagePackReader
    ) throws(FrameError) -> ClientMessage {
        try head.require(3, optional: 1)
        let (id, path) = (try reader.id(), try reader.location())
        let start = reader.position
        let options = try reader.options(of: head, after: 3, [.query, .hash, .ranges])
        if options.ranges != nil, options.hash == nil {
            throw .expected("\"hash\" beside \"ranges\"", found: "none", at: start)
        }
        return .listen(
            id: id, path: path, query: options.query,
            held: options.hash.map { HeldData(hash: $0, ranges: options.ranges) })
    }
}

extension MessagePackWriter {
    fileprivate mutating func append(_ name: StaticString, _ id: UInt64, count: Int) {
        appendMessageHead(name, count)
        append(id)
    }

    fileprivate mutating func append(
        _ name: StaticString, _ id: UInt64, at path: Path, count: Int,
        _ options: Options = Options(), _ content: (inout MessagePackWriter) -> Void = { _ in }
    ) {
        append(name, id, count: options.isEmpty ? count : count + 1)
        append(path)
        content(&self)
        append(options)
    }

    fileprivate mutating func append(merge writes: [Write]) {
        appendMapHead(writes.count)
        for write in writes {
            append(write.path)
            append(write.value)
        }
    }
}

extension MessagePackReader {
    /// Takes a path and the value that is put there.
    fileprivate mutating func put() throws(FrameError) -> Write {
        let start = position
        let write = Write(path: try path(), value: try value())
        if let failure = write.failureInPriority { throw .data(failure, at: start) }
        return write
    }

    /// Takes what follows the name of a merge.
    fileprivate mutating func merge(
        _ head: MessageHead, optional: Int = 0
    ) throws(FrameError) -> (id: UInt64, path: Path, writes: [Write]) {
        try head.require(4, optional: optional)
        let (id, path) = (try id(), try location())
        let start = position
        let count = try mapHead("a map of relative paths to values")
        let writes = try writes(count)
        if let failure = Write.failure(inMerge: writes, at: path) {
            throw .data(failure, at: start)
        }
        return (id, path, writes)
    }

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
