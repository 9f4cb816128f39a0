import Rules
import TLS
import Tokens

/// Those whose tokens virtual nodes trust.
enum TokenMint {
    /// It shares a secret with the cluster, has no name, and makes administrators.
    case shared
    /// It has two keys with names, and claims of its own.
    case people
    /// It has one key without a name.
    case machines

    private static let secret = Array("a key that issuer and cluster share".utf8)
    private static let peopleName = "https://people.example"
    private static let machinesName = "https://machines.example"
    // Made for this and for nothing else. Signatures of this kind are the same each time.
    private static let firstKey = key(
        "MC4CAQAwBQYDK2VwBCIEIO3l4kgmHxQkreVWYKc1EueW8GG725p6zzjRjjVuIUX5")
    private static let secondKey = key(
        "MC4CAQAwBQYDK2VwBCIEIJ6qGwnx987HYC0WwYsdsXkKCjKWTEH9EHyyeygRBqN2")
    private static let onlyKey = key(
        "MC4CAQAwBQYDK2VwBCIEIORq/Pesh8MdAxoHXBEPc6KDjpdZxru8YcjrqRIUqNZy")

    private static func key(_ body: String) -> SigningKey {
        let text = "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n"
        guard let key = SigningKey(pem: text) else { preconditionFailure("\(body) is no key") }
        return key
    }

    private static let audience = "virtual"
    fileprivate static let adminClaim = "runs-the-cluster"
    /// After so many seconds tokens show nothing, whatever they say.
    fileprivate static let maximumAge: UInt64 = 5_000
    /// How far clocks may be apart, in seconds.
    static let skew: UInt64 = 1
    /// Tokens of users who signed in before that second are invalid.
    fileprivate static let validSince = VirtualClock.beginning / 1_000 - 300

    /// The trusted issuers of virtual nodes.
    static let trust: TokenTrust = {
        var shared = TokenIssuer(nil, keys: [.shared(secret)])
        shared.audiences = ["nobody", audience]
        shared.adminClaim = adminClaim
        shared.maximumAgeSeconds = Double(maximumAge)
        var people = TokenIssuer(
            peopleName,
            keys: [
                .verification(firstKey.publicKey, id: "first"),
                .verification(secondKey.publicKey, id: "second"),
            ])
        people.audiences = [audience]
        people.userClaim = "login"
        people.providerClaim = "via"
        people.validSinceSeconds = Double(validSince)
        var machines = TokenIssuer(
            machinesName, keys: [.verification(onlyKey.publicKey, id: nil)])
        machines.userClaim = "unit"
        let issuers = [shared, people, machines].map { issuer in
            var issuer = issuer
            issuer.skewSeconds = Double(skew)
            return issuer
        }
        return TokenTrust(issuers)
    }()

    /// The `auth.provider` of its users; nil without one.
    var provider: String? {
        switch self {
        case .shared: nil
        case .people: "people"
        case .machines: TokenMint.machinesName
        }
    }

