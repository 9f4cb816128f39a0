import Rules
import TLS
import Testing

@testable import Tokens

/// The cache of verified tokens.
@Suite struct TokenVerifierTests {
    private var verifier = TokenVerifier(
        trusting: TokenTrust([issuer(.shared(TestKeys.secret))]), remembering: 1_000)
    private let signer = TokenSigner.shared(TestKeys.secret)

    private mutating func failure(_ text: String, at time: Double = now) -> TokenFailure? {
        do throws(TokenFailure) {
            _ = try verifier.identity(of: text, at: time)
            return nil
        } catch {
            return error
        }
    }

    @Test mutating func `a token that is remembered expires like any other`() {
        let text = signer.token(claims())
        for _ in 0..<2 { #expect(failure(text) == nil) }
        #expect(verifier.count == 1)
        #expect(failure(text, at: now + 3_659) == nil)
        #expect(failure(text, at: now + 3_660) == .expired(at: now + 3_600))
    }

    @Test mutating func `tokens that show nothing are not remembered`() {
        #expect(failure("x") != nil && failure(signer.token(claims(["aud": .null]))) != nil)
        #expect(verifier.count == 0)
    }

    @Test mutating func `a change of keys forgets all`() {
        let text = signer.token(claims())
        #expect(failure(text) == nil)
        verifier.trust = TokenTrust([issuer(.shared(TestKeys.otherSecret))])
        #expect(verifier.count == 0 && failure(text) == .signature)
        verifier.trust.issuers[0].keys.append(.shared(TestKeys.secret))
        #expect(failure(text) == nil)
    }

    @Test mutating func `so many are remembered, those that were shown last`() {
        let first = signer.token(claims(["n": .number(-1)]))
        for number in 0..<5_000 {
            if number.isMultiple(of: 500) { #expect(failure(first) == nil) }
            #expect(failure(signer.token(claims(["n": .number(Double(number))]))) == nil)
            #expect(verifier.count <= 2_000)
        }
        let count = verifier.count
        #expect(count >= 1_000)
        #expect(failure(first) == nil && verifier.count <= count + 1)
    }
}
