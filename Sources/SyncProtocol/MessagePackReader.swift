/// Reads MessagePack elements, one after another, from untrusted bytes.
///
/// It reads nothing beyond the bytes, and trusts no declared count that exceeds the bytes that follow. An element
/// of an array has at least one byte, an entry of a map at least two.
///
/// The bytes must outlive the reader; it copies what it returns.
public struct MessagePackReader {
    private let bytes: UnsafeRawBufferPointer
    /// The offset of the next element, in bytes.
    public private(set) var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var remaining: Int { bytes.count - position }
    /// Whether all bytes are read.
    public var isAtEnd: Bool { position == bytes.count }

    /// Goes back to a position where an element begins.
    @usableFromInline
    mutating func rewind(to position: Int) { self.position = position }

    mutating func skipByte() { position += 1 }
}

// MARK: - Heads

/// The kind of the next element; the bytes or elements that it counts follow.
enum Head {
    case nothing
    case boolean(Bool)
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    case double(Double)
    case string(Int)
    case array(Int)
    case map(Int)
    case binary(Int)
    /// An extension of so many bytes, its type included.
    case extended(Int)

    var name: String {
        switch self {
        case .nothing: "nil"
        case .boolean: "a boolean"
        case .integer(let number): "the integer \(number)"
        case .unsigned(let number): "the integer \(number)"
        case .double(let number): "the float \(number)"
        case .string: "a string"
        case .array(let count): "an array of \(count)"
        case .map: "a map"
        case .binary: "binary data"
        case .extended: "an extension type"
        }
    }
}

extension MessagePackReader {
    /// Takes the head of the next element, and checks that what it counts can be there.
    mutating func head() throws(FrameError) -> Head {
        let start = position
        let format: UInt8 = try load()
        switch format {
        case 0x00...0x7F: return .integer(Int64(format))
        case 0x80...0x8F: return .map(try checked(Int(format & 0x0F), of: 2, from: start))
        case 0x90...0x9F: return .array(try checked(Int(format & 0x0F), of: 1, from: start))
        case 0xA0...0xBF: return .string(try checked(Int(format & 0x1F), of: 1, from: start))
        case 0xC0: return .nothing
        case 0xC2: return .boolean(false)
        case 0xC3: return .boolean(true)
        case 0xE0...0xFF: return .integer(Int64(Int8(bitPattern: format)))
        default: return try longHead(format, from: start)
        }
    }

    private mutating func longHead(
        _ format: UInt8, from start: Int
    ) throws(FrameError) -> Head {
        switch format {
        case 0xC4...0xC6: return .binary(try count(width: format - 0xC4, of: 1, from: start))
        case 0xC7...0xC9:
            let count = try count(width: format - 0xC7, of: 1, from: start)
            return .extended(try checked(count + 1, of: 1, from: start))
        case 0xCA: return .double(Double(Float(bitPattern: try load())))
        case 0xCB: return .double(Double(bitPattern: try load()))
        case 0xCC: return .integer(Int64(try load() as UInt8))
        case 0xCD: return .integer(Int64(try load() as UInt16))
        case 0xCE: return .integer(Int64(try load() as UInt32))
        case 0xCF:
            let number: UInt64 = try load()
            return Int64(exactly: number).map(Head.integer) ?? .unsigned(number)
        case 0xD0: return .integer(Int64(Int8(bitPattern: try load())))
        case 0xD1: return .integer(Int64(Int16(bitPattern: try load())))
        case 0xD2: return .integer(Int64(Int32(bitPattern: try load())))
        case 0xD3: return .integer(Int64(bitPattern: try load()))
        case 0xD4...0xD8:
            return .extended(try checked(1 + 1 << Int(format - 0xD4), of: 1, from: start))
        case 0xD9...0xDB: return .string(try count(width: format - 0xD9, of: 1, from: start))
        case 0xDC...0xDD: return .array(try count(width: format - 0xDB, of: 1, from: start))
        case 0xDE...0xDF: return .map(try count(width: format - 0xDD, of: 2, from: start))
        default:
            throw .expected("a MessagePack element", found: "the byte C1", at: start)
        }
    }

    /// Takes a count of 1, 2 or 4 bytes (`width` 0, 1 or 2).
    @inline(__always)
    private mutating func count(
        width: UInt8, of size: Int, from start: Int
    ) throws(FrameError) -> Int {
        let count =
            switch width {
            case 0: Int(try load() as UInt8)
            case 1: Int(try load() as UInt16)
            default: Int(try load() as UInt32)
            }
        return try checked(count, of: size, from: start)
    }

