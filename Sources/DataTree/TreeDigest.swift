/// A digest of a tree: the sum of the hashes of its leaves, 128 bits in two words.
///
/// A leaf is a primitive at its path, or a priority at the reserved child of its location. Because the digest is a sum, a
/// change adjusts it at a cost proportional to the change, and the parts of a tree can be added in any order. Equal trees
/// have equal digests at all nodes and in all versions. Different trees have different ones, except by a chance of about
/// 2^-128: the hash finds faults, and does not resist a forger.
public struct TreeDigest: Hashable, Sendable {
    /// The first word.
    public private(set) var first: UInt64 = 0
    /// The second word.
    public private(set) var second: UInt64 = 0

    /// The digest of an empty tree.
    public init() {}

    /// A digest of which the words are known.
    public init(_ first: UInt64, _ second: UInt64) { (self.first, self.second) = (first, second) }

    /// The digest of a tree.
    ///
    /// - Complexity: O(locations).
    public init(of tree: Value) { insert(tree, at: .root) }

    /// Adds the leaves of a value at a path.
    package mutating func insert(_ value: Value, at path: Path) {
        value.addLeaves(at: LocationHash(of: path), to: &self)
    }

    /// Removes the leaves of a value at a path.
    package mutating func remove(_ value: Value, at path: Path) {
        var removed = TreeDigest()
        removed.insert(value, at: path)
        self -= removed
    }

    /// Adds the leaves of another part of the tree.
    package static func += (a: inout TreeDigest, b: TreeDigest) {
        a.first &+= b.first
        a.second &+= b.second
    }

    /// Removes the leaves of a part of the tree.
    package static func -= (a: inout TreeDigest, b: TreeDigest) {
        a.first &-= b.first
        a.second &-= b.second
    }
}

// MARK: - Hashes

/// A hash of a path, from which those of its children derive.
struct LocationHash {
    private var first: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var second: UInt64 = 0xD6E8_FEB8_6659_FD93

    /// The hash of a path.
    init(of path: Path) {
        for key in path.keys { self = child(key) }
    }

    /// The hash of a child of the location.
    func child(_ key: Key) -> LocationHash {
        var hash = self
        // The inline words end with the length of the key, or with a mark of a longer one.
        hash.mix(key.word0)
        hash.mix(key.word1)
        hash.mix(key.word2)
        hash.mix(key.word3)
        if let overflow = key.overflow {
            overflow.utf8.withUnsafeBytes { hash.mix($0) }
        }
        return hash
    }

    /// The hash of a primitive at the location.
    func leaf(_ primitive: Value) -> TreeDigest {
        var hash = self
        switch primitive {
        case .boolean(let flag): hash.mix(kind: 1, flag ? 1 : 0)
        case .integer(let number): hash.mix(kind: 2, UInt64(bitPattern: number))
        case .double(let number): hash.mix(kind: 3, number.bitPattern)
        case .string(var text):
            hash.mix(kind: 4, 0)
            text.withUTF8 { hash.mix(UnsafeRawBufferPointer($0)) }
        // No tree shows one.
        case .deferred: hash.mix(kind: 5, 0)
        case .null, .object, .prioritized: return TreeDigest()
        }
        // Once more, so that the last word affects all bits.
        hash.mix(0)
        return TreeDigest(hash.first, hash.second)
    }

    private mutating func mix(kind: UInt64, _ word: UInt64) {
        mix(kind)
        mix(word)
    }

    private mutating func mix(_ bytes: UnsafeRawBufferPointer) {
        mix(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        guard index < bytes.count else { return }
        var rest: UInt64 = 0
        for position in (index..<bytes.count).reversed() {
            rest = rest << 8 | UInt64(bytes[position])
        }
        mix(rest)
    }

    @inline(__always)
    private mutating func mix(_ word: UInt64) {
        first = LocationHash.product(first ^ word, 0xA076_1D64_78BD_642F) &+ 0xE703_7ED1_A0B4_28DB
        second = LocationHash.product(second ^ word, 0x8EBC_6AF0_9C88_C6E3) &+ first
    }

    /// Both halves of the full product of two words, in one word.
    @inline(__always)
    private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

extension Value {
    fileprivate func addLeaves(at location: LocationHash, to digest: inout TreeDigest) {
        switch self {
        case .null: return
        case .object(let children):
            for (key, child) in children { child.addLeaves(at: location.child(key), to: &digest) }
        case .prioritized(let value):
            value.content.addLeaves(at: location, to: &digest)
            digest += location.child(.priority).leaf(value.priority)
        case .boolean, .integer, .double, .string, .deferred: digest += location.leaf(self)
        }
    }
}

// MARK: - In slices

/// A digest of a large value that is computed in slices.
package struct DigestCount: Sendable {
    /// The value, which the count keeps in memory until its end.
    package let value: Value
    /// The digest of the leaves so far.
    package private(set) var digest = TreeDigest()
    /// The children that are being visited, from the outermost object down, with the hashes of their parents.
    private var levels: [(children: Children.Iterator, location: LocationHash)] = []

    /// Begins a count of the leaves of a value at a path.
    package init(of value: Value, at path: Path) {
        self.value = value
        begin(value, at: LocationHash(of: path))
    }

    /// Whether all leaves are counted.
    package var isDone: Bool { levels.isEmpty }

    /// Counts further locations, at most about this many.
    package mutating func advance(by locations: inout Int) {
        while locations > 0, !levels.isEmpty {
            guard let (key, child) = levels[levels.count - 1].children.next() else {
                levels.removeLast()
                continue
            }
            locations -= 1
            begin(child, at: levels[levels.count - 1].location.child(key))
        }
    }

    /// Counts a value, but of an object of many children only the priority.
    private mutating func begin(_ value: Value, at location: LocationHash) {
        guard case .object(let children) = value.content, !children.isPacked else {
            return value.addLeaves(at: location, to: &digest)
        }
        digest += location.child(.priority).leaf(value.priority)
        levels.append((children.makeIterator(), location))
    }
}
