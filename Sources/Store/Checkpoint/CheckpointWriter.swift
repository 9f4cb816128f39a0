import Convergence
import DataTree
import Marks
public import SyncProtocol

/// Turns checkpoints into rows, and writes anew only those in whose range the tree has changed.
///
/// It compares two states of the tree, which share what did not change, so that the cost of the
/// comparison depends on what changed. The rows come in slices:
///
///     writer.begin(checkpoint)
///     while case let rows = writer.nextRows(), !rows.isEmpty { … insert them … }
///     let end = writer.finish()    // … remove rows and store the head, in one transaction
public struct CheckpointWriter: Sendable {
    /// How large things may be, in bytes.
    public struct Limits: Sendable {
        /// The size of a row, unless a single primitive is larger.
        public var row: Int
        /// The size of the rows of one slice.
        public var slice: Int

        /// Limits of 64 KiB for a row and 1 MiB for a slice, unless told otherwise.
        public init(row: Int = 64 << 10, slice: Int = 1 << 20) {
            self.row = row
            self.slice = slice
        }
    }

    /// A range of children of a location whose rows must be written.
    private struct Stretch: Sendable {
        var location: Path
        /// Nil for the beginning, which includes what the location itself has.
        var from: Key?
        /// Nil for the end.
        var end: Key?
    }

    private let limits: Limits
    /// The tree as the valid rows hold it.
    private var value = Value.null
    private var registers = Registers()
    private var directory = RowDirectory()
    private var target: Checkpoint?
    /// Ranges still to be written, the next one last.
    private var stretches: [Stretch] = []
    private var removed: [UInt64] = []
    /// The highest ID of a row so far.
    public private(set) var lastRow: UInt64 = 0
    private var rowCount = 0
    private var fingerprint: UInt64 = 0

    /// A writer whose first checkpoint is written as a whole.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        stretches = [Stretch(location: .root)]
    }

    /// A writer that continues after a checkpoint that was read.
    public init(after restored: RestoredCheckpoint, limits: Limits = Limits()) {
        self.limits = limits
        value = restored.value
        registers = restored.registers
        directory = restored.directory
        lastRow = restored.head.lastRow
        rowCount = restored.head.rowCount
        fingerprint = restored.head.fingerprint
    }

    /// Determines which rows a checkpoint needs anew.
    ///
    /// - Complexity: O(what changed since the last one).
    public mutating func begin(_ checkpoint: Checkpoint) {
        precondition(target == nil, "a checkpoint is begun before the last one is finished")
        target = checkpoint
        if checkpoint.replacesAll { dropAllRows() }
        guard !directory.rows.isEmpty else { return }
        var root = directory
        plan(
            &root, at: .root, Content(value: value, registers: registers),
            Content(value: checkpoint.value, registers: checkpoint.registers))
        directory = root
        stretches.reverse()
    }

    /// Returns the next rows to insert; none once all were returned.
    public mutating func nextRows() -> [CheckpointRow] {
        var rows: [CheckpointRow] = []
        var byteCount = 0
        while byteCount < limits.slice, let stretch = stretches.popLast() {
            write(stretch, into: &rows, &byteCount)
        }
        return rows
    }

    /// Returns what makes the rows a checkpoint, once all were inserted.
    public mutating func finish() -> CheckpointEnd {
        guard let target, stretches.isEmpty else {
            preconditionFailure("a checkpoint is finished with \(stretches.count) parts to write")
        }
        (value, registers) = (target.value, target.registers)
        self.target = nil
        let head = CheckpointHead(
            of: target, lastRow: lastRow, rowCount: rowCount, fingerprint: fingerprint)
        defer { removed.removeAll() }
        return CheckpointEnd(removed: removed, head: head.bytes)
    }
}

// MARK: - Planning

extension CheckpointWriter {
    /// Plans to write everything under new IDs.
    private mutating func dropAllRows() {
        sometimes(.checkpointIsRewritten)
        removed = directory.allRows.map(\.id)
        directory = RowDirectory()
        stretches = [Stretch(location: .root)]
        (rowCount, fingerprint) = (0, 0)
    }

    private struct Content {
        var value: Value
        var registers: Registers

        func child(_ key: Key) -> Content {
            Content(
                value: value.children[key] ?? .null,
                registers: registers.children[key] ?? Registers())
        }
    }

    /// Marks the rows of a location that the new content needs anew, and removes them.
    private mutating func plan(
        _ directory: inout RowDirectory, at location: Path, _ old: Content, _ new: Content
    ) {
        var isChanged = [Bool](repeating: false, count: directory.rows.count)
        let own = OwnPart(of: new.value, new.registers)
        if !own.isSame(as: OwnPart(of: old.value, old.registers)) { isChanged[0] = true }
        var index = 0
        for key in CheckpointWriter.differingKeys(old, new) {
            if var below = directory.large[key] {
                let content = new.child(key)
                if !content.value.children.isEmpty || !content.registers.children.isEmpty {
                    plan(&below, at: location.appending(key), old.child(key), content)
                    directory.large[key] = below
                    continue
                }
                sometimes(.largeChildBecomesSmall)
                // The child is small now, and becomes an entry again.
                for row in below.allRows { remove(row) }
                directory.large[key] = nil
            }
            index = directory.index(of: key, from: index)
            isChanged[index] = true
        }
        takeChanged(&directory, isChanged, at: location)
    }

