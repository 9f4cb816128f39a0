// A client masks each frame with four bytes of chance, so that no proxy takes the payload for a request.

extension UInt32 {
    /// The mask for the bytes of a payload from a position on.
    func rotatedRight(bytes position: Int) -> UInt32 {
        let bits = UInt32(truncatingIfNeeded: position % 4 * 8)
        return bits == 0 ? self : self >> bits | self << (32 - bits)
    }
}

extension [UInt8] {
    /// Appends bytes of which each is combined with the mask's byte of its position; zero leaves them as they are.
    mutating func append(_ bytes: UnsafeRawBufferPointer, unmaskedBy mask: UInt32) {
        let start = count
        append(contentsOf: bytes)
        guard mask != 0 else { return }
        withUnsafeMutableBytes { all in
            UnsafeMutableRawBufferPointer(rebasing: all[start...]).combine(with: mask)
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Combines eight bytes at a time, and the last ones by themselves.
    fileprivate func combine(with mask: UInt32) {
        let word = UInt64(mask) << 32 | UInt64(mask)
        var position = 0
        while position + 8 <= count {
            let bytes = loadUnaligned(fromByteOffset: position, as: UInt64.self)
            storeBytes(
                of: bytes ^ word.littleEndian, toByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < count {
            self[position] ^= UInt8(truncatingIfNeeded: word >> UInt64(position % 8 * 8))
            position += 1
        }
    }
}
