package import Convergence
package import DataTree
public import SyncProtocol

/// Builds the tree of a checkpoint from its rows, in whatever order they come.
public struct CheckpointReader {
    private let head: CheckpointHead
    private var value = Value.null
    private var registers = Registers()
    private var directory = RowDirectory()
    /// Set once all rows are read: a location without a value has no priority.
    private var owned: [(location: Path, own: OwnPart)] = []
    private var rowCount = 0
    private var fingerprint: UInt64 = 0

    /// A reader of the rows that this head describes.
    public init(_ head: CheckpointHead) { self.head = head }

    /// Adds a row.
    public mutating func add(_ row: consuming DecodedRow) {
        var row = row
        rowCount += 1
        fingerprint &+= UInt64(row.checksum)
        directory.insert(
            .init(
                id: row.id, first: row.own == nil ? row.firstKey : nil, checksum: row.checksum,
                byteCount: row.byteCount),
            at: row.location.keys[...])
        if let own = row.own { owned.append((row.location, own)) }
        var children = Children()
        swap(&children, &row.children)
        value.change(at: row.location.keys[...]) { $0.add(children) }
        guard !row.registers.isEmpty else { return }
        registers.change(at: row.location.keys[...]) { $0.children.merge(row.registers) }
    }

    /// Returns the checkpoint, once all rows were added.
    ///
    /// - Throws: `FrameError` if rows are missing or superfluous.
    public consuming func finish() throws(FrameError) -> RestoredCheckpoint {
        guard rowCount == head.rowCount, fingerprint == head.fingerprint else {
            throw .ofCheckpoint(
                "it should have \(head.rowCount) rows, and \(rowCount) were found", at: 0)
        }
        guard directory.isComplete else {
            throw .ofCheckpoint("a location has no first row", at: 0)
        }
        for (location, own) in owned where !own.primitive.isNull {
            value.set(own.primitive, at: location)
        }
        for (location, own) in owned {
            if !own.priority.isNull { value.set(own.priority, at: location.appending(.priority)) }
            guard !own.registers.isEmpty else { continue }
            registers.change(at: location.keys[...]) { registers in
                var changed = own.registers
                let hidden = changed.children[.priority]
                changed.children = registers.children
                if let hidden { changed.children[.priority] = hidden }
                registers = changed
            }
        }
        return RestoredCheckpoint(
            head: head, value: value, registers: registers, directory: directory)
    }
}

/// A checkpoint read from rows: a replica starts from it, and so does the writer of the next
/// checkpoint.
public struct RestoredCheckpoint: Sendable {
    /// The checkpoint's description of itself.
    public let head: CheckpointHead
    package let value: Value
    package let registers: Registers
    let directory: RowDirectory
}

extension Value {
    /// Changes an object at a path, which is made if it is not there.
    fileprivate mutating func change(
        at keys: ArraySlice<Key>, _ body: (inout Value) -> Void
    ) {
        guard let key = keys.first else { return body(&self) }
        withChild(key) { $0.change(at: keys.dropFirst(), body) }
    }

    /// Adds children to an object.
    fileprivate mutating func add(_ added: Children) {
        guard !added.isEmpty else { return }
        if children.isEmpty {
            self = Value(added)
        } else {
            mutateChildren { $0.merge(added) }
        }
    }
}

extension Registers {
    fileprivate mutating func change(
        at keys: ArraySlice<Key>, _ body: (inout Registers) -> Void
    ) {
        guard let key = keys.first else { return body(&self) }
        withChild(key) { $0.change(at: keys.dropFirst(), body) }
    }
}