    /// The keys of the children that changed, ascending; a priority belongs to the location itself.
    private static func differingKeys(_ old: Content, _ new: Content) -> [Key] {
        let values = new.value.children.differences(from: old.value.children) {
            $0.isShared(with: $1)
        }
        let registers = new.registers.children.differences(from: old.registers.children) {
            $0.isShared(with: $1)
        }
        return values.union(registers).filter { $0 != .priority }
    }

    /// Removes the changed rows, and records the ranges that they leave open.
    private mutating func takeChanged(
        _ directory: inout RowDirectory, _ isChanged: [Bool], at location: Path
    ) {
        let rows = directory.rows
        directory.rows = []
        var index = 0
        while index < rows.count {
            guard isChanged[index] else {
                directory.rows.append(rows[index])
                index += 1
                continue
            }
            let start = index
            // A small row is merged with the next one, so that rows do not stay small.
            let small = limits.row / 4
            while index < rows.count, isChanged[index] || rows[index - 1].byteCount < small {
                remove(rows[index])
                index += 1
            }
            stretches.append(
                Stretch(
                    location: location, from: rows[start].first,
                    end: index < rows.count ? rows[index].first : nil))
        }
    }

    private mutating func remove(_ row: RowDirectory.Row) {
        removed.append(row.id)
        rowCount -= 1
        fingerprint &-= UInt64(row.checksum)
    }
}

// MARK: - Writing

extension CheckpointWriter {
    /// Writes the rows of a range, as far as the slice has room.
    private mutating func write(
        _ stretch: Stretch, into rows: inout [CheckpointRow], _ byteCount: inout Int
    ) {
        guard let target else { preconditionFailure("rows are written without a checkpoint") }
        let value = target.value[stretch.location]
        let registers = target.registers[stretch.location]
        let large = directory[stretch.location].large
        var written: [RowDirectory.Row] = []
        var newlyLarge: [Key] = []
        let own = stretch.from == nil ? OwnPart(of: value, registers) : nil
        var row = RowWriter(id: nextRow(), location: stretch.location, own: own)
        var first = stretch.from

        func close() {
            let finished = row.finish()
            written.append(RowDirectory.Row(finished, first: first))
            byteCount += finished.bytes.count
            rows.append(finished)
        }

        var entry = MessagePackWriter()
        var merged = MergedChildren(value, registers, from: stretch.from, upTo: stretch.end)
        while let (key, child, remembered) = merged.next() {
            if large[key] != nil { continue }
            if isLarge(child, remembered) {
                newlyLarge.append(key)
                continue
            }
            entry.removeAll()
            entry.append(key)
            entry.append(child)
            if let remembered { entry.append(remembered) } else { entry.appendNil() }
            if row.count > 0, row.byteCount + entry.bytes.count > limits.row {
                close()
                guard byteCount < limits.slice else {
                    sometimes(.sliceEndsWithinALocation)
                    stretches.append(
                        Stretch(location: stretch.location, from: key, end: stretch.end))
                    return record(written, newlyLarge, at: stretch.location)
                }
                row = RowWriter(id: nextRow(), location: stretch.location, own: nil)
                first = key
            }
            row.append(encodedEntry: entry)
        }
        if row.count > 0 || first == nil { close() }
        record(written, newlyLarge, at: stretch.location)
    }

    private mutating func nextRow() -> UInt64 {
        lastRow += 1
        return lastRow
    }

    /// Files the rows of a range, and schedules its large children next.
    private mutating func record(
        _ written: [RowDirectory.Row], _ newlyLarge: [Key], at location: Path
    ) {
        rowCount += written.count
        for row in written { fingerprint &+= UInt64(row.checksum) }
        directory.change(at: location.keys[...]) { directory in
            let index = written.first.map { first in
                directory.rows.firstIndex { first.isBefore($0) } ?? directory.rows.count
            }
            if let index { directory.rows.insert(contentsOf: written, at: index) }
            for key in newlyLarge { directory.large[key] = RowDirectory() }
        }
        stretches += newlyLarge.reversed().map { Stretch(location: location.appending($0)) }
    }

    /// Whether a child has children, and is too large to share a row with others.
    private func isLarge(_ value: Value, _ registers: Registers?) -> Bool {
        guard !value.children.isEmpty || registers?.children.isEmpty == false else { return false }
        var room = limits.row / 2
        value.consume(room: &room)
        registers?.consume(room: &room)
        return room < 0
    }
}

extension [Key] {
    /// The keys of two ascending lists, each once, ascending.
    fileprivate func union(_ other: [Key]) -> [Key] {
        if isEmpty { return other }
        if other.isEmpty { return self }
        var union: [Key] = []
        union.reserveCapacity(Swift.max(count, other.count))
        var (a, b) = (0, 0)
        while a < count, b < other.count {
            let (x, y) = (self[a], other[b])
            union.append(Swift.min(x, y))
            if x <= y { a += 1 }
            if y <= x { b += 1 }
        }
        return union + self[a...] + other[b...]
    }
}

extension RowDirectory.Row {
    fileprivate init(_ row: CheckpointRow, first: Key?) {
        self.init(
            id: row.id, first: first,
            checksum: row.bytes.withUnsafeBytes { Checksum.stored(in: $0) },
            byteCount: row.bytes.count)
    }
}
