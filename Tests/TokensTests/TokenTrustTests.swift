import Rules
import TLS
import Testing

@testable import Tokens

/// A token yields an identity, or a reason why it yields none.
@Suite struct TokenTrustTests {
    private static let signer = TokenSigner.shared(TestKeys.secret)
    private static let trust = TokenTrust([issuer(.shared(TestKeys.secret))])

    @Test func `auth has the user, the provider and all claims`() {
        let auth = claim(
            #"{"uid":"ada","provider":"issuer","token":\#(claims(["team": .string("red")]).json)}"#)
        let text = Self.signer.token(claims(["team": .string("red")]))
        #expect(Self.trust.principal(text) == .user(auth))
    }

    @Test func `the provider is Firebase's, or that of the configured claim`() {
        let firebase = claim(#"{"sign_in_provider":"password"}"#)
        let text = Self.signer.token(claims(["firebase": firebase, "idp": .string("own")]))
        var trust = Self.trust
        func provider() -> Claim? {
            guard case .user(let auth)? = trust.principal(text) else { return nil }
            return auth.member("provider")
        }
        #expect(provider() == .string("password"))
        trust.issuers[0].providerClaim = "idp"
        #expect(provider() == .string("own"))
    }

    @Test func `an issuer with a secret that vouches for administrators signs a token for one`() {
        var trust = Self.trust
        trust.issuers[0].adminClaim = nil
        #expect(trust.administratorToken(at: now) == nil)
        (trust.issuers[0].adminClaim, trust.issuers[0].audiences) = ("root", ["app"])
        let token = trust.administratorToken(at: now)
        #expect(
            token.flatMap { trust.principal($0) } == .administrator(name: "token:hearth"))
        #expect(TokenTrust([]).administratorToken(at: now) == nil)
    }

    private static let times: [([String: Double], TokenFailure?)] = [
        (["exp": now - 59.5], nil), (["exp": now - 60], TokenFailure.expired(at: now - 60)),
        (["exp": -1], .expired(at: -1)),
        (["iat": now + 60], nil), (["iat": now + 60.5], .early(until: now + 60.5)),
        (["nbf": now + 60], nil), (["nbf": now + 61], .early(until: now + 61)),
    ]

    @Test(arguments: TokenTrustTests.times)
    func `times may differ by a minute`(times: [String: Double], failure: TokenFailure?) {
        let text = Self.signer.token(claims(times.mapValues { .number($0) }))
        #expect(Self.trust.failure(text) == failure)
    }

    private static let wrongClaims: [(String, Claim)] = [
        ("exp", Claim.null), ("exp", .string("1800000000")), ("exp", .boolean(true)),
        ("iat", .null), ("iat", .array([])), ("nbf", .string("")), ("sub", .null),
        ("sub", .string("")), ("sub", .string(String(repeating: "x", count: 129))),
        ("sub", .number(7)), ("aud", .number(7)), ("aud", .array([.string("app"), .number(1)])),
    ]

    @Test(arguments: TokenTrustTests.wrongClaims)
    func `a claim that is missing, or of another type, is named`(name: String, value: Claim) {
        #expect(Self.trust.failure(Self.signer.token(claims([name: value]))) == .claim(name))
    }

    private static let audiences: [(Claim, TokenFailure?)] = [
        (Claim.string("app"), nil), (.array([.string("x"), .string("other")]), nil),
        (.string("App"), TokenFailure.audience), (.array([]), .claim("aud")),
        (.null, .claim("aud")),
        (.string(TokenIssuer.exchange), .custom),
        (.array([.string("app"), .string(TokenIssuer.exchange)]), .custom),
    ]

    @Test(arguments: TokenTrustTests.audiences)
    func `the audience is one of the issuer's`(audience: Claim, failure: TokenFailure?) {
        #expect(Self.trust.failure(Self.signer.token(claims(["aud": audience]))) == failure)
    }

    @Test func `the remedy for a token without a key's name or an audience is at the issuer`() {
        #expect(
            TokenFailure.key(nil).fix
                == "have the issuer name its key in the header of its tokens (kid)")
        #expect(TokenFailure.key("a").fix.hasPrefix("add the issuer's present keys"))
        #expect(TokenFailure.claim("aud").fix.contains("send an ID token"))
    }

