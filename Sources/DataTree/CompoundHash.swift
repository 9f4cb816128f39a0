/// The hashes of consecutive ranges of an object, with which a native client resumes a large listen:
/// only the ranges that differ are sent again.
///
/// Range `i` ends with the leaf at `posts[i]`; the last hash, always empty, stands for what follows.
/// Source: `firebase-semantics.md`, section 9.1.
public struct CompoundHash: Equatable, Sendable {
    /// The ends of the ranges, relative to the value; the last key may be `.priority`.
    public let posts: [Path]
    /// One hash more than there are posts.
    public let hashes: [String]

    /// Hashes a value that holds no placeholder, in ranges whose number grows with the square root
    /// of its size.
    ///
    /// - Complexity: O(size).
    public init(of value: Value) {
        let size = value.estimatedSize
        self.init(of: value) { path, length in
            length > 512 && length * length > 100 * size && path.last != .priority
        }
    }

    /// Hashes a value in ranges that end where the caller decides.
    ///
    /// - Parameter endsRange: Asked after each leaf, with its path and the length of the range's
    ///   text so far in UTF-16 code units.
    public init(of value: Value, endingRanges endsRange: (Path, Int) -> Bool) {
        var posts: [Path] = []
        var hashes: [String] = []
        var range = RangeText()
        value.forEachLeaf { path, leaf in
            _ = range.append(leaf, at: path)
            while range.hasRest { _ = range.appendRest() }
            guard endsRange(path, range.length) else { return }
            posts.append(path)
            hashes.append(range.finish())
        }
        if let last = range.lastLeaf {
            posts.append(last)
            hashes.append(range.finish())
        }
        self.posts = posts
        self.hashes = hashes + [""]
    }

    /// Takes the ranges that a client sent.
    ///
    /// - Throws: `DataError` unless the posts ascend and there is one hash more.
    public init(posts: [Path], hashes: [String]) throws(DataError) {
        guard hashes.count == posts.count + 1,
            zip(posts, posts.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            throw DataError(
                problem: "\(posts.count) posts and \(hashes.count) hashes make no ranges",
                fix: "give posts that ascend in key order, and one hash more than posts")
        }
        self.posts = posts
        self.hashes = hashes
    }

    /// The ranges in which a value differs from the one that has these hashes, ascending.
    ///
    /// - Complexity: O(size).
    public func rangesThatDiffer(from value: Value) -> [LeafRange] {
        var hashing = RangeHashing(of: value, comparedWith: self)
        while !hashing.isComplete { _ = hashing.advance(spending: .max) }
        return hashing.differing
    }
}

/// The comparison of a value with the hashes of ranges, which can stop and go on.
struct RangeHashing: Sendable {
    private let hash: CompoundHash
    private var walk: PlaceWalk
    private var text = RangeText()
    /// The range that is being hashed.
    private var index = 0
    /// The next leaf, behind the ends of ranges that come before it.
    private var leaf: (path: Path, value: Value)?
    private(set) var isComplete = false
    /// The ranges that differ, ascending.
    private(set) var differing: [LeafRange] = []

    init(of value: Value, comparedWith hash: CompoundHash) {
        self.hash = hash
        walk = PlaceWalk(value)
    }

    /// Goes on until about so many units are spent; returns how many are.
    mutating func advance(spending units: Int) -> Int {
        var spent = 0
        while spent < units, !isComplete { spent += step() }
        return spent
    }

    /// Hashes a part of a long string, ends a range, or goes on to the next location; returns the units.
    private mutating func step() -> Int {
        if text.hasRest { return text.appendRest() }
        if let (path, value) = leaf {
            if index < hash.posts.count, hash.posts[index] < path { return endRange() }
            leaf = nil
            return HashUnits.leaf + text.append(value, at: path)
        }
        if walk.next() {
            if walk.isAtObject { walk.enter() } else { leaf = (walk.path, walk.value) }
            return 1
        }
        if index < hash.hashes.count { return endRange() }
        isComplete = true
        return 0
    }

    private mutating func endRange() -> Int {
        if text.finish() != hash.hashes[index] {
            differing.append(
                LeafRange(
                    after: index > 0 ? hash.posts[index - 1] : nil,
                    through: index < hash.posts.count ? hash.posts[index] : nil))
        }
        index += 1
        return 1
    }
}

/// The comparison of a value with the hashes of ranges, and the parts that replace those which differ, in steps.
///
///     var comparison = RangeComparison(of: value, with: hash, partLimit: 8_192)
///     while comparison.outcome == nil { _ = comparison.advance(spending: 1_000) }
public struct RangeComparison: Sendable {
    /// What a client with the hashes needs to have the value.
    public enum Outcome: Sendable {
        /// Everything: all ranges differ, or their parts are more than the limit.
        case whole
        /// The parts of each range that differs.
        case ranges([(range: LeafRange, parts: [(path: Path, value: Value)])])
    }

    private let value: Value
    private let rangeCount: Int
    private let partLimit: Int
    private var hashing: RangeHashing
    private var collection: RangeParts?
    /// Nil until the comparison is complete.
    public private(set) var outcome: Outcome?

    /// Begins to compare.
    public init(of value: Value, with hash: CompoundHash, partLimit: Int) {
        self.value = value
        self.partLimit = partLimit
        rangeCount = hash.hashes.count
        hashing = RangeHashing(of: value, comparedWith: hash)
    }

