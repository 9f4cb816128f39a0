public import JSONText
internal import Rules

/// The issuers whose tokens a cluster trusts.
public struct TokenTrust: Equatable, Sendable {
    /// The issuers.
    public var issuers: [TokenIssuer]
    /// Whether tokens need no signature, and the text `owner` makes an administrator: for tests of programs on one machine.
    public var acceptsUnsigned: Bool

    /// Trusts these issuers.
    public init(_ issuers: [TokenIssuer], acceptsUnsigned: Bool = false) {
        self.issuers = issuers
        self.acceptsUnsigned = acceptsUnsigned
    }
}

extension TokenTrust {
    /// Returns the identity in a credential.
    ///
    /// Equal texts show the same at equal times.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: why it shows nothing.
    public func identity(
        of text: String, at now: Double, by reader: JSONReader
    ) throws(TokenFailure) -> TokenIdentity {
        if acceptsUnsigned, text == "owner" { return TokenIdentity(.administrator(name: text)) }
        return try identity(of: Token(text, by: reader), at: now)
    }

    /// Returns the identity in a token.
    ///
    /// - Throws: why it shows nothing.
    public func identity(of token: Token, at now: Double) throws(TokenFailure) -> TokenIdentity {
        if acceptsUnsigned, token.algorithm == "none" { return try unsignedIdentity(of: token) }
        guard let algorithm = TokenAlgorithm(rawValue: token.algorithm) else {
            throw .algorithm(String(token.algorithm.prefix(16)))
        }
        let (issuer, key) = try signer(of: token, algorithm)
        var identity = try issuer.identity(of: token, algorithm, at: now)
        identity.proof = TokenProof(issuer: issuer.name, key: key)
        return identity
    }

    /// The issuer that has signed a token, and with which key.
    private func signer(
        of token: Token, _ algorithm: TokenAlgorithm
    ) throws(TokenFailure) -> (TokenIssuer, TokenKey) {
        let name = token.claims.string("iss")
        let meant = issuers.filter { issuer in
            issuer.name.map { name?.utf8.elementsEqual($0.utf8) ?? false } ?? true
        }
        guard !meant.isEmpty else { throw .issuer(name.map { String($0.prefix(80)) }) }
        // All of its keys are revoked.
        guard meant.contains(where: { !$0.keys.isEmpty }) else { throw .signature }
        let signers = meant.filter { $0.keys.contains { $0.algorithm == algorithm } }
        guard !signers.isEmpty else { throw .algorithm(algorithm.rawValue) }
        var hasKey = false
        for issuer in signers {
            for key in issuer.keys.candidates(for: token, algorithm) {
                hasKey = true
                if key.accepts(token) { return (issuer, key) }
            }
        }
        throw hasKey ? .signature : .key(token.keyID.map { String($0.prefix(80)) })
    }

    /// Returns the identity in an unsigned token, as Firebase's emulators accept it, at any time.
    private func unsignedIdentity(of token: Token) throws(TokenFailure) -> TokenIdentity {
        guard token.signature.isEmpty else { throw .signature }
        let claims = token.claims
        guard let user = claims.string("sub") ?? claims.string("user_id") ?? claims.string("uid")
        else { throw .claim("sub") }
        let name = try TokenUser.name(user, of: "sub")
        let provider = claims.member("firebase")?.string("sign_in_provider")
        return TokenIdentity(user: name, provider: provider, claims)
    }
}
