public import TLS

/// A key that verifies the signatures of an issuer: a public key, or a signing key that issuer and cluster share.
///
/// The key determines the algorithm, and not the token. A public key can therefore never be used as
/// a signing key.
public enum TokenKey: Equatable, Sendable {
    /// A public key, with the name by which tokens call it.
    case verification(VerificationKey, id: String?)
    /// The bytes of a signing key.
    case shared([UInt8])

    /// A signing key has at least so many bytes, as its hash does (RFC 7518, section 3.2).
    public static let sharedBytes = 32

    /// How it signs.
    public var algorithm: TokenAlgorithm {
        switch self {
        case .verification(let key, _): TokenAlgorithm(key.kind)
        case .shared: .hs256
        }
    }

    /// The name by which tokens call it, `kid`.
    var id: String? {
        switch self {
        case .verification(_, let id): id
        case .shared: nil
        }
    }

    /// Whether it has signed a token.
    func accepts(_ token: Token) -> Bool {
        switch self {
        case .verification(let key, _): key.accepts(token.signature, of: token.signed)
        case .shared(let secret):
            MessageAuthentication.accepts(token.signature, of: token.signed, key: secret)
        }
    }
}

extension [TokenKey] {
    /// The keys that a token may be signed with: the one that it names, or the only one. Signing keys have no names.
    func candidates(for token: Token, _ algorithm: TokenAlgorithm) -> [TokenKey] {
        let fitting = filter { $0.algorithm == algorithm }
        if algorithm == .hs256 { return fitting }
        guard let id = token.keyID else { return fitting.count == 1 ? fitting : [] }
        let named = fitting.filter { $0.id?.utf8.elementsEqual(id.utf8) ?? false }
        if !named.isEmpty { return named }
        let unnamed = fitting.filter { $0.id == nil }
        return unnamed.count == 1 ? unnamed : []
    }
}

extension TokenAlgorithm {
    /// How keys of a kind sign.
    init(_ kind: VerificationKey.Kind) {
        self =
            switch kind {
            case .rsa: .rs256
            case .p256: .es256
            case .ed25519: .edDSA
            }
    }
}
