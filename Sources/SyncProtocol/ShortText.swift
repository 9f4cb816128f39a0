// The parts of frames about several databases: texts of at most 255 bytes, and a checksum at the end.

extension [UInt8] {
    /// Appends the length of a text in one byte, and the text.
    mutating func append(shortText text: String) {
        let utf8 = text.utf8.prefix(255)
        append(UInt8(utf8.count))
        self += utf8
    }

    /// Appends a CRC-32C of all bytes so far.
    mutating func appendChecksum() {
        let checksum = withUnsafeBytes { Checksum.crc32c(of: $0) }
        Swift.withUnsafeBytes(of: checksum.littleEndian) { self += $0 }
    }

    /// The bytes before the checksum; nil if that is another one.
    var checkedContent: ArraySlice<UInt8>? {
        guard count >= 6 else { return nil }
        let content = dropLast(4)
        let checksum = content.withUnsafeBytes { Checksum.crc32c(of: $0) }
        let isRight = Swift.withUnsafeBytes(of: checksum.littleEndian) {
            suffix(4).elementsEqual($0)
        }
        return isRight ? content : nil
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns a text behind its length; nil if the bytes end before it.
    mutating func removeShortText() -> String? {
        guard let count = popFirst(), self.count >= count else { return nil }
        defer { removeFirst(Int(count)) }
        return String(decoding: prefix(Int(count)), as: UTF8.self)
    }
}
