/// A location in the tree: the keys that lead from the root to it.
public struct Path: Hashable, Sendable {
    /// The keys from the root down.
    public var keys: [Key]

    /// The path of the whole tree.
    public static let root = Path([])

    /// The path of these keys.
    public init(_ keys: [Key]) { self.keys = keys }

    /// Parses `a/b/c`: empty segments are dropped, so `/a//b/` is `a/b`.
    ///
    /// The last segment may be `.priority`, the reserved child that holds a priority.
    ///
    /// - Throws: `DataError` for an invalid key, more than 32 keys, or more than 768 bytes.
    public init(_ text: String) throws(DataError) {
        var text = text
        let result: Result<Path, DataError> = text.withUTF8 { bytes in
            do throws(DataError) {
                return .success(try Path(validating: bytes))
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    /// Parses the UTF-8 bytes of a path, with the rules of `init(_:)`.
    public init(validating utf8: UnsafeBufferPointer<UInt8>) throws(DataError) {
        var keys: [Key] = []
        // One allocation for what most paths have, and none for more than is allowed.
        let slashes = utf8.prefix(Limits.pathBytes).count { $0 == UInt8(ascii: "/") }
        keys.reserveCapacity(min(slashes + 1, Limits.depth + 1))
        var start = 0
        for end in 0...utf8.count where end == utf8.count || utf8[end] == UInt8(ascii: "/") {
            defer { start = end + 1 }
            guard end > start else { continue }
            if keys.last == .priority { throw Path.error("nothing lies below .priority", in: utf8) }
            let segment = UnsafeBufferPointer(rebasing: utf8[start..<end])
            if segment.first == UInt8(ascii: "."), segment.elementsEqual(".priority".utf8) {
                keys.append(.priority)
            } else {
                keys.append(try Key(validating: segment))
            }
        }
        self.keys = keys
        if let failure = limitExceeded { throw Path.error(failure, in: utf8) }
    }

    /// How many keys it has.
    public var count: Int { keys.count }
    /// Whether it is the path of the whole tree.
    public var isRoot: Bool { keys.isEmpty }
    /// The key of the place itself; nil for the root.
    public var last: Key? { keys.last }
    /// Whether it is the path of a priority.
    package var isOfPriority: Bool { keys.last == .priority }
    /// The place above; nil for the root.
    public var parent: Path? { isRoot ? nil : Path(Array(keys.dropLast())) }

    /// Length of the joined path in UTF-8 bytes, separators included.
    public var utf8Count: Int {
        keys.reduce(max(0, keys.count - 1)) { $0 + $1.utf8Count }
    }

    /// The path of a child.
    public func appending(_ key: Key) -> Path { Path(keys + CollectionOfOne(key)) }
    /// The path of a place below.
    public func appending(_ path: Path) -> Path { Path(keys + path.keys) }

    /// Whether this location is the other one or lies above it.
    public func contains(_ other: Path) -> Bool {
        keys.count <= other.keys.count && other.keys.starts(with: keys)
    }

    /// Whether this location is the other one, or one of them lies below the other.
    public func overlaps(_ other: Path) -> Bool { contains(other) || other.contains(self) }

    /// Returns the path from `ancestor`, which contains this path, to this path.
    public func relative(to ancestor: Path) -> Path {
        precondition(ancestor.contains(self), "\(ancestor) does not contain \(self)")
        return Path(Array(keys.dropFirst(ancestor.count)))
    }

    /// Says which limit of the data model the path breaks, or nil.
    public var limitExceeded: String? {
        // The reserved child is a part of its location, not a level below it.
        let depth = last == .priority ? count - 1 : count
        if depth > Limits.depth {
            return "it is \(depth) keys deep, and \(Limits.depth) are allowed"
        }
        let bytes = utf8Count
        if bytes > Limits.pathBytes {
            return "it has \(bytes) bytes, and \(Limits.pathBytes) are allowed"
        }
        return nil
    }

    private static func error(_ failure: String, in utf8: UnsafeBufferPointer<UInt8>) -> DataError {
        DataError(
            problem:
                "invalid path \"\(String(decoding: utf8.prefix(80), as: UTF8.self))\": \(failure)",
            fix: "give keys separated by /, for example /rooms/lobby/messages")
    }
}

extension Path: Comparable {
    /// Key order segment by segment; a location comes before what lies below it.
    public static func < (a: Path, b: Path) -> Bool {
        a.keys.lexicographicallyPrecedes(b.keys)
    }
}

extension Path: CustomStringConvertible {
    /// The keys behind slashes: `/a/b`.
    public var description: String { "/" + keys.map(\.text).joined(separator: "/") }
}
