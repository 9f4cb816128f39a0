public import Rules
public import TLS

/// Signs tokens: for tests, scripts, and programs that know their users themselves.
public enum TokenSigner: Sendable {
    /// By a signing key, which the cluster has too: HS256.
    case shared([UInt8])
    /// By a private key, which tokens may name.
    case key(SigningKey, id: String?)

    /// How it signs.
    public var algorithm: TokenAlgorithm {
        switch self {
        case .shared: .hs256
        case .key(let key, _): TokenAlgorithm(key.publicKey.kind)
        }
    }

    /// The token that says these claims.
    ///
    /// - Parameter members: What its header says besides how it is signed.
    public func token(_ claims: Claim, header members: [Claim.Member] = []) -> String {
        var header = [
            Claim.Member("alg", .string(algorithm.rawValue)), Claim.Member("typ", .string("JWT")),
        ]
        header += members
        if case .key(_, let id?) = self { header.append(Claim.Member("kid", .string(id))) }
        let signed = [Claim.object(header), claims]
            .map { Base64URL.text(of: Array($0.json.utf8)) }.joined(separator: ".")
        let message = Array(signed.utf8)
        let signature =
            switch self {
            case .shared(let secret): MessageAuthentication.code(of: message, key: secret)
            case .key(let key, _): key.signature(of: message)
            }
        return signed + "." + Base64URL.text(of: signature)
    }
}
