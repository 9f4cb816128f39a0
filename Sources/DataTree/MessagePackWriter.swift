/// Appends MessagePack elements to a buffer of its own, which can be used again.
///
/// Every element takes its smallest form (a number with a fraction is a float64), so that equal
/// values are equal bytes, and the bytes that Python's `msgpack.packb` makes.
/// Source: the MessagePack specification.
///
/// The codec is Hearth's own: this target imports no library. The parser of msgpack-c is compiled
/// for 32 levels, which a legal tree inside a message exceeds.
public struct MessagePackWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    package init() {}

    /// Begins with one byte as it is, in memory for so many.
    package init(beginningWith byte: UInt8, room: Int) {
        // Not by `init(unsafeUninitializedCapacity:)`, which looks up the array's type each time: it costs more than the rest.
        bytes.reserveCapacity(room)
        bytes.append(byte)
    }

    /// Forgets what was written, and keeps the memory for what comes next.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Makes room for so many bytes.
    package mutating func reserve(_ count: Int) {
        if bytes.capacity - bytes.count >= count { return }
        // At least doubled, as by appending.
        bytes.reserveCapacity(Swift.max(bytes.count + count, 2 * bytes.capacity))
    }

    /// Appends bytes that are whole elements already.
    public mutating func append(encoded: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: encoded)
    }

    /// Appends one byte as it is.
    package mutating func append(byte: UInt8) { bytes.append(byte) }
}

// MARK: - Primitives

extension MessagePackWriter {
    package mutating func appendNil() { bytes.append(0xC0) }

    package mutating func append(_ boolean: Bool) { bytes.append(boolean ? 0xC3 : 0xC2) }

    package mutating func append(_ number: UInt64) {
        switch number {
        case 0...0x7F: bytes.append(UInt8(number))
        case 0...0xFF: append(0xCC, UInt8(number))
        case 0...0xFFFF: append(0xCD, UInt16(number))
        case 0...0xFFFF_FFFF: append(0xCE, UInt32(number))
        default: append(0xCF, number)
        }
    }

    package mutating func append(_ number: Int64) {
        switch number {
        case 0...: append(UInt64(number))
        case -32..<0: bytes.append(UInt8(bitPattern: Int8(number)))
        case -0x80..<0: append(0xD0, UInt8(bitPattern: Int8(number)))
        case -0x8000..<0: append(0xD1, UInt16(bitPattern: Int16(number)))
        case -0x8000_0000..<0: append(0xD2, UInt32(bitPattern: Int32(number)))
        default: append(0xD3, UInt64(bitPattern: number))
        }
    }

    package mutating func append(_ number: Double) { append(0xCB, number.bitPattern) }

    package mutating func append(_ text: String) {
        // A copy costs a reference count; a native string's bytes are not copied.
        var text = text
        text.withUTF8 { append(utf8: $0) }
    }

    /// Appends a string of these bytes, which are UTF-8.
    public mutating func append(utf8: UnsafeBufferPointer<UInt8>) {
        appendStringHead(utf8.count)
        bytes.append(contentsOf: utf8)
    }

    package mutating func append(binary: [UInt8]) {
        switch binary.count {
        case 0...0xFF: append(0xC4, UInt8(binary.count))
        case 0...0xFFFF: append(0xC5, UInt16(binary.count))
        default: append(0xC6, UInt32(binary.count))
        }
        bytes.append(contentsOf: binary)
    }
}

// MARK: - Heads

extension MessagePackWriter {
    /// Begins a string, of which `count` bytes must follow.
    package mutating func appendStringHead(_ count: Int) {
        switch count {
        case 0..<32: bytes.append(0xA0 | UInt8(count))
        case 0...0xFF: append(0xD9, UInt8(count))
        case 0...0xFFFF: append(0xDA, UInt16(count))
        default: append(0xDB, UInt32(count))
        }
    }

    /// Begins an array, of which `count` elements must follow.
    public mutating func appendArrayHead(_ count: Int) {
        switch count {
        case 0..<16: bytes.append(0x90 | UInt8(count))
        case 0...0xFFFF: append(0xDC, UInt16(count))
        default: append(0xDD, UInt32(count))
        }
    }

    /// Begins a map, of which `count` keys must follow, each with its value.
    public mutating func appendMapHead(_ count: Int) {
        switch count {
        case 0..<16: bytes.append(0x80 | UInt8(count))
        case 0...0xFFFF: append(0xDE, UInt16(count))
        default: append(0xDF, UInt32(count))
        }
    }

    private mutating func append(_ format: UInt8, _ number: some FixedWidthInteger) {
        bytes.append(format)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

// MARK: - Sizes

extension MessagePackWriter {
    /// The size of an integer in its smallest form.
    package static func byteCount(of number: Int64) -> Int {
        switch number {
        case -32...0x7F: 1
        case -0x80...0xFF: 2
        case -0x8000...0xFFFF: 3
        case -0x8000_0000...0xFFFF_FFFF: 5
        default: 9
        }
    }

    /// The size of what comes before the bytes of a string.
    package static func byteCount(ofStringHead count: Int) -> Int {
        switch count {
        case 0..<32: 1
        case 0...0xFF: 2
        case 0...0xFFFF: 3
        default: 5
        }
    }
}
