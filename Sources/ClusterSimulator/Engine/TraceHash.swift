/// A rolling hash over everything that happens in a run, in order: equal runs have equal hashes.
///
/// Not for secrets. Each word is mixed in as in SplitMix64's finalizer.
struct TraceHash: Sendable {
    private(set) var bits: UInt64 = 0x6A09_E667_F3BC_C908

    mutating func combine(_ word: UInt64) {
        var mixed = (bits ^ word) &* 0xBF58_476D_1CE4_E5B9
        mixed ^= mixed >> 29
        bits = (mixed &+ 0x9E37_79B9_7F4A_7C15) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 32
    }

    mutating func combine(_ number: Int) { combine(UInt64(bitPattern: Int64(number))) }

    mutating func combine(_ bytes: [UInt8]) {
        combine(UInt64(bytes.count))
        bytes.withUnsafeBytes { raw in
            var index = 0
            while index + 8 <= raw.count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                combine(UInt64(littleEndian: word))
                index += 8
            }
            var rest: UInt64 = 0
            while index < raw.count {
                rest = rest << 8 | UInt64(raw[index])
                index += 1
            }
            combine(rest)
        }
    }

    mutating func combine(_ text: String) { combine(Array(text.utf8)) }
}
