internal import COpenSSL

/// A private key that signs what its `publicKey` accepts.
public struct SigningKey: Sendable {
    /// The other half of the pair.
    public let publicKey: VerificationKey
    private let handle: KeyHandle

    /// Makes a key on the curve P-256.
    public static func random() -> SigningKey {
        let handle = KeyHandle(owning: Certificate.keyPair())
        guard let publicKey = VerificationKey(handle) else {
            fatalError("a new key is none for signatures")
        }
        return SigningKey(publicKey, handle)
    }

    private init(_ publicKey: VerificationKey, _ handle: KeyHandle) {
        (self.publicKey, self.handle) = (publicKey, handle)
    }

    /// The private key as PEM, without a password.
    public var pem: String {
        Certificate.pem { PEM_write_bio_PrivateKey($0, handle.key, nil, nil, 0, nil, nil) }
    }

    /// Reads the first private key of a PEM text; nil if there is none of an accepted kind, or it has a password.
    public init?(pem text: String) {
        defer { ERR_clear_error() }
        let key = Array(text.utf8).withUnsafeBytes { bytes -> OpaquePointer? in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            else { return nil }
            defer { BIO_free(source) }
            // OpenSSL would ask the terminal for a password.
            return PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else { return nil }
        handle = KeyHandle(owning: key)
        guard let publicKey = VerificationKey(handle) else { return nil }
        self.publicKey = publicKey
    }

    /// The signature of a message.
    public func signature(of message: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { fatalError("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, handle.digest, nil, handle.key) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { fatalError("cannot sign: \(TLSError.takeReason())") }
        let signature = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            guard EVP_DigestSign(context, buffer.baseAddress, &count, message, message.count) == 1
            else { fatalError("cannot sign: \(TLSError.takeReason())") }
            used = count
        }
        return publicKey.kind == .p256 ? SigningKey.numbers(in: signature) : signature
    }

    /// The 64 bytes of the two numbers of an ECDSA signature on P-256.
    private static func numbers(in signature: [UInt8]) -> [UInt8] {
        signature.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let numbers = d2i_ECDSA_SIG(nil, &start, bytes.count) else {
                fatalError("cannot read a signature: \(TLSError.takeReason())")
            }
            defer { ECDSA_SIG_free(numbers) }
            var result = [UInt8](repeating: 0, count: 64)
            result.withUnsafeMutableBufferPointer { result in
                BN_bn2binpad(ECDSA_SIG_get0_r(numbers), result.baseAddress, 32)
                BN_bn2binpad(ECDSA_SIG_get0_s(numbers), result.baseAddress! + 32, 32)
            }
            return result
        }
    }
}
