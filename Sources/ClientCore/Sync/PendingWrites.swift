import DataTree

/// Names one write of the application that a server has not answered yet: 0, 1, 2, … in order.
public struct WriteID: Hashable, Comparable, Sendable {
    package let number: UInt64

    package init(number: UInt64) { self.number = number }

    /// Whether the first comes before the second.
    public static func < (a: WriteID, b: WriteID) -> Bool { a.number < b.number }
}

/// Whether listeners see a write before a server has taken it.
public enum WriteVisibility: Sendable { case shown, hidden }

/// One write that a server has not answered yet.
struct PendingWrite: Sendable {
    let path: Path
    let change: SyncChange
    let visibility: WriteVisibility
    /// Whether it held placeholders, which the server may resolve differently.
    let isGuess: Bool
}

/// The writes that a server has not answered yet.
///
/// - Complexity: adding or removing a write costs O(log n) for each place that it writes.
struct PendingWrites: Sendable {
    private var writes: [WriteID: PendingWrite] = [:]
    private var root = PendingNode()
    private var nextNumber: UInt64 = 0

    /// The shown writes, by location.
    var overlay: PendingOverlay { PendingOverlay(root, .shown) }

    /// The shown and the hidden writes before a certain one, by location.
    func overlay(before id: WriteID?) -> PendingOverlay { PendingOverlay(root, .all(before: id)) }

    mutating func append(
        _ change: SyncChange, at path: Path, _ visibility: WriteVisibility, isGuess: Bool
    ) -> WriteID {
        let id = WriteID(number: nextNumber)
        nextNumber += 1
        writes[id] = PendingWrite(
            path: path, change: change, visibility: visibility, isGuess: isGuess)
        for (place, value) in change.values {
            let entry = PendingNode.Entry(id: id, value: value, visibility: visibility)
            root.append(entry, at: path.appending(place).keys[...])
        }
        return id
    }

    /// Forgets a write and returns it.
    mutating func remove(_ id: WriteID) -> PendingWrite? {
        guard let write = writes.removeValue(forKey: id) else { return nil }
        for (place, _) in write.change.values {
            root.remove(id, at: write.path.appending(place).keys[...])
        }
        return write
    }
}

/// The writes of one location, and those of the locations below.
struct PendingNode: Sendable {
    /// One write of all that is here.
    struct Entry: Sendable {
        let id: WriteID
        let value: Value
        let visibility: WriteVisibility
    }

    /// In the order in which they were made.
    private(set) var entries: [Entry] = []
    private(set) var children = SortedMap<PendingNode>()

    private var isEmpty: Bool { entries.isEmpty && children.isEmpty }

    mutating func append(_ entry: Entry, at keys: ArraySlice<Key>) {
        guard let key = keys.first else { return entries.append(entry) }
        children.mutate(key) { child in
            var node = child.take() ?? PendingNode()
            node.append(entry, at: keys.dropFirst())
            child = node
        }
    }

    /// Removes a write; nodes that end up empty are dropped.
    mutating func remove(_ id: WriteID, at keys: ArraySlice<Key>) {
        guard let key = keys.first else { return entries.removeAll { $0.id == id } }
        children.mutate(key) { child in
            guard var node = child.take() else { return }
            node.remove(id, at: keys.dropFirst())
            child = node.isEmpty ? nil : node
        }
    }
}
