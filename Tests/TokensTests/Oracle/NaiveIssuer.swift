import Rules

@testable import Tokens

/// An issuer by its parts, and what they mean by the definition (`tokens.md`), read without the code that nodes have for it.
struct NaiveIssuer {
    var name: String?
    var audiences: [String] = []
    var keys: [(key: ProbedKey, id: String?)] = []
    var userClaim = "sub"
    var providerClaim: String?
    var adminClaim: String?
    var skew = 1.0
    var maximumAge: Double?
    var validSince: Double?

    /// As nodes are given it.
    var issuer: TokenIssuer {
        var issuer = TokenIssuer(name, keys: keys.map { $0.key.key(id: $0.id) })
        issuer.audiences = audiences
        (issuer.userClaim, issuer.providerClaim) = (userClaim, providerClaim)
        issuer.adminClaim = adminClaim
        issuer.skewSeconds = skew
        (issuer.maximumAgeSeconds, issuer.validSinceSeconds) = (maximumAge, validSince)
        return issuer
    }

    /// Whether a key that it has may have signed a token that names a key so.
    func hasSigned(_ token: ProbedToken) -> Bool {
        if let name, token.claims["iss"] != .string(name) { return false }
        let fitting = keys.filter { $0.key.isShared == token.key.isShared }
        if token.key.isShared { return fitting.contains { $0.key == token.key } }
        let named = token.keyID.map { id in fitting.filter { $0.id == id } } ?? []
        let unnamed = token.keyID == nil ? fitting : fitting.filter { $0.id == nil }
        let candidates = named.isEmpty ? (unnamed.count == 1 ? unnamed : []) : named
        return candidates.contains { $0.key == token.key }
    }

    /// Who shows a token that it has signed, and until when; nil if nobody.
    func shown(by token: ProbedToken, at now: Double) -> (principal: Principal, end: Double)? {
        let legacy: Claim? =
            token.key.isShared && token.claims["v"] == .number(0) ? token.claims["d"] : nil
        guard let end = end(of: token, isLegacy: legacy != nil, at: now),
            let principal = legacy.map({ self.legacy($0, token) }) ?? standard(token)
        else { return nil }
        return (principal, end)
    }

    private func end(of token: ProbedToken, isLegacy: Bool, at now: Double) -> Double? {
        var times: [String: Double] = [:]
        for name in ["exp", "iat", "nbf", "auth_time"] {
            guard let claim = token.claims[name] else { continue }
            guard case .number(let time) = claim else { return nil }
            times[name] = time
        }
        guard let issued = times["iat"] else { return nil }
        let start = times["nbf"] ?? issued
        guard let expires = times["exp"] ?? (isLegacy ? start + 86_400 : nil) else { return nil }
        let end = min(expires, issued + (maximumAge ?? .infinity)) + skew
        let isTimely = max(issued, start) <= now + skew && now < end
        return isTimely && (times["auth_time"] ?? issued) >= validSince ?? -.infinity ? end : nil
    }

    private func legacy(_ auth: Claim, _ token: ProbedToken) -> Principal? {
        if token.claims["admin"] == .boolean(true) {
            return adminClaim == nil ? nil : administrator(auth.member("uid"))
        }
        guard case .object = auth else { return nil }
        return adminClaim != nil && token.claims["debug"] == .boolean(true)
            ? .override(auth) : .user(auth)
    }

    private func administrator(_ user: Claim?) -> Principal {
        guard case .string(let user)? = user, 1...128 ~= user.utf16.count else {
            return .administrator(name: "token")
        }
        return .administrator(name: "token:\(user)")
    }

    private func standard(_ token: ProbedToken) -> Principal? {
        guard isMeant(token) else { return nil }
        if let adminClaim, token.claims[adminClaim] == .boolean(true) {
            return administrator(token.claims[userClaim])
        }
        guard case .string(let user)? = token.claims[userClaim], 1...128 ~= user.utf16.count else {
            return nil
        }
        var members = [Claim.Member("token", token.payload), Claim.Member("uid", .string(user))]
        if let provider = provider(of: token) {
            members.append(Claim.Member("provider", .string(provider)))
        }
        return .user(Claim(members: members))
    }

    private func isMeant(_ token: ProbedToken) -> Bool {
        var named: [String] = []
        switch token.claims["aud"] {
        case nil: break
        case .string(let name)?: named = [name]
        case .array(let names)?:
            for name in names {
                guard case .string(let name) = name else { return false }
                named.append(name)
            }
        default: return false
        }
        if named.contains(ProbedToken.exchange) { return false }
        return audiences.isEmpty || named.contains { audiences.contains($0) }
    }

    private func provider(of token: ProbedToken) -> String? {
        var claim = providerClaim.flatMap { token.claims[$0] }
        if providerClaim == nil, case .object(let members)? = token.claims["firebase"] {
            claim = members.first { $0.name == "sign_in_provider" }?.value
        }
        if case .string(let text)? = claim { return text }
        return providerClaim == nil ? name : nil
    }
}

extension ProbedToken {
    /// Whom it names, if no signature is wanted.
    var unsignedUser: Principal? {
        let names = ["sub", "user_id", "uid"].compactMap { name -> String? in
            if case .string(let text)? = claims[name] { text } else { nil }
        }
        guard let user = names.first, !user.isEmpty else { return nil }
        var members = [Claim.Member("token", payload), Claim.Member("uid", .string(user))]
        if case .object(let parts)? = claims["firebase"],
            case .string(let provider)? = parts.first(where: { $0.name == "sign_in_provider" })?
                .value
        {
            members.append(Claim.Member("provider", .string(provider)))
        }
        return .user(Claim(members: members))
    }
}
