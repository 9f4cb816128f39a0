internal import Rules

extension TokenTrust {
    /// A token of an hour that shows an administrator, signed with a shared secret; nil if no issuer with a secret vouches for
    /// administrators.
    ///
    /// - Parameter now: Seconds since 1970.
    public func administratorToken(at now: Double) -> String? {
        issuers.lazy.compactMap { $0.administratorToken(at: now) }.first
    }
}

extension TokenIssuer {
    fileprivate func administratorToken(at now: Double) -> String? {
        guard let adminClaim, case .shared(let secret)? = keys.first else { return nil }
        var members = [
            Claim.Member(userClaim, .string("hearth")), Claim.Member(adminClaim, .boolean(true)),
            Claim.Member("iat", .number(now)), Claim.Member("exp", .number(now + 3_600)),
        ]
        if let name { members.append(Claim.Member("iss", .string(name))) }
        if let audience = audiences.first {
            members.append(Claim.Member("aud", .string(audience)))
        }
        return TokenSigner.shared(secret).token(Claim(members: members))
    }
}