    @Test func `only a trusted issuer is believed, by its own keys`() {
        var trust = TokenTrust([
            issuer(.shared(TestKeys.secret)),
            TokenIssuer("second", keys: [.shared(TestKeys.otherSecret)]),
        ])
        let other = TokenSigner.shared(TestKeys.otherSecret)
        #expect(trust.failure(other.token(claims())) == .signature)
        #expect(trust.failure(other.token(claims(["iss": .string("second")]))) == nil)
        #expect(trust.failure(Self.signer.token(claims(["iss": .string("second")]))) == .signature)
        #expect(trust.failure(other.token(claims(["iss": .string("x")]))) == .issuer("x"))
        #expect(trust.failure(other.token(claims(["iss": .null]))) == .issuer(nil))
        trust.issuers.append(TokenIssuer(keys: [.shared(TestKeys.otherSecret)]))
        #expect(trust.failure(other.token(claims(["iss": .null]))) == nil)
    }

    @Test func `a younger token is wanted where the configuration says so`() {
        var trust = Self.trust
        trust.issuers[0].maximumAgeSeconds = 100
        let text = Self.signer.token(claims())
        #expect(trust.failure(text, at: now + 149) == nil)
        #expect(trust.failure(text, at: now + 150) == .old(issuedAt: now - 10))
        let identity = try? trust.identity(of: text, at: now, by: Token.makeReader())
        #expect(identity?.endSeconds == now + 150 && identity?.expiresSeconds == now + 3_600)
    }

