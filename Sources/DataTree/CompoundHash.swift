/// The hashes of consecutive ranges of an object, with which a native client resumes a large listen:
/// only the ranges that differ are sent again.
///
/// Range `i` ends with the leaf at `posts[i]`; the last hash, always empty, stands for what follows.
/// Source: `firebase-semantics.md`, section 9.1.
public struct CompoundHash: Equatable, Sendable {
    /// Where each range ends, relative to the value; the last key may be `.priority`.
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

    /// Hashes a value in ranges that end where the caller decides, as when a peer sent its posts.
    ///
    /// - Parameter endsRange: Asked after each leaf, with its path and the length of the range's
    ///   text so far in UTF-16 code units.
    public init(of value: Value, endingRanges endsRange: (Path, Int) -> Bool) {
        var writer = CompoundHashWriter()
        if !value.isNull { writer.write(value, endsRange) }
        writer.finish()
        posts = writer.posts
        hashes = writer.hashes
    }
}

/// Spells the ranges: `("a":("b":(string:"x"),"c":(boolean:true)))`.
private struct CompoundHashWriter {
    private(set) var posts: [Path] = []
    private(set) var hashes: [String] = []
    private var place = Path.root
    private var lastLeaf = Path.root
    private var range: RangeText?
    private var isAfterSibling = false

    mutating func write(_ value: Value, _ endsRange: (Path, Int) -> Bool) {
        guard case .object(let children) = value.content else {
            return write(primitive: value, endsRange)
        }
        // The priority stands among the children, in key order.
        var priority = value.priority
        for (key, child) in children {
            if !priority.isNull, .priority < key {
                write(priority.take(), at: .priority, endsRange)
            }
            write(child, at: key, endsRange)
        }
        if !priority.isNull { write(priority, at: .priority, endsRange) }
    }

    private mutating func write(
        _ value: Value, at key: Key, _ endsRange: (Path, Int) -> Bool
    ) {
        openRange()
        if isAfterSibling { range!.append(",") }
        range!.open(key)
        isAfterSibling = false
        place.keys.append(key)
        write(value, endsRange)
        place.keys.removeLast()
        range?.append(")")
        isAfterSibling = true
    }

    private mutating func write(primitive: Value, _ endsRange: (Path, Int) -> Bool) {
        openRange()
        range!.append(primitive: primitive)
        lastLeaf = place
        isAfterSibling = true
        if endsRange(place, range!.length) { closeRange() }
    }

    /// Starts a range, with the keys of the objects that it begins inside of.
    private mutating func openRange() {
        guard range == nil else { return }
        range = RangeText()
        for key in place.keys { range!.open(key) }
        isAfterSibling = false
    }

    private mutating func closeRange() {
        guard var ended = range.take() else { return }
        for _ in place.keys { ended.append(")") }
        posts.append(lastLeaf)
        hashes.append(ended.hash())
    }

    mutating func finish() {
        closeRange()
        hashes.append("")
    }
}

/// The text of one range, hashed as it is written.
private struct RangeText {
    private(set) var length = 0
    private var digest = SHA1()

    init() { append("(") }

    mutating func append(_ text: String) {
        digest.update(text)
        length += text.utf16.count
    }

    mutating func open(_ key: Key) {
        append(quoting: key.text)
        append(":(")
    }

    mutating func append(quoting text: String) {
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

    mutating func append(primitive value: Value) {
        if !value.priority.isNull {
            append("priority:")
            append(primitive: value.priority)
            append(":")
        }
        switch value.content {
        case .boolean(let flag): append(flag ? "boolean:true" : "boolean:false")
        case .integer(let number): append("number:" + NumberForm.exact.spell(Double(number)))
        case .double(let number): append("number:" + NumberForm.exact.spell(number))
        case .string(let text):
            append("string:")
            append(quoting: text)
        case .null, .object, .prioritized, .deferred:
            preconditionFailure("hash of \(value), which is not stored data")
        }
    }

    consuming func hash() -> String {
        append(")")
        return digest.base64()
    }
}

extension Value {
    /// Roughly the length of the value as JSON, as the native clients estimate it (rule C5).
    var estimatedSize: Int {
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
