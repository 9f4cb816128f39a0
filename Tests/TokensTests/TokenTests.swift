import Rules
import TLS
import Testing

@testable import Tokens

/// The form of a token, independent of its signer.
@Suite struct TokenTests {
    private let trust = TokenTrust([issuer(.shared(TestKeys.secret))])

    private static let header = #"{"alg":"HS256"}"#

    private static let malformed: [(String, String)] = [
        ("", "three parts"), ("a", "three parts"), ("a.b", "three parts"),
        ("a.b.c.d", "three parts"), ("..", "header is not JSON"),
        ("e30=.e30.", "header is not base64url"), ("e3 0.e30.", "header is not base64url"),
        ("e30.e30.", "no \"alg\""), (token(header, "[]", ""), "payload is not a JSON object"),
        (token("[]", "{}", ""), "header is not a JSON object"),
        (token(header, #"{"a":1,"a":1}"#, ""), "payload has two members \"a\""),
        (token(#"{"alg":"HS256","alg":"none"}"#, "{}", ""), "header has two members \"alg\""),
        (token(header, #"{"a":[{"b":1,"\u0062":2}]}"#, ""), "two members \"b\""),
        (token(#"{"alg":7}"#, "{}", ""), "no \"alg\""),
        (token(#"{"alg":"HS256","kid":7}"#, "{}", ""), "\"kid\" is not a string"),
        (token(header, "{", ""), "payload is not JSON"),
        (token(header, "{}") + ".=", "signature is not base64url"),
        (token(header, "{\"a\":\"\u{0}\"}", ""), "payload is not JSON"),
    ]

    @Test(arguments: TokenTests.malformed)
    func `a text that is no token is refused`(text: String, reason: String) {
        guard case .malformed(let problem) = trust.failure(text) else {
            return #expect(Bool(false), "\(text) is taken for a token")
        }
        #expect(problem.contains(reason))
        #expect(trust.failure(text)?.answer == "Could not parse auth token.")
    }

    @Test func `a token has 16 KiB at most`() {
        let signer = TokenSigner.shared(TestKeys.secret)
        func text(_ count: Int) -> String {
            signer.token(claims(["x": .string(String(repeating: "x", count: count))]))
        }
        let count = (0...).first { text(12_000 + $0).utf8.count > Token.limit }! + 12_000
        #expect(trust.failure(text(count - 1)) == nil)
        #expect(trust.failure(text(count)) == .tooLong)
    }

    @Test func `an extension that has to be understood is refused`() {
        #expect(
            trust.failure(token(#"{"alg":"HS256","crit":["exp"],"exp":1}"#, "{}", ""))
                == .critical)
    }

    @Test func `JSON that nests deeper than 32 levels is refused`() {
        for (depth, isRefused) in [(30, false), (40, true), (5_000, true)] {
            let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let text = token(Self.header, #"{"a":\#(nested)}"#, "")
            let isMalformed =
                if case .malformed = trust.failure(text) { true } else { false }
            #expect(isMalformed == isRefused)
        }
    }

    @Test(arguments: [
        TokenSigner.shared(TestKeys.secret), .key(TestKeys.rsa, id: nil),
        .key(TestKeys.p256, id: nil), .key(TestKeys.ed25519, id: nil),
    ])
    func `a token with any bit changed shows nothing`(signer: TokenSigner) {
        let trust = TokenTrust([
            issuer(
                .shared(TestKeys.secret), .verification(TestKeys.rsa.publicKey, id: nil),
                .verification(TestKeys.p256.publicKey, id: nil),
                .verification(TestKeys.ed25519.publicKey, id: nil))
        ])
        let text = signer.token(claims())
        #expect(trust.principal(text) != nil)
        let reader = Token.makeReader()
        var bytes = Array(text.utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                bytes[index] ^= 1 << bit
                let changed = String(decoding: bytes, as: UTF8.self)
                let identity = try? trust.identity(of: changed, at: now, by: reader)
                #expect(identity == nil, "\(changed) is accepted")
                bytes[index] ^= 1 << bit
            }
        }
    }

    @Test(arguments: [
        "null", "true", "-1.5", #""é\"\n""#, "[1,[],{}]", #"{"a":{"b":[null]},"c":"d"}"#,
        "9007199254740993", "1e300",
    ])
    func `claims are the JSON that they were`(text: String) {
        #expect(claim(claim(text).json) == claim(text))
        if !text.contains("e") && !text.contains("9") { #expect(claim(text).json == text) }
    }
}