    @Test
    func `tokens from before a time are taken back, by the time at which their users signed in`() {
        var trust = Self.trust
        trust.issuers[0].validSinceSeconds = now - 10
        let failure = TokenFailure.revoked(since: now - 10)
        for (changes, expected) in [
            ([:], nil), (["iat": Claim.number(now - 10.5)], failure),
            (["auth_time": .number(now - 11)], failure),
            (["iat": .number(now - 20), "auth_time": .number(now - 10)], nil),
            (["auth_time": .string("later")], .claim("auth_time")),
        ] as [([String: Claim], TokenFailure?)] {
            #expect(trust.failure(Self.signer.token(claims(changes))) == expected)
        }
        let legacy = Self.signer.token(
            claim(#"{"v":0,"iss":"issuer","iat":\#(Int(now) - 11),"d":{"uid":"ada"}}"#))
        #expect(trust.failure(legacy) == failure && Self.trust.failure(legacy) == nil)
        #expect(failure.answer == "Auth token is expired")
    }

    @Test func `an administrator is made by the claim that the issuer is trusted with`() {
        let text = Self.signer.token(claims(["admin": .boolean(true), "sub": .null]))
        #expect(Self.trust.failure(text) == .claim("sub"))
        var trust = Self.trust
        trust.issuers[0].adminClaim = "admin"
        #expect(trust.principal(text) == .administrator(name: "token"))
        let named = Self.signer.token(claims(["admin": .boolean(true), "sub": .string("ada")]))
        #expect(trust.principal(named) == .administrator(name: "token:ada"))
        let invalid = Self.signer.token(claims(["admin": .boolean(true), "sub": .string("a\nb")]))
        #expect(trust.principal(invalid) == .administrator(name: "token"))
        for value in [Claim.string("true"), .number(1), .boolean(false), .array([])] {
            let text = Self.signer.token(claims(["admin": value]))
            #expect(trust.principal(text)?.isAdministrator == false)
        }
        var own = trust
        own.issuers[0].userClaim = "email"
        let mail = Self.signer.token(claims(["email": .string("a@b.test")]))
        guard case .user(let auth)? = own.principal(mail) else {
            return #expect(Bool(false), "the token shows nobody")
        }
        #expect(auth.member("uid") == .string("a@b,test"))
        #expect(auth.member("token")?.member("email") == .string("a@b.test"))
    }

    @Test(arguments: [
        ("a/b", TokenFailure.user("sub")), ("a.b", .user("sub")), ("a#", .user("sub")),
        ("$a", .user("sub")), ("a[0]", .user("sub")), ("a\n", .user("sub")),
        ("a\u{7F}", .user("sub")), ("", .claim("sub")),
        (String(repeating: "a", count: 129), .claim("sub")),
    ])
    func `a user that no key can name is refused`(user: String, failure: TokenFailure) {
        let changes = ["sub": Claim.string(user)]
        #expect(Self.trust.failure(Self.signer.token(claims(changes))) == failure)
        var unsigned = TokenTrust([])
        unsigned.acceptsUnsigned = true
        let text = token(#"{"alg":"none"}"#, claims(changes).json) + "."
        #expect(unsigned.failure(text) == failure)
    }

    @Test func `a user of an old token can be a key, too`() {
        let legacy = Self.signer.token(
            claim(#"{"v":0,"iss":"issuer","iat":\#(Int(now)),"d":{"uid":"ada/boss"}}"#))
        #expect(Self.trust.failure(legacy) == .user("uid"))
    }

    @Test(
        arguments: [
            (nil, nil), (Claim.boolean(true), nil), (.string("true"), nil),
            (.boolean(false), TokenFailure.unverifiedMail), (.string("false"), .unverifiedMail),
            (.number(1), .unverifiedMail),
        ] as [(Claim?, TokenFailure?)])
    func `an address that its issuer has not checked names nobody`(
        verified: Claim?, failure: TokenFailure?
    ) {
        var trust = Self.trust
        trust.issuers[0].userClaim = "email"
        var changes = ["email": Claim.string("ada@example.test")]
        changes["email_verified"] = verified
        #expect(trust.failure(Self.signer.token(claims(changes))) == failure)
    }

    @Test(arguments: ["a,b@example.test", "a/b@example.test", "a[1]@example.test"])
    func `an address that could be the name of another user is refused`(address: String) {
        var trust = Self.trust
        trust.issuers[0].userClaim = "email"
        let text = Self.signer.token(claims(["email": .string(address)]))
        #expect(trust.failure(text) == .user("email"))
    }
}

// MARK: - Keys and algorithms

extension TokenTrustTests {
    @Test func `nobody uses a public key as a secret`() {
        for pair in [TestKeys.rsa, TestKeys.p256, TestKeys.ed25519] {
            let key = pair.publicKey
            let trust = TokenTrust([issuer(.verification(key, id: "k"))])
            for secret in [Array(TestKeys.pem(key).utf8), key.encoded, []] {
                let text = TokenSigner.shared(secret).token(claims())
                #expect(trust.failure(text) == .algorithm("HS256"))
                var both = trust
                both.issuers[0].keys.append(.shared(TestKeys.secret))
                #expect(both.failure(text) == .signature)
            }
        }
    }

    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "", "HS384", "HS512", "RS512", "PS256", "ES384", "EdDSA",
        "rs256", "RS256 ",
    ])
    func `an algorithm that is none, or unknown, is refused`(name: String) {
        let parts = token(#"{"alg":"\#(name)"}"#, claims().json)
        for signature in ["", "e30"] {
            #expect(Self.trust.failure("\(parts).\(signature)") == .algorithm(name))
        }
        #expect(Self.trust.failure(parts + ".")?.answer == "Unsupported jwt algorithm: \(name)")
    }

    @Test func `a key is found by its name, or is the only one`() {
        let (first, second) = (TestKeys.rsa, TestKeys.otherRSA)
        let named = TokenTrust([
            issuer(
                .verification(first.publicKey, id: "a"), .verification(second.publicKey, id: "b"))
        ])
        func token(_ key: SigningKey, _ id: String?) -> String {
            TokenSigner.key(key, id: id).token(claims())
        }
        #expect(named.failure(token(first, "a")) == nil && named.failure(token(second, "b")) == nil)
        #expect(named.failure(token(first, "b")) == .signature)
        #expect(named.failure(token(first, "c")) == .key("c"))
        #expect(named.failure(token(first, nil)) == .key(nil))
        let single = TokenTrust([issuer(.verification(first.publicKey, id: nil))])
        #expect(
            single.failure(token(first, nil)) == nil && single.failure(token(first, "x")) == nil)
        let one = TokenTrust([issuer(.verification(first.publicKey, id: "a"))])
        #expect(
            one.failure(token(first, nil)) == nil && one.failure(token(first, "x")) == .key("x"))
    }

    @Test func `two secrets hold while one replaces the other`() {
        let other = TokenSigner.shared(TestKeys.otherSecret)
        let trust = TokenTrust([
            issuer(.shared(TestKeys.secret), .shared(TestKeys.otherSecret))
        ])
        #expect(trust.failure(Self.signer.token(claims())) == nil)
        #expect(trust.failure(other.token(claims())) == nil)
        #expect(Self.trust.failure(other.token(claims())) == .signature)
    }
}

// MARK: - Other forms

extension TokenTrustTests {
    private static let legacy = TokenTrust([TokenIssuer(keys: [.shared(TestKeys.secret)])])

    private static func oldToken(_ json: String) -> String { signer.token(claim(json)) }

    @Test func `a token of Firebase's old generators has auth in d`() {
        let text = Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"d":{"uid":"a","team":"red"}}"#)
        #expect(Self.legacy.principal(text) == .user(claim(#"{"uid":"a","team":"red"}"#)))
        #expect(Self.legacy.failure(text, at: now + 86_459) == nil)
        #expect(Self.legacy.failure(text, at: now + 86_460) == .expired(at: now + 86_400))
        let later = Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"nbf":\#(Int(now) + 50),"d":{}}"#)
        #expect(Self.legacy.failure(later, at: now + 86_500) == nil)
        let short = Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"exp":\#(Int(now) + 5),"d":{}}"#)
        #expect(Self.legacy.failure(short, at: now + 70) == .expired(at: now + 5))
        #expect(Self.legacy.failure(Self.oldToken(#"{"v":0,"d":{}}"#)) == .claim("iat"))
        #expect(
            Self.legacy.failure(Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"d":"x"}"#))
                == .claim("d"))
    }

