internal import COpenSSL

/// An immutable key of OpenSSL.
final class KeyHandle: Sendable {
    /// OpenSSL counts references atomically, and what is called here only reads a key: threads may share it.
    nonisolated(unsafe) let key: OpaquePointer

    /// Frees the key in the end.
    init(owning key: OpaquePointer) { self.key = key }

    deinit { EVP_PKEY_free(key) }

    /// The kind of its signatures; nil for a key of no accepted kind or size.
    var kind: VerificationKey.Kind? {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: (2_048...8_192).contains(EVP_PKEY_get_bits(key)) ? .rsa : nil
        case EVP_PKEY_EC: curve == "prime256v1" ? .p256 : nil
        case EVP_PKEY_ED25519: .ed25519
        default: nil
        }
    }

    /// The hash of a message that is signed; nil for Ed25519, which hashes by itself.
    var digest: OpaquePointer? { kind == .ed25519 ? nil : EVP_sha256() }

    private var curve: String? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return nil }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The public key as a SubjectPublicKeyInfo in DER.
    var encodedPublicKey: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &bytes)
        guard count > 0, let bytes else { fatalError("out of memory") }
        defer { CRYPTO_free(bytes, "", 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}