    /// Checks that `count` elements of `size` bytes or more can follow.
    @inline(__always)
    private func checked(
        _ count: Int, of size: Int, from start: Int
    ) throws(FrameError) -> Int {
        guard count * size <= remaining else {
            throw .truncated(needed: count * size, remaining: remaining, at: start)
        }
        return count
    }

    @inline(__always)
    private mutating func load<Number>() throws(FrameError) -> Number
    where Number: FixedWidthInteger & BitwiseCopyable {
        let size = MemoryLayout<Number>.size
        guard remaining >= size else {
            throw .truncated(needed: size, remaining: remaining, at: position)
        }
        defer { position += size }
        return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
}

// MARK: - Elements

extension MessagePackReader {
    /// Takes an unsigned integer; an error calls it `wanted`.
    public mutating func unsigned(_ wanted: StaticString) throws(FrameError) -> UInt64 {
        try element(wanted) { head in
            switch head {
            case .integer(let number) where number >= 0: UInt64(number)
            case .unsigned(let number): number
            default: nil
            }
        }
    }

    package mutating func boolean(_ wanted: StaticString) throws(FrameError) -> Bool {
        try element(wanted) { if case .boolean(let boolean) = $0 { boolean } else { nil } }
    }

    /// Passes over the next element if it is nil.
    public mutating func takeNil() -> Bool {
        guard position < bytes.count, bytes[position] == 0xC0 else { return false }
        position += 1
        return true
    }

    /// Whether a short array, of up to fifteen elements, comes next.
    var nextIsShortArray: Bool { position < bytes.count && 0x90...0x9F ~= bytes[position] }

    package mutating func string(_ wanted: StaticString) throws(FrameError) -> String {
        let start = position
        return try text(of: utf8(wanted), at: start)
    }

    package mutating func arrayHead(_ wanted: StaticString) throws(FrameError) -> Int {
        try element(wanted) { if case .array(let count) = $0 { count } else { nil } }
    }

    package mutating func mapHead(_ wanted: StaticString) throws(FrameError) -> Int {
        try element(wanted) { if case .map(let count) = $0 { count } else { nil } }
    }

    package mutating func binary(_ wanted: StaticString) throws(FrameError) -> [UInt8] {
        Array(
            readBytes(
                try element(wanted) { if case .binary(let count) = $0 { count } else { nil } }))
    }

    /// Takes the bytes of a string; whether they are UTF-8 is not checked.
    mutating func utf8(_ wanted: StaticString) throws(FrameError) -> UnsafeBufferPointer<UInt8> {
        readBytes(try element(wanted) { if case .string(let count) = $0 { count } else { nil } })
    }

    /// Takes the head of an element that `pick` recognizes; an error calls it `wanted`.
    @inline(__always)
    private mutating func element<Element>(
        _ wanted: StaticString, _ pick: (Head) -> Element?
    ) throws(FrameError) -> Element {
        let start = position
        let head = try head()
        guard let element = pick(head) else {
            throw .expected(wanted, found: head.name, at: start)
        }
        return element
    }

    /// Reads the given number of elements. Memory is reserved for elements that exist, not for declared ones.
    @inline(__always)
    package mutating func elements<Element>(
        _ count: Int, _ next: (inout MessagePackReader) throws(FrameError) -> Element
    ) throws(FrameError) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(min(count, 256))
        for _ in 0..<count { elements.append(try next(&self)) }
        return elements
    }

    /// Takes the number of a case; an error calls it `wanted`.
    mutating func numbered<Case: RawRepresentable<UInt64>>(
        _ wanted: StaticString
    ) throws(FrameError) -> Case {
        let start = position
        let number = try unsigned(wanted)
        guard let found = Case(rawValue: number) else {
            throw .expected(wanted, found: "\(number)", at: start)
        }
        return found
    }

    /// Takes bytes that a head has counted, and so checked.
    mutating func readBytes(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
            .assumingMemoryBound(to: UInt8.self)
    }

    /// The bytes between a position and this one.
    func taken(from start: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    func text(
        of utf8: UnsafeBufferPointer<UInt8>, at start: Int
    ) throws(FrameError) -> String {
        // Most text is ASCII, which needs no validation and the fastest initializer.
        if utf8.isASCII { return String(decoding: utf8, as: UTF8.self) }
        if let text = String(validating: utf8, as: UTF8.self) { return text }
        throw .expected("UTF-8 text", found: "other bytes", at: start)
    }

    /// Passes over the next element with all that is in it; its depth costs no stack.
    mutating func skip() throws(FrameError) {
        var elements = 1
        while elements > 0 {
            elements -= 1
            switch try head() {
            case .string(let count), .binary(let count), .extended(let count): position += count
            case .array(let count): elements += count
            case .map(let count): elements += 2 * count
            default: continue
            }
        }
    }
}