    @Test func `an old administrator's token needs an issuer that is trusted with it`() {
        let text = Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"admin":true,"d":{"uid":"a"}}"#)
        #expect(Self.legacy.failure(text) == .administrator)
        var trust = Self.legacy
        trust.issuers[0].adminClaim = "admin"
        #expect(trust.principal(text) == .administrator(name: "token:a"))
    }

    @Test
    func
        `an old token for debugging shows a user who learns reasons, if its issuer may make administrators`()
    {
        let auth = claim(#"{"uid":"a"}"#)
        let text = Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"debug":true,"d":{"uid":"a"}}"#)
        #expect(Self.legacy.principal(text) == .user(auth))
        var trust = Self.legacy
        trust.issuers[0].adminClaim = "admin"
        #expect(trust.principal(text) == .override(auth))
        let plain = Self.oldToken(#"{"v":0,"iat":\#(Int(now)),"debug":false,"d":{"uid":"a"}}"#)
        #expect(trust.principal(plain) == .user(auth))
        // In tokens of today it is a claim as any other.
        guard case .user? = trust.principal(Self.signer.token(claims(["debug": .boolean(true)])))
        else { return #expect(Bool(false), "the token shows no user") }
    }

    @Test func `the old form is for shared secrets alone`() {
        let trust = TokenTrust([issuer(.verification(TestKeys.rsa.publicKey, id: nil))])
        let old = claims(["v": .number(0), "d": claim(#"{"uid":"eve"}"#)])
        guard
            case .user(let auth)? = trust.principal(
                TokenSigner.key(TestKeys.rsa, id: nil).token(old))
        else { return #expect(Bool(false), "the token shows nobody") }
        #expect(auth.member("uid") == .string("ada"))
    }

    @Test func `unsigned tokens and owner show something only where that is allowed`() {
        let text = unsigned(#"{"alg":"none","typ":"JWT"}"#, #"{"sub":"a","iat":0,"exp":3600}"#)
        let open = TokenTrust([], acceptsUnsigned: true)
        #expect(open.principal("owner") == .administrator(name: "owner"))
        #expect(
            open.principal(text)
                == .user(claim(#"{"uid":"a","token":{"sub":"a","iat":0,"exp":3600}}"#)))
        #expect(open.failure(text + "e30") == .signature)
        #expect(Self.trust.failure(text) == .algorithm("none"))
        #expect(Self.trust.failure("owner") == .malformed("it has not three parts"))
    }
}

/// A token without a signature.
private func unsigned(_ header: String, _ payload: String) -> String {
    token(header, payload) + "."
}
