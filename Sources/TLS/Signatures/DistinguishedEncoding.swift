/// The few forms of ASN.1 in DER (ITU-T X.690) of which public keys and signatures are made.
enum DistinguishedEncoding {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        element(0x30, parts.flatMap { $0 })
    }

    /// A number that is not negative, from its bytes with the highest first.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let significant = bytes.drop { $0 == 0 }
        let isPadded = significant.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (isPadded ? [0] : []) + significant)
    }

    static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0] + bytes) }

    static let null: [UInt8] = [0x05, 0x00]

    /// The identifier `rsaEncryption` (RFC 8017, appendix C).
    static let rsaEncryption: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
    ]
    /// The identifier `id-ecPublicKey` (RFC 5480).
    static let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    /// The identifier `secp256r1` (RFC 5480).
    static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The identifier `id-Ed25519` (RFC 8410).
    static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest > 0 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
