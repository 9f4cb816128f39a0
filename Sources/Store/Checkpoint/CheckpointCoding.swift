import Convergence
import DataTree
public import SyncProtocol

/// The bytes of a row: `[id, location, own, [key, value, registers, …]]`, and a checksum.
///
/// The entries are children of the location, ascending; the registers are nil where there are none.
/// `own` is what the location itself has, `[primitive, priority, registers]`, in the first of its
/// rows, and nil in the others. Its registers there are without children but for that of the
/// priority. A child too large for a row is not among the entries: it is a location with rows of its
/// own.
struct RowWriter {
    let id: UInt64
    private var head = MessagePackWriter()
    private var entries = MessagePackWriter()
    private(set) var count = 0

    init(id: UInt64, location: Path, own: OwnPart?) {
        self.id = id
        head.appendArrayHead(4)
        head.append(id)
        head.append(location)
        guard let own else {
            head.appendNil()
            return
        }
        head.appendArrayHead(3)
        head.append(own.primitive)
        head.append(own.priority)
        head.append(own.registers)
    }

    /// The approximate size of the row.
    var byteCount: Int { head.bytes.count + entries.bytes.count }

    mutating func append(encodedEntry: MessagePackWriter) {
        encodedEntry.bytes.withUnsafeBytes { entries.append(encoded: $0) }
        count += 1
    }

    /// Returns the row as it is stored.
    consuming func finish() -> CheckpointRow {
        head.appendArrayHead(3 * count)
        entries.bytes.withUnsafeBytes { head.append(encoded: $0) }
        head.appendChecksum()
        return CheckpointRow(id: id, bytes: head.bytes)
    }
}

/// The part of a location besides its children.
struct OwnPart {
    var primitive: Value
    var priority: Value
    var registers: Registers

    init(of value: Value, _ registers: Registers) {
        primitive = value.isPrimitive ? value.content : .null
        priority = value.priority
        self.registers = registers
        self.registers.children = SortedMap()
        if let hidden = registers.children[.priority] {
            self.registers.children[.priority] = hidden
        }
    }

    /// Whether two parts are equal; equal registers of a priority need not share memory.
    func isSame(as other: OwnPart) -> Bool {
        primitive == other.primitive && priority == other.priority
            && registers.isSameHere(as: other.registers)
            && areSamePriorities(registers, other.registers)
    }

    private func areSamePriorities(_ a: Registers, _ b: Registers) -> Bool {
        switch (a.children[.priority], b.children[.priority]) {
        case (nil, nil): true
        case (let x?, let y?): x.isSameHere(as: y)
        default: false
        }
    }
}

extension Registers {
    /// Whether two locations have equal registers, whatever is below them.
    func isSameHere(as other: Registers) -> Bool {
        write == other.write && increment == other.increment
            && descendantWrite == other.descendantWrite
            && terms == other.terms && clears == other.clears
    }

    /// Whether two locations have equal registers and share what is below: a cheap test, which may
    /// take equal registers for different ones.
    func isShared(with other: Registers) -> Bool {
        isSameHere(as: other) && children.isShared(with: other.children)
    }

    /// The registers of a location below.
    subscript(path: Path) -> Registers {
        path.keys.reduce(self) { $0.children[$1] ?? Registers() }
    }
}

/// A decoded row; rows can be decoded concurrently.
public struct DecodedRow: Sendable {
    var id: UInt64
    var checksum: UInt32
    var byteCount: Int
    var location: Path
    var own: OwnPart?
    var firstKey: Key?
    var children = Children()
    var registers = SortedMap<Registers>()

    /// - Throws: `FrameError` if the row is damaged, or has another ID than it is stored under.
    public init(_ row: CheckpointRow) throws(FrameError) {
        let result: Result<DecodedRow, FrameError> = row.bytes.withUnsafeBytes { bytes in
            Result { () throws(FrameError) in try DecodedRow(bytes) }
        }
        self = try result.get()
        guard id == row.id else {
            throw .ofCheckpoint("row \(id) is filed as row \(row.id)", at: 0)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(FrameError) {
        var reader = MessagePackReader(
            try Checksum.content(of: bytes, named: "a row of a checkpoint"))
        checksum = Checksum.stored(in: bytes)
        byteCount = bytes.count
        guard try reader.arrayHead("a row of a checkpoint") == 4 else {
            throw .ofCheckpoint("a row has another length than 4", at: 0)
        }
        id = try reader.unsigned("the ID of a row")
        location = try reader.path()
        own = try reader.ownPart()
        try takeEntries(from: &reader)
    }

    private mutating func takeEntries(from reader: inout MessagePackReader) throws(FrameError) {
        let start = reader.position
        let count = try reader.arrayHead("the entries of a row")
        guard count.isMultiple(of: 3) else {
            throw .ofCheckpoint("a row with part of an entry", at: start)
        }
        children = Children(minimumCapacity: count / 3)
        for _ in 0..<count / 3 {
            let key = try reader.key()
            let value = try reader.value()
            if !value.isNull { children.updateValue(value, forKey: key) }
            if !reader.takeNil() {
                registers.updateValue(try reader.registers(), forKey: key)
            }
            firstKey = firstKey ?? key
        }
    }
}

extension MessagePackReader {
    fileprivate mutating func ownPart() throws(FrameError) -> OwnPart? {
        if takeNil() { return nil }
        let start = position
        guard try arrayHead("what a location has itself") == 3 else {
            throw .ofCheckpoint("a location of another form", at: start)
        }
        let primitive = try value()
        let priority = try value()
        var own = OwnPart(of: primitive, try registers())
        own.priority = priority
        return own
    }
}
