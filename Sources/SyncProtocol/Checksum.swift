public import DataTree

/// CRC-32C (Castagnoli), which finds torn and damaged bytes on disk and on the wire.
///
/// Eight bytes a step by eight tables. Source: Kounavis and Berry, *A Systematic Approach to Building
/// High Performance Software-based CRC Generators*; the polynomial is that of RFC 3720, section 12.1.
public enum Checksum {
    /// The checksum of the bytes; `123456789` has E3069283.
    public static func crc32c(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = UInt32.max
            var index = 0
            while index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                crc = step(UInt64(littleEndian: word) ^ UInt64(crc), tables)
                index += 8
            }
            while index < bytes.count {
                crc = tables[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
                index += 1
            }
            return ~crc
        }
    }

    @inline(__always)
    private static func step(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        var crc: UInt32 = 0
        for byte in 0..<8 {
            crc ^= tables[(7 - byte) << 8 | Int(word >> (8 * UInt64(byte)) & 0xFF)]
        }
        return crc
    }

    /// Table `t`, entry `b`: what byte `b` adds to the checksum when `t` bytes follow in the step.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            tables[byte] = crc
        }
        for entry in 256..<tables.count {
            let shorter = tables[entry - 256]
            tables[entry] = tables[Int(shorter & 0xFF)] ^ (shorter >> 8)
        }
        return tables
    }()
}

extension Checksum {
    /// The bytes before the checksum at the end of `bytes`, if the checksum is right.
    ///
    /// - Throws: `FrameError`, which calls the bytes by `name`, such as "a batch".
    public static func content(
        of bytes: UnsafeRawBufferPointer, named name: StaticString,
        fix: String = "ask another member for it; if it was read from disk, check the disk"
    ) throws(FrameError) -> UnsafeRawBufferPointer {
        let size = bytes.count - 4
        guard size > 0 else { throw .truncated(needed: 5, remaining: bytes.count, at: 0) }
        let content = UnsafeRawBufferPointer(rebasing: bytes[..<size])
        guard crc32c(of: content) == stored(in: bytes) else {
            throw FrameError(
                offset: size, problem: "the checksum of \(name) of \(bytes.count) bytes is wrong",
                fix: fix)
        }
        return content
    }

    /// The checksum at the end of `bytes`, of which there are at least four; little-endian.
    public static func stored(in bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(
            littleEndian: bytes.loadUnaligned(
                fromByteOffset: bytes.count - 4, as: UInt32.self))
    }
}

extension MessagePackWriter {
    /// Ends with the checksum of all that was written, in 4 bytes, little-endian.
    public mutating func appendChecksum() {
        let checksum = bytes.withUnsafeBytes { Checksum.crc32c(of: $0) }
        for shift in [0, 8, 16, 24] as [UInt32] {
            append(byte: UInt8(truncatingIfNeeded: checksum >> shift))
        }
    }
}