    /// A token of a form.
    ///
    /// - Parameters:
    ///   - uid: The user; nil for an administrator.
    ///   - start: Seconds since 1970.
    ///   - lifetime: In seconds.
    static func text(
        _ form: TokenForm, of uid: String?, from start: UInt64, lifetime: UInt64
    ) -> String {
        let times = (start: start, lifetime: lifetime)
        var members = form.issuer.members(of: uid, times)
        form.change(&members, of: uid, times)
        let claims = Claim(
            members: members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        let extra = form == .critical ? [Claim.Member("crit", .array([.string("b64")]))] : []
        let token = signer(of: form).token(claims, header: extra)
        switch form {
        case .cut: return token.split(separator: ".").dropLast().joined(separator: ".")
        case .extended: return token + ".e30"
        case .padded: return token + "="
        // Its header says that it has no signature: {"alg":"none"}.
        case .unsigned: return "eyJhbGciOiJub25lIn0." + token.split(separator: ".")[1] + "."
        // The token of administrators where tokens need no signature.
        case .owner: return "owner"
        default: return token
        }
    }

    private static func signer(of form: TokenForm) -> TokenSigner {
        switch form {
        case .signedByAnother: .shared(Array("a key of somebody else, just as long".utf8))
        case .renewed: .key(secondKey, id: "second")
        case .withUnknownKey: .key(firstKey, id: "third")
        case .withAnotherKey: .key(firstKey, id: "second")
        case .withoutKey: .key(firstKey, id: nil)
        default:
            switch form.issuer {
            case .shared: .shared(secret)
            case .people: .key(firstKey, id: "first")
            case .machines: .key(onlyKey, id: nil)
            }
        }
    }

    private func members(
        of uid: String?, _ times: (start: UInt64, lifetime: UInt64)
    ) -> [String: Claim] {
        let user = uid.map { Claim.string($0) }
        var members: [String: Claim] = [
            "aud": .string(TokenMint.audience),
            "exp": .number(Double(times.start + times.lifetime)),
        ]
        switch self {
        case .shared:
            members["iat"] = .number(Double(times.start - 600))
            members["sub"] = user
            if uid == nil { members[TokenMint.adminClaim] = .boolean(true) }
        case .people:
            members["iss"] = .string(TokenMint.peopleName)
            members["iat"] = .number(Double(times.start - 60))
            members["login"] = user
            members["via"] = .string("people")
        case .machines:
            members["iss"] = .string(TokenMint.machinesName)
            members["iat"] = .number(Double(times.start - 60))
            (members["unit"], members["aud"]) = (user, nil)
        }
        return members
    }
}

// MARK: - What forms change

extension TokenForm {
    fileprivate func change(
        _ members: inout [String: Claim], of uid: String?,
        _ times: (start: UInt64, lifetime: UInt64)
    ) {
        let start = times.start
        let later = Claim.number(Double(start + 600))
        switch self {
        case .plain, .signedByAnother, .cut, .extended, .padded, .unsigned, .owner, .critical,
            .named,
            .byOnlyKey, .withUnknownKey, .withAnotherKey, .withoutKey:
            break
        case .forSeveral: members["aud"] = .array([.string("another"), members["aud"]!])
        case .aged:
            members["iat"] = .number(Double(start + times.lifetime - TokenMint.maximumAge))
            members["exp"] = .number(Double(start + 100_000))
        case .legacy:
            members["v"] = .number(0)
            members["d"] = .object(uid.map { [.init("uid", .string($0))] } ?? [])
            members["aud"] = nil
            if uid == nil { members["admin"] = .boolean(true) }
        case .renewed: members["auth_time"] = .number(Double(TokenMint.validSince))
        case .pretending: members[TokenMint.adminClaim] = .boolean(true)
        case .expired: members["exp"] = .number(Double(start - 500))
        case .early: (members["iat"], members["nbf"]) = (later, nil)
        case .notYet: members["nbf"] = later
        case .tooOld: members["iat"] = .number(Double(start - TokenMint.maximumAge - 600))
        case .endless: members["exp"] = nil
        case .forAnother: members["aud"] = .string("another")
        case .forNumbers: members["aud"] = .number(1)
        case .toBeExchanged:
            members["aud"] = .array([members["aud"]!, .string(TokenMint.exchange)])
        case .nameless: (members["sub"], members[TokenMint.adminClaim]) = (nil, nil)
        case .emptyNamed: members["login"] = .string("")
        case .longNamed:
            members["sub"] = .string(String(repeating: "u", count: 129))
            members[TokenMint.adminClaim] = nil
        case .tooLong: members["more"] = .string(String(repeating: "m", count: 13_000))
        case .withoutNumber: members["iat"] = .string("now")
        case .byStranger: members["iss"] = .string("https://strangers.example")
        case .takenBack: members["iat"] = .number(Double(TokenMint.validSince - 1))
        case .renewedTooOften: members["auth_time"] = .number(Double(TokenMint.validSince - 1))
        }
    }
}

extension TokenMint {
    fileprivate static let exchange =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
}
