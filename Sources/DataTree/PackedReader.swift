/// Reads the bytes of `PackedChildren`, which this module has written or checked: what is wrong with them is a
/// bug, unlike what `MessagePackReader` finds.
struct PackedReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int) {
        self.bytes = bytes
        self.position = position
    }

    var isAtEnd: Bool { position == bytes.count }

    // MARK: Keys

    mutating func takeKey() -> Key { Key(uncheckedUTF8: takeKeyBytes()) }

    /// Passes over a key, and returns whether it is this one.
    mutating func takeKey(equalTo key: Key) -> Bool { key.isSpelled(by: takeKeyBytes()) }

    private mutating func takeKeyBytes() -> UnsafeBufferPointer<UInt8> {
        let count = Int(takeByte()) - 0xA0
        return readBytes(count)
    }

    // MARK: Values

    mutating func takeValue() -> Value {
        let format = takeByte()
        switch format {
        case 0x00...0x7F: return .integer(Int64(format))
        case 0xA0...0xBF: return .string(takeText(Int(format & 0x1F)))
        case 0xC2: return .boolean(false)
        case 0xC3: return .boolean(true)
        case 0xCB: return .double(Double(bitPattern: takeNumber()))
        case 0xCC: return .integer(Int64(takeNumber() as UInt8))
        case 0xCD: return .integer(Int64(takeNumber() as UInt16))
        case 0xCE: return .integer(Int64(takeNumber() as UInt32))
        case 0xCF: return .integer(Int64(takeNumber() as UInt64))
        case 0xD0: return .integer(Int64(Int8(bitPattern: takeNumber())))
        case 0xD1: return .integer(Int64(Int16(bitPattern: takeNumber())))
        case 0xD2: return .integer(Int64(Int32(bitPattern: takeNumber())))
        case 0xD3: return .integer(Int64(bitPattern: takeNumber()))
        case 0xD9: return .string(takeText(Int(takeNumber() as UInt8)))
        case 0xDA: return .string(takeText(Int(takeNumber() as UInt16)))
        case 0xE0...0xFF: return .integer(Int64(Int8(bitPattern: format)))
        default: preconditionFailure("the byte \(format) begins no packed value")
        }
    }

    mutating func takeOutline() -> ValueOutline {
        switch bytes[position] {
        case 0xA0...0xBF: return outline(ofText: Int(takeByte() & 0x1F))
        case 0xD9:
            position += 1
            return outline(ofText: Int(takeNumber() as UInt8))
        case 0xDA:
            position += 1
            return outline(ofText: Int(takeNumber() as UInt16))
        default: return takeValue().outline
        }
    }

    private mutating func outline(ofText count: Int) -> ValueOutline {
        let text = readBytes(count)
        return .string(utf8Count: count, utf16Count: text.isASCII ? count : text.utf16Count)
    }

    mutating func skipValue() {
        let format = takeByte()
        switch format {
        case 0x00...0x7F, 0xC2, 0xC3, 0xE0...0xFF: return
        case 0xA0...0xBF: position += Int(format & 0x1F)
        case 0xCC, 0xD0: position += 1
        case 0xCD, 0xD1: position += 2
        case 0xCE, 0xD2: position += 4
        case 0xCB, 0xCF, 0xD3: position += 8
        case 0xD9: position += Int(takeNumber() as UInt8)
        case 0xDA: position += Int(takeNumber() as UInt16)
        default: preconditionFailure("the byte \(format) begins no packed value")
        }
    }

    // MARK: Bytes

    private mutating func takeByte() -> UInt8 {
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func takeNumber<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        defer { position += MemoryLayout<Number>.size }
        return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }

    private mutating func takeText(_ count: Int) -> String {
        String(decoding: readBytes(count), as: UTF8.self)
    }

    private mutating func readBytes(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        defer { position += count }
        precondition(
            position + count <= bytes.count, "\(count) bytes at \(position) of \(bytes.count)")
        // In a release, the precondition above is the only one.
        let start = bytes.baseAddress.unsafelyUnwrapped + position
        return UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self), count: count)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether no byte is part of a character of several.
    @inlinable
    package var isASCII: Bool {
        var union: UInt8 = 0
        for byte in self { union |= byte }
        return union < 0x80
    }

    /// The units of UTF-16 of a text: one for each character, and one more for those of four bytes.
    fileprivate var utf16Count: Int {
        // A character has one byte that continues none.
        reduce(0) { $0 &+ ($1 & 0xC0 == 0x80 ? 0 : 1) &+ ($1 >= 0xF0 ? 1 : 0) }
    }
}