    /// Goes on until about so many units are spent, or until the outcome is there; returns how many are spent.
    ///
    /// - Complexity: O(ranges + locations) for all calls together.
    public mutating func advance(spending units: Int) -> Int {
        if outcome != nil { return 0 }
        if !hashing.isComplete {
            let spent = hashing.advance(spending: units)
            if hashing.isComplete { beginCollection() }
            return spent
        }
        let spent = collection!.advance(spending: units)
        if collection!.count > partLimit {
            outcome = .whole
        } else if collection!.isComplete {
            outcome = .ranges(Array(zip(hashing.differing, collection!.parts)).map { ($0, $1) })
        }
        return spent
    }

    private mutating func beginCollection() {
        // All ranges may differ when the client's hash encodes every number in another way.
        if hashing.differing.count == rangeCount {
            outcome = .whole
        } else {
            collection = RangeParts(of: value, in: hashing.differing)
        }
    }
}

/// The units of hashing: a unit takes about a microsecond.
enum HashUnits {
    /// A leaf in a range.
    static let leaf = 2
    /// So many bytes of a text.
    static let bytes = 256
    /// A longer text is hashed in steps of so many bytes.
    static let textBytes = 16 << 10
}

/// A long text that is hashed step by step.
struct TextRest: Sendable {
    private var text: String
    private var offset = 0

    init(_ text: String) {
        self.text = text
        self.text.makeContiguousUTF8()
    }

    static func isLong(_ text: String) -> Bool { text.utf8.count > HashUnits.textBytes }

    var isEmpty: Bool { offset == text.utf8.count }

    /// Calls `body` with the next bytes; returns the units.
    mutating func removeFirst(_ body: (UnsafeBufferPointer<UInt8>) -> Void) -> Int {
        let end = min(offset + HashUnits.textBytes, text.utf8.count)
        text.withUTF8 { body(UnsafeBufferPointer(rebasing: $0[offset..<end])) }
        defer { offset = end }
        return max(1, (end - offset) / HashUnits.bytes)
    }
}

/// The text of one range, `("a":("b":(string:"x"),"c":(boolean:true)))`, hashed as it is written.
private struct RangeText {
    private(set) var length = 0
    private(set) var lastLeaf: Path?
    private var digest = SHA1()
    /// What is missing of a long string.
    private var rest: TextRest?

    /// Whether a long string is not hashed to its end; nothing else may be appended then.
    var hasRest: Bool { rest != nil }

    /// Appends a part of the long string; returns the units.
    mutating func appendRest() -> Int {
        guard var rest = rest.take() else { return 0 }
        let units = rest.removeFirst { append(quoted: $0) }
        if rest.isEmpty { append("\"") } else { self.rest = rest }
        return units
    }

    /// Appends a leaf that comes after the last one, or its beginning if it is a long string; returns the units of its text.
    mutating func append(_ leaf: Value, at path: Path) -> Int {
        let before = length
        var open = 0
        if let lastLeaf {
            open = zip(lastLeaf.keys, path.keys).prefix { $0 == $1 }.count
            for _ in open..<lastLeaf.count { append(")") }
            append(",")
        } else {
            append("(")
        }
        for key in path.keys[open...] {
            append(quoting: key.text)
            append(":(")
        }
        append(primitive: leaf)
        lastLeaf = path
        return (length - before) / HashUnits.bytes
    }

    /// The hash of the range, which is empty without leaves; another range begins.
    mutating func finish() -> String {
        precondition(rest == nil, "a range ends within a string")
        defer { self = RangeText() }
        guard let lastLeaf else { return "" }
        for _ in lastLeaf.keys { append(")") }
        append(")")
        return digest.base64()
    }

    private mutating func append(_ text: String) {
        digest.update(text)
        length += text.utf16.count
    }

    private mutating func append(quoting text: String) {
        append("\"")
        guard !TextRest.isLong(text) else {
            rest = TextRest(text)
            return
        }
        var text = text
        text.withUTF8 { append(quoted: $0) }
        append("\"")
    }

    /// Appends bytes of a string, some behind a backslash.
    private mutating func append(quoted bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append("\\")
            }
            digest.update(byte)
            // A character of four bytes is two code units, and of others the first byte counts.
            if byte & 0xC0 != 0x80 { length += byte >= 0xF0 ? 2 : 1 }
        }
    }

    private mutating func append(primitive value: Value) {
        if !value.priority.isNull {
            append("priority:")
            append(primitive: value.priority)
            // Nothing can wait behind a priority, long as it may be.
            while hasRest { _ = appendRest() }
            append(":")
        }
        switch value.content {
        case .boolean(let flag): append(flag ? "boolean:true" : "boolean:false")
        case .integer(let number): append(NumberForm.exact.spell(number))
        case .double(let number): append("number:" + NumberForm.exact.spell(number))
        case .string(let text):
            append("string:")
            append(quoting: text)
        case .deferred: append("deferred:")
        case .null, .object, .prioritized:
            preconditionFailure("hash of \(value), which is no primitive")
        }
    }
}

extension Value {
    /// Roughly the length of the value as JSON, as the native clients estimate it (rule C5).
    public var estimatedSize: Int {
        switch self {
        case .null, .boolean: 4
        case .integer, .double: 8
        case .string(let text): 2 + text.utf16.count
        case .object(let children):
            children.reduce(1) { $0 + $1.key.text.utf16.count + 4 + $1.value.estimatedSize }
        case .prioritized(let value):
            value.content.estimatedSize + value.priority.estimatedSize
                + (value.content.isPrimitive ? 24 : 12)
        case .deferred: 0
        }
    }
}
