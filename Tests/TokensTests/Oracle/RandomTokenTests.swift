import Randomness
import Rules
import Testing

@testable import Tokens

/// Random tokens of random issuers, judged by their definition.
@Suite struct `Random tokens` {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `show the user that the definition says`(seed: UInt64) {
        #expect(RandomTokens(SplitMix64(seed: seed)).failure == nil)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `are signed by the keys that a published text has`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<40 { #expect(ProbedKeyText(&random).problem == nil) }
    }
}

/// Verifies tokens of all kinds at the times at which something about them changes, and compares the results with the
/// definition. Meanwhile the trusted issuers and keys change.
private struct RandomTokens {
    /// The number of verified tokens.
    private static let tokens = 60
    private static let base = 1_800_000_000.0

    private var random: SplitMix64
    private var issuers: [NaiveIssuer]
    /// Whether tokens need no signature.
    private var acceptsUnsigned: Bool
    private var verifier: TokenVerifier
    private var shown: [ProbedToken] = []
    private var latest = base
    /// The first difference from the definition.
    private(set) var failure: String?

    init(_ random: SplitMix64) {
        self.random = random
        issuers = RandomTokens.draw(&self.random)
        acceptsUnsigned = self.random.index(below: 3) == 0
        verifier = TokenVerifier(
            trusting: TokenTrust(issuers.map(\.issuer), acceptsUnsigned: acceptsUnsigned),
            remembering: 1 + self.random.index(below: 3))
        while shown.count < RandomTokens.tokens, failure == nil { step() }
    }

    private mutating func step() {
        if random.index(below: 10) == 0 {
            changeTrust()
            if failure != nil { return }
        }
        if random.index(below: 10) == 0 { return judgeOwner() }
        let issuer = issuers[random.index(below: issuers.count)]
        let again = !shown.isEmpty && random.index(below: 3) == 0
        let token =
            again
            ? shown[shown.count - 1 - random.index(below: min(5, shown.count))]
            : ProbedToken(by: issuer, around: latest, &random)
        shown.append(token)
        // A verifier that remembers a token does not ask whether it holds already.
        if !again, random.index(below: 2) == 0 {
            latest = token.drawTime(issuer, &random).map { max(latest, $0) } ?? latest
        }
        judge(token, at: latest)
    }

    private mutating func judge(_ token: ProbedToken, at now: Double) {
        let expected = expected(of: token, at: now)
        let found = try? verifier.identity(of: token.text, at: now)
        let isSame = found?.principal == expected?.principal && found?.endSeconds == expected?.end
        let foundTrust = (found?.proof).map { verifier.trust.believes($0) } ?? true
        if isSame, foundTrust { return }
        failure =
            "the token \(token.payload.json) by \(token.key) shows \(found.map { "\($0)" } ?? "nothing") at \(now), not "
            + (expected.map { "\($0)" } ?? "nothing")
    }

    /// Who shows a token, and until when; nil if nobody. One that nobody has signed does so for ever, where those count.
    private func expected(
        of token: ProbedToken, at now: Double
    ) -> (principal: Principal, end: Double?)? {
        if token.isSpoilt { return nil }
        if token.isUnsigned { return acceptsUnsigned ? token.unsignedUser.map { ($0, nil) } : nil }
        let signer = issuers.first { $0.hasSigned(token) }
        return signer?.shown(by: token, at: now).map { ($0.principal, $0.end) }
    }

    /// The text `owner`, by which Firebase's emulators know an administrator.
    private mutating func judgeOwner() {
        let found = try? verifier.identity(of: "owner", at: latest)
        if found?.principal == (acceptsUnsigned ? .administrator(name: "owner") : nil) { return }
        failure = "the text \"owner\" shows \(found.map { "\($0)" } ?? "nothing")"
    }

    private mutating func changeTrust() {
        let text = ProbedKeyText(&random)
        if let problem = text.problem { failure = problem }
        if random.index(below: 3) == 0 {
            issuers = RandomTokens.draw(&random)
        } else if let keys = text.keys,
            let index = issuers.firstIndex(where: { !$0.keys[0].key.isShared })
        {
            issuers[index].keys = keys
        }
        acceptsUnsigned = random.index(below: 3) == 0
        verifier.trust = TokenTrust(issuers.map(\.issuer), acceptsUnsigned: acceptsUnsigned)
    }

    /// One to three issuers: the second and the third sign by keys of their own.
    private static func draw(_ random: inout SplitMix64) -> [NaiveIssuer] {
        let kinds = [[0, 1, 2], [1, 0], [2, 1], [0], [1]][random.index(below: 5)]
        return kinds.map { kind in
            var issuer = NaiveIssuer()
            switch kind {
            case 0:
                issuer.keys =
                    [(.secret, nil)] + (random.index(below: 2) == 0 ? [(.otherSecret, nil)] : [])
                issuer.adminClaim = random.index(below: 2) == 0 ? "boss" : nil
            case 1:
                (issuer.name, issuer.userClaim) = ("people", "login")
                issuer.keys = [(.first, "first"), (.second, "second")]
                issuer.providerClaim = random.index(below: 2) == 0 ? "via" : nil
            default:
                (issuer.name, issuer.keys) = ("machines", [(.third, nil)])
            }
            issuer.audiences = [[], ["app"], ["web", "app"]][random.index(below: 3)]
            issuer.skew = [0, 1, 5][random.index(below: 3)]
            issuer.maximumAge =
                random.index(below: 2) == 0 ? nil : 20 + Double(random.index(below: 60))
            issuer.validSince =
                random.index(below: 2) == 0 ? nil : base - 50 + Double(random.index(below: 60))
            return issuer
        }
    }
}

extension SplitMix64 {
    mutating func index(below count: Int) -> Int { Int(next() % UInt64(count)) }
}
