import DataTree
import SyncProtocol

/// The on-disconnect writes of one session: a sparse tree of puts, in which a later put replaces
/// what it covers.
///
/// Source: `firebase-semantics.md`, rule D2.
struct DisconnectWrites: Sendable {
    private struct Place: Sendable {
        var value: Value?
        var below = SortedMap<Place>()

        var isEmpty: Bool { value == nil && below.isEmpty }
    }

    private var root = Place()
    /// A lower bound of the puts' memory, in bytes.
    private(set) var byteCount = 0

    var isEmpty: Bool { root.isEmpty }

    /// The puts to be done, none at or below another.
    var writes: [Write] {
        var writes: [Write] = []
        DisconnectWrites.append(root, at: .root, to: &writes)
        return writes
    }

    mutating func put(_ write: Write) {
        DisconnectWrites.put(write.value, at: write.path.keys[...], in: &root)
        byteCount += write.byteCount
    }

    /// Cancels the puts at and below a path. A put above it is split, so that the rest of it
    /// remains.
    mutating func cancel(at path: Path) {
        DisconnectWrites.cancel(at: path.keys[...], in: &root)
        recount()
    }

    /// Recounts the bytes, without those of replaced puts.
    mutating func recount() {
        byteCount = writes.reduce(0) { $0 + $1.byteCount }
    }

    private static func put(_ value: Value, at keys: ArraySlice<Key>, in place: inout Place) {
        guard let key = keys.first else {
            place = Place(value: value)
            return
        }
        if place.value != nil {
            place.value?.set(value, at: Path(Array(keys)))
        } else {
            place.below.mutate(key) { slot in
                var next = slot.take() ?? Place()
                put(value, at: keys.dropFirst(), in: &next)
                slot = next
            }
        }
    }

    private static func cancel(at keys: ArraySlice<Key>, in place: inout Place) {
        guard let key = keys.first else {
            place = Place()
            return
        }
        if let value = place.value {
            if value.isPrimitive { return }
            place.value = nil
            for (key, child) in value.children { place.below[key] = Place(value: child) }
            if !value.priority.isNull { place.below[.priority] = Place(value: value.priority) }
        }
        place.below.mutate(key) { slot in
            guard var next = slot.take() else { return }
            cancel(at: keys.dropFirst(), in: &next)
            slot = next.isEmpty ? nil : next
        }
    }

    private static func append(_ place: Place, at path: Path, to writes: inout [Write]) {
        if let value = place.value { writes.append(Write(path: path, value: value)) }
        for (key, next) in place.below { append(next, at: path.appending(key), to: &writes) }
    }
}

extension Write {
    /// Approximately the memory of the write while it waits.
    fileprivate var byteCount: Int { 64 + path.utf8Count + value.estimatedSize }
}
