/// A few primitives under short keys, stored as their MessagePack bytes. The children of a record
/// of three fields need a third of the memory of a `SortedMap`, and are written by a copy.
///
/// The bytes are a map of at most fifteen children in key order, each in its smallest form, so that equal
/// children are equal bytes. Nothing in it has a priority or is a placeholder, and no number is infinite. It never changes.
@usableFromInline
package final class PackedChildren: ManagedBuffer<UInt16, UInt8> {
    /// The greatest map whose head is one byte.
    static let countLimit = 15
    /// A lookup reads all bytes before what it finds.
    static let byteLimit = 1_024
    /// The longest key that `Key` holds inline, which is also the longest string whose head is one byte.
    static let keyLimit = 31

    /// Copies the bytes of so many children, which are such a map without its head.
    static func make(_ count: Int, copying children: UnsafeRawBufferPointer) -> PackedChildren {
        let byteCount = 1 + children.count
        precondition(
            1...countLimit ~= count && byteCount <= byteLimit,
            "\(count) children of \(children.count) bytes cannot be packed")
        let packed = PackedChildren.create(minimumCapacity: byteCount) { _ in
            UInt16(byteCount)
        }
        packed.withUnsafeMutablePointerToElements { elements in
            elements.initialize(to: 0x80 | UInt8(count))
            UnsafeMutableRawPointer(elements + 1)
                .copyMemory(from: children.baseAddress!, byteCount: children.count)
        }
        return unsafeDowncast(packed, to: PackedChildren.self)
    }

    /// How many children there are; never zero.
    var count: Int { withUnsafeMutablePointerToElements { Int($0[0] & 0x0F) } }

    /// Calls `body` with the map's bytes, which live no longer than the call.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeMutablePointers { header, elements in
            body(UnsafeRawBufferPointer(start: elements, count: Int(header.pointee)))
        }
    }

    /// The child at a key, or nil.
    func child(at key: Key) -> Value? { read(at: key) { $0.takeValue() } }

    /// Whether there is a child at a key.
    func contains(_ key: Key) -> Bool { read(at: key) { _ in true } ?? false }

    /// Returns the outline of the child at a key.
    func outline(of key: Key) -> ValueOutline { read(at: key) { $0.takeOutline() } ?? .null }

    /// Whether there is a child at each of these keys, which ascend as those of the children do.
    func containsAll(_ keys: [Key]) -> Bool {
        keys.withUnsafeBufferPointer { keys in
            withBytes { bytes in
                var reader = PackedReader(bytes, at: PackedChildren.start)
                var found = 0
                while found < keys.count, !reader.isAtEnd {
                    if reader.takeKey(equalTo: keys[found]) { found += 1 }
                    reader.skipValue()
                }
                return found == keys.count
            }
        }
    }

    /// Calls `body` with a reader that stands before the value of a child; nil without that child.
    @inline(__always)
    private func read<R>(at key: Key, _ body: (inout PackedReader) -> R) -> R? {
        withBytes { bytes in
            var reader = PackedReader(bytes, at: PackedChildren.start)
            while !reader.isAtEnd {
                if reader.takeKey(equalTo: key) { return body(&reader) }
                reader.skipValue()
            }
            return nil
        }
    }

    /// The child whose bytes begin at `offset`, and where the next one begins; nil at the end.
    func child(from offset: Int) -> (key: Key, value: Value, next: Int)? {
        withBytes { bytes in
            var reader = PackedReader(bytes, at: offset)
            if reader.isAtEnd { return nil }
            let key = reader.takeKey()
            return (key, reader.takeValue(), reader.position)
        }
    }

    /// The offset of the first child.
    static var start: Int { 1 }

    /// The same children as a map, which can change.
    @usableFromInline
    var map: SortedMap<Value> {
        var map = SortedMap<Value>(minimumCapacity: count)
        var position = PackedChildren.start
        while let child = child(from: position) {
            map.updateValue(child.value, forKey: child.key)
            position = child.next
        }
        return map
    }

    /// Whether both have the same children.
    func isEqual(to other: PackedChildren) -> Bool {
        if self === other { return true }
        return withBytes { mine in other.withBytes { mine.elementsEqual($0) } }
    }
}

// MARK: - Borrowing

extension PackedChildren {
    /// The bytes of packed children that something else keeps: no reference is counted, which would wait for
    /// the memory of each of many.
    package struct Borrowed {
        private let unmanaged: Unmanaged<PackedChildren>
        private let header: UnsafePointer<UInt16>
        private let elements: UnsafePointer<UInt8>

        /// Reads nothing of the children yet; they must outlive this.
        package init(_ unmanaged: Unmanaged<PackedChildren>) {
            self.unmanaged = unmanaged
            (header, elements) = unmanaged._withUnsafeGuaranteedRef {
                $0.withUnsafeMutablePointers { (UnsafePointer($0), UnsafePointer($1)) }
            }
        }

        /// The size of the map.
        package var byteCount: Int { Int(header.pointee) }

        /// The map.
        package var bytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: elements, count: byteCount)
        }

        /// The children as a value.
        package var value: Value { .object(Children(unmanaged.takeUnretainedValue())) }
    }
}

// MARK: - Packing

extension PackedChildren {
    /// Packs a map; nil unless it holds a few primitives alone, without priorities and placeholders.
    static func make(packing map: SortedMap<Value>) -> PackedChildren? {
        guard 1...countLimit ~= map.count, canPack(map) else { return nil }
        var writer = MessagePackWriter()
        map.visit { key, child in
            writer.append(key)
            writer.append(child)
        }
        if writer.bytes.count >= byteLimit { return nil }
        return writer.bytes.withUnsafeBytes { make(map.count, copying: $0) }
    }

    private static func canPack(_ map: SortedMap<Value>) -> Bool {
        var room = byteLimit
        for (key, child) in map {
            guard key.utf8Count <= keyLimit else { return false }
            switch child {
            case .boolean, .integer: break
            case .double(let number): guard number.isFinite else { return false }
            case .string(let text): room -= text.utf8.count
            case .null, .object, .prioritized, .deferred: return false
            }
            if room < 0 { return false }
        }
        return true
    }
}
