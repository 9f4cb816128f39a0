import DataTree
import QueryEngine

/// The options of a request: a map from names to values, its last element.
///
/// A name that the message does not know is refused, so that nothing asked is silently ignored.
struct Options {
    enum Name: String {
        case query, hash, ranges, concern, stamp, now, from, limit, skip, source
        case condition = "if"
        case isLocal = "local"
        case isCheck = "check"
        case demandsIndex = "indexed"
        case patience = "within"
    }

    var query = Query()
    var hash: DataHash?
    var ranges: CompoundHash?
    var demandsIndex = false
    var condition: DataHash?
    var isLocal = false
    var isCheck = false
    var patience: UInt64?
    var concern: WriteConcern?
    var stamp: Stamp?
    var now: UInt64?
    var from: Key?
    var limit: Int?
    var skip = 0
    var source: String?

    /// The number of options that are set.
    var count: Int {
        (query == Query() ? 0 : 1) + (hash == nil ? 0 : 1) + (ranges == nil ? 0 : 1)
            + (demandsIndex ? 1 : 0) + (condition == nil ? 0 : 1) + (concern == nil ? 0 : 1)
            + (stamp == nil ? 0 : 1) + (now == nil ? 0 : 1)
            + (isLocal ? 1 : 0) + (isCheck ? 1 : 0) + (patience == nil ? 0 : 1)
            + (from == nil ? 0 : 1) + (limit == nil ? 0 : 1) + (skip == 0 ? 0 : 1)
            + (source == nil ? 0 : 1)
    }

    fileprivate func append(to writer: inout MessagePackWriter, _ count: Int) {
        if count == 0 { return }
        writer.appendMapHead(count)
        if query != Query() { writer.append(.query) { $0.append(QueryMembers(query)) } }
        if let hash { writer.append(.hash) { $0.append(hash.text) } }
        if let ranges { writer.append(.ranges) { $0.append(ranges) } }
        if demandsIndex { writer.append(.demandsIndex) { $0.append(true) } }
        if let condition { writer.append(.condition) { $0.append(condition.text) } }
        if isLocal { writer.append(.isLocal) { $0.append(true) } }
        if isCheck { writer.append(.isCheck) { $0.append(true) } }
        if let patience { writer.append(.patience) { $0.append(patience) } }
        if let concern { writer.append(.concern) { $0.append(concern.rawValue) } }
        if let stamp { writer.append(.stamp) { $0.append(stamp) } }
        if let now { writer.append(.now) { $0.append(now) } }
        if let from { writer.append(.from) { $0.append(from) } }
        if let limit { writer.append(.limit) { $0.append(Int64(limit)) } }
        if let source { writer.append(.source) { $0.append(source) } }
        if skip > 0 { writer.append(.skip) { $0.append(Int64(skip)) } }
    }

    fileprivate mutating func decode(
        _ name: Name, from reader: inout MessagePackReader
    ) throws(FrameError) {
        switch name {
        case .query: query = try reader.query()
        case .hash: hash = try reader.dataHash()
        case .ranges: ranges = try reader.compoundHash()
        case .demandsIndex: demandsIndex = try reader.boolean("whether an index is demanded")
        case .condition: condition = try reader.dataHash()
        case .isLocal: isLocal = try reader.boolean("whether the node decides")
        case .isCheck: isCheck = try reader.boolean("whether the document is only compiled")
        case .patience: patience = try reader.unsigned("a limit in milliseconds")
        case .concern: concern = try reader.writeConcern()
        case .stamp: stamp = try reader.stamp()
        case .now: now = try reader.wallMilliseconds()
        case .from: from = try reader.key()
        case .limit: limit = try reader.childLimit()
        case .source: source = try reader.string("rules (a string)")
        case .skip: skip = try reader.count("a number of children (an unsigned integer)")
        }
    }
}

// MARK: - Writing

extension MessagePackWriter {
    /// Appends the map of so many options, or nothing if it would be empty.
    mutating func append(_ options: Options, _ count: Int) { options.append(to: &self, count) }

    fileprivate mutating func append(
        _ name: Options.Name, _ content: (inout MessagePackWriter) -> Void
    ) {
        append(name.rawValue)
        content(&self)
    }

