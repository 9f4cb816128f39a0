/// Base 64 with the characters of URLs, without padding (RFC 4648, section 5).
public enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte as a digit; 255 for one that is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The text of bytes.
    public static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text; nil for any text but the one of these bytes, so that no two texts say the same.
    public static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in text {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // A digit too many, or bits that say nothing.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }
}
