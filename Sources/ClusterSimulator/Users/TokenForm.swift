import Rules
import Tokens

/// What a client shows as a token: something that shows who it is, in one of the ways that nodes accept, or something that
/// shows nothing.
enum TokenForm: CaseIterable {
    case plain
    /// It names one audience of several.
    case forSeveral
    /// It ends early, because it was issued long ago.
    case aged
    /// As Firebase's old generators made them.
    case legacy

    // From here on, tokens that show nothing.

    case expired, early, notYet, tooOld, endless
    case signedByAnother, cut, extended
    case forAnother, toBeExchanged
    case nameless, longNamed, withoutNumber

    static let good: [TokenForm] = [.plain, .forSeveral, .aged, .legacy]
    static let bad: [TokenForm] = allCases.filter { !$0.isGood }

    /// Whether nodes have to accept it.
    var isGood: Bool { TokenForm.good.contains(self) }

    /// Whether it would show something at another time.
    var isUntimely: Bool {
        switch self {
        case .expired, .early, .notYet, .tooOld: true
        default: false
        }
    }

    private static let secret = Array("a key that issuer and cluster share".utf8)
    private static let audience = "virtual"
    private static let adminClaim = "runs-the-cluster"
    /// After so many seconds tokens show nothing, whatever they say.
    private static let maximumAge: UInt64 = 5_000
    /// How far clocks may be apart, in seconds.
    static let skew: UInt64 = 1

    /// Whom virtual nodes trust.
    static var trust: TokenTrust {
        var issuer = TokenIssuer(nil, keys: [.shared(secret)])
        issuer.skewSeconds = Double(skew)
        issuer.audiences = ["nobody", audience]
        issuer.adminClaim = adminClaim
        issuer.maximumAgeSeconds = Double(maximumAge)
        return TokenTrust([issuer])
    }

    /// A token of this form.
    ///
    /// - Parameters:
    ///   - uid: The user; nil for an administrator.
    ///   - start: Seconds since 1970.
    ///   - lifetime: In seconds.
    func text(of uid: String?, from start: UInt64, lifetime: UInt64) -> String {
        var members: [String: Claim] = [
            "aud": .string(TokenForm.audience), "iat": .number(Double(start - 600)),
            "exp": .number(Double(start + lifetime)),
        ]
        if let uid { members["sub"] = .string(uid) }
        if uid == nil { members[TokenForm.adminClaim] = .boolean(true) }
        change(&members, of: uid, from: start, lifetime: lifetime)
        let key = self == .signedByAnother ? Array("a key of somebody else".utf8) : TokenForm.secret
        let claims = Claim(
            members: members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        let token = TokenSigner.shared(key).token(claims)
        switch self {
        case .cut: return token.split(separator: ".").dropLast().joined(separator: ".")
        case .extended: return token + ".e30"
        default: return token
        }
    }

    private func change(
        _ members: inout [String: Claim], of uid: String?, from start: UInt64, lifetime: UInt64
    ) {
        let later = Claim.number(Double(start + 600))
        switch self {
        case .plain, .signedByAnother, .cut, .extended: break
        case .forSeveral:
            members["aud"] = .array([.string("another"), .string(TokenForm.audience)])
        case .aged:
            members["iat"] = .number(Double(start + lifetime - TokenForm.maximumAge))
            members["exp"] = .number(Double(start + 100_000))
        case .legacy:
            members["v"] = .number(0)
            members["d"] = .object(uid.map { [.init("uid", .string($0))] } ?? [])
            members["aud"] = nil
            if uid == nil { members["admin"] = .boolean(true) }
        case .expired: members["exp"] = .number(Double(start - 500))
        case .early: (members["iat"], members["nbf"]) = (later, nil)
        case .notYet: members["nbf"] = later
        case .tooOld:
            members["iat"] = .number(Double(start - TokenForm.maximumAge - 600))
        case .endless: members["exp"] = nil
        case .forAnother: members["aud"] = .string("another")
        case .toBeExchanged:
            members["aud"] = .array([
                .string(TokenForm.audience), .string(TokenForm.exchange),
            ])
        case .nameless: (members["sub"], members[TokenForm.adminClaim]) = (nil, nil)
        case .longNamed:
            members["sub"] = .string(String(repeating: "u", count: 129))
            members[TokenForm.adminClaim] = nil
        case .withoutNumber: members["iat"] = .string("now")
        }
    }

    private static let exchange =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
}
