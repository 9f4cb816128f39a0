/// The SHA-1 digest (FIPS 180-4) of bytes that arrive in pieces.
///
/// Firebase's protocol defines its data hashes with it, and WebSocket the answer to its upgrade. It is a checksum
/// for interoperability and guards no secret. It is written out here because this module imports nothing; published hashes
/// of Firebase data verify it.
package struct SHA1 {
    private var state: InlineArray<5, UInt32> = [
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
    ]
    private var block = InlineArray<16, UInt32>(repeating: 0)
    private var length: UInt64 = 0

    package init() {}

    mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes { update(byte) }
    }

    package mutating func update(_ text: String) {
        for byte in text.utf8 { update(byte) }
    }

    mutating func update(_ byte: UInt8) {
        let place = Int(length % 64)
        block[place / 4] = block[place / 4] << 8 | UInt32(byte)
        length += 1
        if place == 63 { compress() }
    }

    /// The 20 bytes of the digest, in base 64: 28 characters.
    package consuming func base64() -> String {
        let bits = length * 8
        update(0x80)
        while length % 64 != 56 { update(0) }
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            update(UInt8(truncatingIfNeeded: bits >> shift))
        }
        return Base64.text(of: state)
    }

    private mutating func compress() {
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for round in 0..<80 {
            let word = round < 16 ? block[round] : expandedWord(round)
            let (choice, constant) = SHA1.mix(round, b, c, d)
            let next = a.rotated(5) &+ choice &+ e &+ constant &+ word
            (e, d, c, b, a) = (d, c, b.rotated(30), a, next)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    /// The message schedule's word for a round from 16 on, kept in place of the one 16 rounds ago.
    @inline(__always)
    private mutating func expandedWord(_ round: Int) -> UInt32 {
        let word =
            block[(round - 3) & 15] ^ block[(round - 8) & 15] ^ block[(round - 14) & 15]
            ^ block[round & 15]
        block[round & 15] = word.rotated(1)
        return block[round & 15]
    }

    @inline(__always)
    private static func mix(
        _ round: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32
    ) -> (choice: UInt32, constant: UInt32) {
        switch round {
        case 0..<20: (b & c | ~b & d, 0x5A82_7999)
        case 20..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case 40..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
    }
}

extension UInt32 {
    @inline(__always)
    fileprivate func rotated(_ bits: UInt32) -> UInt32 { self << bits | self >> (32 - bits) }
}

/// Base 64 (RFC 4648) of a digest.
private enum Base64 {
    static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of words: InlineArray<5, UInt32>) -> String {
        String(unsafeUninitializedCapacity: 28) { text in
            // 160 bits are 26 digits and four bits; two more, and the padding, fill the 28.
            for digit in 0..<27 {
                text[digit] = alphabet[Int(sixBits(of: words, from: digit * 6))]
            }
            text[27] = UInt8(ascii: "=")
            return 28
        }
    }

    private static func sixBits(of words: InlineArray<5, UInt32>, from bit: Int) -> UInt32 {
        let index = bit / 32
        let next = index + 1 < 5 ? words[index + 1] : 0
        let window = UInt64(words[index]) << 32 | UInt64(next)
        return UInt32(truncatingIfNeeded: window >> UInt64(58 - bit % 32)) & 63
    }
}
