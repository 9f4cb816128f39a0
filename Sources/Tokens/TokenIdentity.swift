public import Rules

/// The identity in a token, and its expiry.
public struct TokenIdentity: Equatable, Sendable {
    /// The identity for rules.
    public let principal: Principal
    /// When the token expires, in seconds since 1970; nil for one that does not.
    public internal(set) var expiresSeconds: Double?
    /// The time of its expiry, with the tolerance for clocks.
    public internal(set) var endSeconds: Double?
    /// By what the token was believed; nil for one that needed nothing.
    public internal(set) var proof: TokenProof?

    init(_ principal: Principal) { self.principal = principal }

    /// An administrator, with the user ID in its token, if it has a valid one.
    init(administrator user: String?) {
        self.init(.administrator(name: user.map { "token:\($0)" } ?? "token"))
    }

    /// A user, with the value of `auth`: `uid`, `provider`, and all claims as `token`.
    init(user: String, provider: String?, _ claims: Claim) {
        var members = [Claim.Member("token", claims), Claim.Member("uid", .string(user))]
        if let provider { members.insert(Claim.Member("provider", .string(provider)), at: 0) }
        self.init(.user(.object(members)))
    }

    /// Whether it holds at a time.
    func holds(at now: Double) -> Bool { endSeconds.map { now < $0 } ?? true }
}