    /// Appends the map of a query's members that are not nil.
    fileprivate mutating func append(_ query: QueryMembers) {
        let members: [(name: StaticString, value: Value?)] = [
            ("i", query.index.map(Value.string)),
            ("sp", query.startValue),
            ("sn", query.startKey.map(Value.string)),
            ("sin", query.startIsInclusive.map(Value.boolean)),
            ("ep", query.endValue),
            ("en", query.endKey.map(Value.string)),
            ("ein", query.endIsInclusive.map(Value.boolean)),
            ("l", query.limit.map { .integer(Int64($0)) }),
            ("vf", query.viewFrom.map(Value.string)),
        ]
        appendMapHead(members.count { $0.value != nil })
        for case (let name, let value?) in members {
            append(utf8: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            append(value)
        }
    }

    /// Appends `{"posts": [path, …], "hashes": [hash, …]}`.
    fileprivate mutating func append(_ ranges: CompoundHash) {
        appendMapHead(2)
        append("posts")
        appendArrayHead(ranges.posts.count)
        for post in ranges.posts { append(post) }
        append("hashes")
        appendArrayHead(ranges.hashes.count)
        for hash in ranges.hashes { append(hash) }
    }
}

// MARK: - Reading

extension MessagePackReader {
    /// Takes the options of a message, if it has more than the `count` elements that it needs.
    mutating func options(
        of head: MessageHead, after count: Int, _ known: [Options.Name]
    ) throws(FrameError) -> Options {
        var options = Options()
        if head.count == count { return options }
        for _ in 0..<(try mapHead("a map of options")) {
            let start = position
            let name = try string("the name of an option")
            guard let option = Options.Name(rawValue: name), known.contains(option) else {
                throw FrameError(
                    offset: start,
                    problem: "unknown option \"\(name.prefix(40))\" at byte \(start)",
                    fix: "\"\(head.name)\" takes "
                        + known.map(\.rawValue).joined(separator: ", "))
            }
            try options.decode(option, from: &self)
        }
        return options
    }

    mutating func dataHash() throws(FrameError) -> DataHash {
        let start = position
        let hash = DataHash(text: try string("a hash (a string)"))
        guard hash.isPossible else {
            throw .expected(
                "a hash of 28 characters", found: "\(hash.text.utf8.count)", at: start)
        }
        return hash
    }

    fileprivate mutating func childLimit() throws(FrameError) -> Int {
        let start = position
        let limit = try unsigned("a limit (an unsigned integer)")
        guard (1...UInt64(Int32.max)).contains(limit) else {
            throw .expected("a limit from 1 to 2147483647", found: "\(limit)", at: start)
        }
        return Int(limit)
    }

    fileprivate mutating func query() throws(FrameError) -> Query {
        let start = position
        var members = QueryMembers()
        for _ in 0..<(try mapHead("the members of a query (a map)")) { try decode(&members) }
        do throws(DataError) {
            return try Query(members)
        } catch {
            throw .data(error, at: start)
        }
    }

    private mutating func decode(_ members: inout QueryMembers) throws(FrameError) {
        let start = position
        let name = try string("a member of a query")
        switch name {
        case "i": members.index = try string("an index (a string)")
        case "sp": members.startValue = try value()
        case "sn": members.startKey = try boundKey()
        case "sin": members.startIsInclusive = try boolean("a boolean")
        case "ep": members.endValue = try value()
        case "en": members.endKey = try boundKey()
        case "ein": members.endIsInclusive = try boolean("a boolean")
        case "l": members.limit = try count("a limit (an unsigned integer)")
        case "vf": members.viewFrom = try string("a side (\"l\" or \"r\")")
        default:
            throw FrameError(
                offset: start,
                problem: "unknown member \"\(name.prefix(40))\" of a query at byte \(start)",
                fix: "a query has i, sp, sn, sin, ep, en, ein, l, vf")
        }
    }

    /// Takes a number that is not larger than in Firebase's own clients.
    fileprivate mutating func count(_ name: StaticString) throws(FrameError) -> Int {
        let start = position
        let count = try unsigned(name)
        guard count <= UInt64(Int32.max) else {
            throw .expected("a number up to 2147483647", found: "\(count)", at: start)
        }
        return Int(count)
    }

    private mutating func boundKey() throws(FrameError) -> String {
        let start = position
        let text = try string("a key (a string)")
        if text == "[MIN_NAME]" || text == "[MAX_NAME]" { return text }
        rewind(to: start)
        return try key().text
    }

    fileprivate mutating func compoundHash() throws(FrameError) -> CompoundHash {
        let start = position
        var posts: [Path] = []
        var hashes: [String] = []
        for _ in 0..<(try mapHead("the hashes of ranges (a map)")) {
            let place = position
            switch try string("\"posts\" or \"hashes\"") {
            case "posts":
                for _ in 0..<(try arrayHead("an array of paths")) { posts.append(try path()) }
            case "hashes":
                for _ in 0..<(try arrayHead("an array of hashes")) {
                    hashes.append(try dataHash().text)
                }
            case let other:
                throw .expected(
                    "\"posts\" or \"hashes\"", found: "\"\(other.prefix(40))\"", at: place)
            }
        }
        do throws(DataError) {
            return try CompoundHash(posts: posts, hashes: hashes)
        } catch {
            throw .data(error, at: start)
        }
    }
}

extension MessagePackReader {
    /// Takes the name of a concern.
    mutating func writeConcern() throws(FrameError) -> WriteConcern {
        let start = position
        let name = try string("a concern")
        guard let concern = WriteConcern(rawValue: name) else {
            throw .expected("local, majority or all", found: "\"\(name.prefix(40))\"", at: start)
        }
        return concern
    }
}
