internal import COpenSSL

/// Authentication of messages by a secret that both sides know: HMAC with SHA-256 (RFC 2104).
public enum MessageAuthentication {
    /// The 32 bytes that show that the author of a message knows a key.
    public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, used in
            var count: UInt32 = 0
            guard
                HMAC(
                    EVP_sha256(), key, Int32(clamping: key.count), message, message.count,
                    buffer.baseAddress, &count) != nil
            else { fatalError("cannot authenticate: \(TLSError.takeReason())") }
            used = Int(count)
        }
    }

    /// Whether a code is the one of a message; how long that takes does not depend on where it differs.
    public static func accepts(_ code: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
        let right = self.code(of: message, key: key)
        return code.count == right.count && CRYPTO_memcmp(code, right, right.count) == 0
    }
}
