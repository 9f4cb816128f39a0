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
        let bytes = UnsafeRawBufferPointer(bytes)
        var index = 0
        while index < bytes.count {
            if length % 4 == 0, index + 4 <= bytes.count {
                updateWord(bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self).bigEndian)
                index += 4
            } else {
                update(bytes[index])
                index += 1
            }
        }
    }

    package mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { update($0) }
    }

    /// Adds four bytes, behind a multiple of four.
    private mutating func updateWord(_ word: UInt32) {
        let place = Int(length % 64)
        block[place / 4] = word
        length += 4
        if place == 60 { compress() }
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
        var words = Words(a: state[0], b: state[1], c: state[2], d: state[3], e: state[4])
        for round in 0..<16 { words.mixChoice(block[round]) }
        for round in 16..<20 { words.mixChoice(expandedWord(round)) }
        for round in 20..<40 { words.mixParity(expandedWord(round), 0x6ED9_EBA1) }
        for round in 40..<60 { words.mixMajority(expandedWord(round)) }
        for round in 60..<80 { words.mixParity(expandedWord(round), 0xCA62_C1D6) }
        state[0] &+= words.a
        state[1] &+= words.b
        state[2] &+= words.c
        state[3] &+= words.d
        state[4] &+= words.e
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

}

/// The five words that the rounds of a block mix.
private struct Words {
    var a: UInt32
    var b: UInt32
    var c: UInt32
    var d: UInt32
    var e: UInt32

    @inline(__always)
    mutating func mixChoice(_ word: UInt32) { mix(b & c | ~b & d, 0x5A82_7999, word) }

    @inline(__always)
    mutating func mixParity(_ word: UInt32, _ constant: UInt32) { mix(b ^ c ^ d, constant, word) }

    @inline(__always)
    mutating func mixMajority(_ word: UInt32) {
        mix(b & c | b & d | c & d, 0x8F1B_BCDC, word)
    }

    @inline(__always)
    private mutating func mix(_ mixed: UInt32, _ constant: UInt32, _ word: UInt32) {
        let next = a.rotated(5) &+ mixed &+ e &+ constant &+ word
        (e, d, c, b, a) = (d, c, b.rotated(30), a, next)
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
