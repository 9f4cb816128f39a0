internal import Rules

/// A trusted signer of tokens, and the conditions on its tokens.
public struct TokenIssuer: Equatable, Sendable {
    /// The required value of `iss`; nil accepts every value, and is only for signing keys.
    public var name: String?
    /// The accepted values of `aud`; empty accepts every value.
    public var audiences: [String] = []
    /// By what its tokens are checked.
    public var keys: [TokenKey]
    /// The claim that becomes `auth.uid`: of `email`, with a comma for each dot.
    public var userClaim = "sub"
    /// The claim that becomes `auth.provider`; without it, Firebase's, and otherwise the name of the issuer.
    public var providerClaim: String?
    /// The claim that makes an administrator if it is true; nil if no claim does.
    public var adminClaim: String?
    /// How far the clocks of the issuer and of the nodes may be apart.
    public var skewSeconds = 60.0
    /// Tokens that were issued longer ago show nothing.
    public var maximumAgeSeconds: Double?
    /// Tokens of sign-ins before this second since 1970 are refused. An operator revokes them with
    /// it.
    public var validSinceSeconds: Double?

    /// An issuer whose tokens these keys check.
    public init(_ name: String? = nil, keys: [TokenKey]) {
        self.name = name
        self.keys = keys
    }
}

extension TokenIssuer {
    /// Returns the identity in a token that this issuer has signed.
    ///
    /// - Throws: what the token lacks.
    func identity(
        of token: Token, _ algorithm: TokenAlgorithm, at now: Double
    ) throws(TokenFailure) -> TokenIdentity {
        let claims = token.claims
        let isLegacy = algorithm == .hs256 && claims.number("v") == 0 && claims.member("d") != nil
        let expires = try checkTimes(of: claims, isLegacy: isLegacy, at: now)
        var identity =
            try isLegacy ? legacyIdentity(of: claims) : standardIdentity(of: claims)
        identity.expiresSeconds = expires
        identity.endSeconds = expires + skewSeconds
        if let age = maximumAgeSeconds, let issued = claims.number("iat") {
            identity.endSeconds = min(expires, issued + age) + skewSeconds
        }
        return identity
    }

    /// Checks the times, and returns when the token expires.
    private func checkTimes(
        of claims: Claim, isLegacy: Bool, at now: Double
    ) throws(TokenFailure) -> Double {
        for name in ["exp", "iat", "nbf", "auth_time"] where claims.member(name) != nil {
            guard claims.number(name) != nil else { throw .claim(name) }
        }
        let (issued, start) = (claims.number("iat"), claims.number("nbf"))
        guard let issued else { throw .claim("iat") }
        let legacyEnd = isLegacy ? (start ?? issued) + TokenIssuer.legacySeconds : nil
        guard let expires = claims.number("exp") ?? legacyEnd else { throw .claim("exp") }
        guard expires + skewSeconds > now else { throw .expired(at: expires) }
        for time in [issued, start ?? issued] where time > now + skewSeconds {
            throw .early(until: time)
        }
        if let age = maximumAgeSeconds, issued + age + skewSeconds <= now {
            throw .old(issuedAt: issued)
        }
        // A token that was renewed says when its user signed in; one that does not was issued for that.
        if let since = validSinceSeconds, claims.number("auth_time") ?? issued < since {
            throw .revoked(since: since)
        }
        return expires
    }

    /// How long a legacy token is valid that does not say it.
    private static let legacySeconds = 86_400.0

    /// Returns the identity in a token of Firebase's old generators: `d` is `auth`.
    private func legacyIdentity(of claims: Claim) throws(TokenFailure) -> TokenIdentity {
        if claims.isTrue("admin") {
            guard adminClaim != nil else { throw .administrator }
            return TokenIdentity(
                administrator: claims.member("d")?.string("uid").flatMap {
                    try? TokenUser.name($0, of: "uid")
                })
        }
        let auth = claims.member("d") ?? .null
        guard case .object = auth else { throw .claim("d") }
        if let user = auth.string("uid") { _ = try TokenUser.name(user, of: "uid") }
        // Reasons reveal stored data, so only an issuer of administrators may grant them.
        let learnsReasons = adminClaim != nil && claims.isTrue("debug")
        return TokenIdentity(learnsReasons ? .override(auth) : .user(auth))
    }

    private func standardIdentity(of claims: Claim) throws(TokenFailure) -> TokenIdentity {
        try checkAudience(of: claims)
        if let adminClaim, claims.isTrue(adminClaim) {
            return TokenIdentity(administrator: try? user(of: claims))
        }
        return TokenIdentity(
            user: try user(of: claims), provider: provider(of: claims), claims)
    }

    /// Returns the user ID in the claims, which must be a possible key.
    private func user(of claims: Claim) throws(TokenFailure) -> String {
        guard let user = claims.string(userClaim) else { throw .claim(userClaim) }
        return try userClaim == TokenUser.mailClaim
            ? TokenUser.name(ofMail: user, in: claims)
            : TokenUser.name(user, of: userClaim)
    }

    private func provider(of claims: Claim) -> String? {
        if let providerClaim { return claims.string(providerClaim) }
        return claims.member("firebase")?.string("sign_in_provider") ?? name
    }

    private func checkAudience(of claims: Claim) throws(TokenFailure) {
        var named: [String] = []
        switch claims.member("aud") {
        case .string(let audience)?: named = [audience]
        case .array(let elements)?:
            for element in elements {
                guard case .string(let audience) = element else { throw .claim("aud") }
                named.append(audience)
            }
        case nil: break
        default: throw .claim("aud")
        }
        guard !named.contains(TokenIssuer.exchange) else { throw .custom }
        guard !audiences.isEmpty else { return }
        guard !named.isEmpty else { throw .claim("aud") }
        let isMeant = named.contains { name in
            audiences.contains { $0.utf8.elementsEqual(name.utf8) }
        }
        guard isMeant else { throw .audience }
    }

    /// The audience of Firebase's custom tokens: the service that exchanges them for ID tokens.
    static let exchange =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
}
