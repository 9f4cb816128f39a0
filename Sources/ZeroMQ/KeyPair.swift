internal import CZeroMQ

/// The identity of one end of a connection: a public key, which may be known to all, and the secret that proves
/// it.
///
/// Both are 32 bytes, written as 40 characters of Z85. Source: CurveZMQ (ZeroMQ RFC 26).
public struct KeyPair: Equatable, Sendable {
    package let publicKey: PublicKey
    let secret: String

    /// Takes a secret as text.
    ///
    /// - Returns: Nil for text that is not a key.
    public init?(secret: String) {
        guard PublicKey(secret) != nil else { return nil }
        var publicKey = [CChar](repeating: 0, count: 41)
        guard zmq_curve_public(&publicKey, secret) == 0 else { return nil }
        self.publicKey = PublicKey(unchecked: publicKey.text)
        self.secret = secret
    }

    private init(publicKey: PublicKey, secret: String) {
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Draws a new pair.
    public static func random() -> KeyPair {
        var publicKey = [CChar](repeating: 0, count: 41)
        var secret = [CChar](repeating: 0, count: 41)
        let result = zmq_curve_keypair(&publicKey, &secret)
        precondition(result == 0, "this ZeroMQ was built without encryption")
        return KeyPair(publicKey: PublicKey(unchecked: publicKey.text), secret: secret.text)
    }
}

/// The key by which one end of a connection knows the other.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// 40 characters of Z85.
    public let description: String

    /// - Returns: Nil for text that is not a key.
    public init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard text.utf8.count == 40, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }),
            zmq_z85_decode(&bytes, text) != nil
        else { return nil }
        description = text
    }

    /// Takes the 32 bytes of a key, as they travel.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        var text = [CChar](repeating: 0, count: 41)
        let start = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        guard zmq_z85_encode(&text, start, 32) != nil else { return nil }
        description = text.text
    }

    fileprivate init(unchecked text: String) { description = text }
}

extension [CChar] {
    fileprivate var text: String {
        String(decoding: prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
