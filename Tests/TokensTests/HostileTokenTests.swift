import Foundation
import Rules
import TLS
import Testing

@testable import Tokens

/// Texts from a sender without a token.
///
/// A longer run: `HEARTH_FUZZ_SEEDS=1000`.
@Suite struct HostileTokenTests {
    static let seeds =
        0..<(ProcessInfo.processInfo.environment["HEARTH_FUZZ_SEEDS"].flatMap { UInt64($0) } ?? 8)

    private let trust = TokenTrust(
        [
            issuer(
                .shared(TestKeys.secret), .verification(TestKeys.p256.publicKey, id: nil),
                .verification(TestKeys.rsa.publicKey, id: nil))
        ])
    private let reader = Token.makeReader()

    private func isAccepted(_ text: String) -> Bool {
        (try? trust.identity(of: text, at: now, by: reader)) != nil
    }

    /// Numbers that are the same in each run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private static let pieces = [
        "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJFUzI1NiJ9", ".", "..", "e30",
        "W10", "bnVsbA", "owner", "=", "\u{0}", "é", "\u{FEFF}", " ", "\n",
        "eyJhIjoxZTk5OX0", "eyJhbGciOiJSUzI1NiIsImtpZCI6IiJ9", String(repeating: "W1tb", count: 99),
    ]

    @Test(arguments: HostileTokenTests.seeds)
    func `texts of pieces are refused`(seed: UInt64) {
        var numbers = Numbers(state: seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0...9, using: &numbers)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &numbers)! }
            #expect(!isAccepted(text.joined()))
        }
    }

    @Test(arguments: HostileTokenTests.seeds)
    func `payloads of pieces of JSON are refused unless they are signed`(seed: UInt64) {
        var numbers = Numbers(state: seed)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"sub\"", "\"exp\"", "\"iat\"", "\"aud\"", "\"app\"",
            "1", "-0", "1e308", "9999999999999999999999", "null", "true", "\"\\ud800\"", "\"", "\\",
            #""v":0"#, #""d":{}"#, #""iss":"issuer""#,
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0...20, using: &numbers)
            let json = (0..<count).map { _ in pieces.randomElement(using: &numbers)! }.joined()
            let text = token(#"{"alg":"HS256"}"#, json)
            let code = MessageAuthentication.code(of: Array(text.utf8), key: TestKeys.otherSecret)
            #expect(!isAccepted(text + "." + Base64URL.text(of: code)))
            // Signed, it may be anything but a crash.
            let own = MessageAuthentication.code(of: Array(text.utf8), key: TestKeys.secret)
            _ = isAccepted(text + "." + Base64URL.text(of: own))
        }
    }

    @Test(arguments: HostileTokenTests.seeds)
    func `a token that is cut, doubled or mixed with another is refused`(seed: UInt64) {
        var numbers = Numbers(state: seed)
        let signer = TokenSigner.key(TestKeys.p256, id: nil)
        let texts = [signer.token(claims()), signer.token(claims(["n": .number(1)]))]
        let parts = texts.map { $0.split(separator: ".") }
        for _ in 0..<300 {
            let chosen = (0..<3).map { parts[Int.random(in: 0...1, using: &numbers)][$0] }
            let mixed = chosen.joined(separator: ".")
            #expect(isAccepted(mixed) == texts.contains(mixed))
            let cut = texts[0].prefix(Int.random(in: 1..<texts[0].count, using: &numbers))
            #expect(!isAccepted(String(cut)) && !isAccepted(texts[0] + cut))
        }
    }
}
