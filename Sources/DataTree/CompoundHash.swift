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
            range.append(leaf, at: path)
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
        var ranges: [LeafRange] = []
        var text = RangeText()
        var index = 0
        func endRange() {
            if text.finish() != hashes[index] {
                ranges.append(
                    LeafRange(
                        after: index > 0 ? posts[index - 1] : nil,
                        through: index < posts.count ? posts[index] : nil))
            }
            index += 1
        }
        value.forEachLeaf { path, leaf in
            while index < posts.count, posts[index] < path { endRange() }
            text.append(leaf, at: path)
        }
        while index < hashes.count { endRange() }
        return ranges
    }
}

/// The text of one range, `("a":("b":(string:"x"),"c":(boolean:true)))`, hashed as it is written.
private struct RangeText {
    private(set) var length = 0
    private(set) var lastLeaf: Path?
    private var digest = SHA1()

    /// Appends a leaf that comes after the last one.
    mutating func append(_ leaf: Value, at path: Path) {
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
    }

    /// The hash of the range, which is empty without leaves; another range begins.
    mutating func finish() -> String {
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
        for character in text.utf8 {
            if character == UInt8(ascii: "\"") || character == UInt8(ascii: "\\") {
                append("\\")
            }
            digest.update(character)
        }
        length += text.utf16.count
        append("\"")
    }

    private mutating func append(primitive value: Value) {
        if !value.priority.isNull {
            append("priority:")
            append(primitive: value.priority)
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
