internal import COpenSSL

/// A public key by which signatures are checked: RSA (RSASSA-PKCS1-v1_5) or ECDSA on the curve P-256, both with SHA-256, or Ed25519.
public struct VerificationKey: Equatable, Sendable {
    /// What signs.
    public enum Kind: Sendable {
        /// RSA of 2048 to 8192 bits.
        case rsa
        /// ECDSA on P-256; signatures are the 64 bytes of two numbers (RFC 7518, section 3.4).
        case p256
        /// Ed25519 (RFC 8032), whose signatures have 64 bytes.
        case ed25519
    }

    /// What signs.
    public let kind: Kind
    /// The key as a SubjectPublicKeyInfo in DER (RFC 5280): equal keys have equal bytes.
    public let encoded: [UInt8]
    private let handle: KeyHandle

    /// Whether both are the same key.
    public static func == (a: VerificationKey, b: VerificationKey) -> Bool {
        a.encoded == b.encoded
    }

    init?(_ handle: KeyHandle) {
        guard let kind = handle.kind else { return nil }
        self.kind = kind
        self.handle = handle
        encoded = handle.encodedPublicKey
    }

    private init?(encoded: [UInt8]) {
        defer { ERR_clear_error() }
        var start: UnsafePointer<UInt8>?
        let key = encoded.withUnsafeBufferPointer { bytes in
            start = bytes.baseAddress
            return d2i_PUBKEY(nil, &start, bytes.count)
        }
        guard let key else { return nil }
        self.init(KeyHandle(owning: key))
    }

    /// Uses the numbers of an RSA key, their highest bytes first; nil if they make none of an accepted size.
    public init?(rsaModulus modulus: [UInt8], exponent: [UInt8]) {
        guard (256...1_025).contains(modulus.count), (1...8).contains(exponent.count),
            exponent.last.map({ $0 & 1 == 1 && exponent != [1] }) == true
        else { return nil }
        typealias DER = DistinguishedEncoding
        self.init(
            encoded: DER.sequence(
                DER.sequence(DER.rsaEncryption, DER.null),
                DER.bitString(DER.sequence(DER.integer(modulus), DER.integer(exponent)))))
    }

    /// Uses a point of the curve P-256, each coordinate 32 bytes; nil if it is not on the curve.
    public init?(p256X x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        typealias DER = DistinguishedEncoding
        self.init(
            encoded: DER.sequence(
                DER.sequence(DER.ecPublicKey, DER.p256), DER.bitString([0x04] + x + y)))
    }

    /// Uses the 32 bytes of an Ed25519 key; nil if they make none.
    public init?(ed25519 bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        typealias DER = DistinguishedEncoding
        self.init(encoded: DER.sequence(DER.sequence(DER.ed25519), DER.bitString(bytes)))
    }

    /// Whether the holder of the private key has signed a message.
    public func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let signature = encoded(signature) else { return false }
        guard let context = EVP_MD_CTX_new() else { fatalError("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, handle.digest, nil, handle.key) == 1
            && EVP_DigestVerify(
                context, signature, signature.count, message, message.count) == 1
    }

    /// A signature as OpenSSL takes it.
    private func encoded(_ signature: [UInt8]) -> [UInt8]? {
        switch kind {
        case .rsa, .ed25519: return signature
        case .p256:
            guard signature.count == 64 else { return nil }
            return DistinguishedEncoding.sequence(
                DistinguishedEncoding.integer(signature[..<32]),
                DistinguishedEncoding.integer(signature[32...]))
        }
    }
}

// MARK: - PEM

extension VerificationKey {
    /// The key as PEM.
    public var pem: String { Certificate.pem { PEM_write_bio_PUBKEY($0, handle.key) } }

    /// Returns the keys of the blocks `PUBLIC KEY` and `CERTIFICATE` of a PEM text, in order; nil
    /// if the text has another block, or a key of no accepted kind.
    public static func keys(inPEM text: String) -> [VerificationKey]? {
        Array(text.utf8).withUnsafeBytes { bytes in
            defer { ERR_clear_error() }
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            else { return nil }
            defer { BIO_free(source) }
            var keys: [VerificationKey] = []
            while let block = PEMBlock(from: source) {
                guard let key = block.publicKey.flatMap({ VerificationKey(KeyHandle(owning: $0)) })
                else { return nil }
                keys.append(key)
            }
            return keys
        }
    }
}

/// One block of a PEM text.
private struct PEMBlock {
    private let name: String
    private let content: [UInt8]

    /// Reads the next block; nil behind the last one.
    init?(from source: OpaquePointer) {
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard PEM_read_bio(source, &name, &header, &bytes, &count) == 1, let name, let bytes else {
            return nil
        }
        defer {
            CRYPTO_free(name, "", 0)
            CRYPTO_free(header, "", 0)
            CRYPTO_free(bytes, "", 0)
        }
        self.name = String(cString: name)
        content = Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// The public key that the block is, or has.
    var publicKey: OpaquePointer? {
        content.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            switch name {
            case "PUBLIC KEY": return d2i_PUBKEY(nil, &start, bytes.count)
            case "CERTIFICATE":
                guard let certificate = d2i_X509(nil, &start, bytes.count) else { return nil }
                defer { X509_free(certificate) }
                return X509_get_pubkey(certificate)
            default: return nil
            }
        }
    }
}
