internal import COpenSSL

/// The hash function SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The 32 bytes of a hash.
    public static func hash(of bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, used in
            var count: UInt32 = 0
            guard
                EVP_Digest(bytes, bytes.count, buffer.baseAddress, &count, EVP_sha256(), nil) == 1
            else { fatalError("cannot hash: \(TLSError.takeReason())") }
            used = Int(count)
        }
    }

    /// A hash as 64 hexadecimal digits.
    public static func text(of hash: [UInt8]) -> String {
        hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
