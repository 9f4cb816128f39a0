import Foundation
import TLS
import Testing

@testable import Tokens

/// Files with the public keys of issuers.
@Suite struct TokenKeyTextTests {
    private func keys(_ text: String, named name: String? = nil) throws -> [TokenKey] {
        try TokenKeyText().contents(of: Array(text.utf8), named: name).keys
    }

    private func problem(_ text: String) -> String? {
        do throws(TokenKeyText.Failure) {
            _ = try TokenKeyText().contents(of: Array(text.utf8), named: nil)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test func `PEM has public keys and certificates`() throws {
        let (rsa, p256) = (TestKeys.rsa.publicKey, TestKeys.p256.publicKey)
        #expect(try keys(TestKeys.pem(rsa), named: "a") == [.verification(rsa, id: "a")])
        let certificate = Certificate(hosts: ["db.test"])
        let own = try #require(SigningKey(pem: certificate.key)).publicKey
        #expect(
            try keys(TestKeys.pem(p256) + certificate.certificate, named: "a")
                == [.verification(p256, id: nil), .verification(own, id: nil)])
    }

    @Test func `an object has certificates by their names`() throws {
        let certificate = Certificate(hosts: ["db.test"])
        let own = try #require(SigningKey(pem: certificate.key)).publicKey
        let text = try JSONEncoder().encode(["k1": certificate.certificate])
        #expect(
            try keys(String(decoding: text, as: UTF8.self)) == [.verification(own, id: "k1")])
        #expect(problem(#"{"k1":"x"}"#)?.contains("see \"k1\"") == true)
        #expect(problem(#"{"k1":7}"#)?.contains("see \"k1\"") == true)
        // A name with two keys is ambiguous.
        let twice = certificate.certificate + certificate.certificate
        let two = try JSONEncoder().encode(["k1": twice])
        #expect(problem(String(decoding: two, as: UTF8.self))?.contains("see \"k1\"") == true)
    }

    @Test func `a set leaves out what is not for signatures or not known`() throws {
        func key(_ more: String) -> String {
            #"""
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"\#(more)}
            """#
        }
        let keys = [
            key(#","kid":"a","use":"sig","alg":"ES256""#), key(#","use":"enc""#),
            key(#","alg":"ECDH-ES""#), #"{"kty":"OKP","crv":"Ed448","x":"AA"}"#, key(""),
        ]
        let found = try self.keys(#"{"keys":[\#(keys.joined(separator: ","))]}"#)
        #expect(found.map(\.id) == ["a", nil])
    }

    @Test func `a set skips weak and damaged keys, and names them`() throws {
        let set = #"""
            {"keys":[
              {"kty":"RSA","kid":"w","n":"AQAB","e":"AQAB"},
              {"kty":"EC","crv":"P-256","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
              {"kty":"OKP","crv":"Ed25519","x":"AA="}
            ]}
            """#
        let contents = try TokenKeyText().contents(of: Array(set.utf8), named: nil)
        #expect(contents.keys.map(\.id) == ["a"])
        let reason = "that is damaged, or smaller than RSA with 2048 bits"
        #expect(contents.skipped == ["a key \"w\" \(reason)", "a key \(reason)"])
    }

    @Test func `an empty set revokes all keys`() throws {
        #expect(try keys(#"{"keys":[]}"#).isEmpty)
        // A set whose keys are all unusable is a mistake, and so is an object without certificates.
        #expect(problem(#"{"keys":[{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}]}"#) != nil)
        #expect(problem("{}") != nil)
    }

    private static let keyless: [(String, String)] = [
        ("", "no key"), ("hello", "no key"), ("{}", "no key"),
        ("{", "is not JSON"), (#"{"keys":[],"keys":[]}"#, "two members"),
        (#"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}"#, "damaged"),
        (#"{"keys":[{"kty":"oct","k":"AA"}]}"#, "private key or a secret"),
        (#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB","d":"AA"}]}"#, "private key or a secret"),
        (#"{"keys":[{"kty":"RSA","kid":"k","n":"AQAB","e":"AQAB"}]}"#, "key \"k\" that is damaged"),
        (
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}]}"#,
            "damaged"
        ),
        (TestKeys.weak, "neither a public key"), (TestKeys.p384, "neither a public key"),
        (String(repeating: " ", count: 1 << 20) + "{}", "more than 1048576 bytes"),
    ]

    @Test(arguments: TokenKeyTextTests.keyless)
    func `a file without keys is refused, with the reason`(text: String, reason: String) {
        #expect(problem(text)?.contains(reason) == true, "\(problem(text) ?? "nothing")")
    }

    @Test func `small keys and other curves are refused`() {
        #expect(SigningKey(pem: TestKeys.weak) == nil && SigningKey(pem: TestKeys.p384) == nil)
        let weak = TestKeys.openSSL("pkey", "-pubout", input: TestKeys.weak)
        #expect(weak.hasPrefix("-----BEGIN PUBLIC KEY"))
        #expect(problem(weak)?.contains("2048 bits") == true)
    }

    @Test func `an RSA key has an odd exponent that changes something`() {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        for exponent: [UInt8] in [[], [1], [2], [0, 1, 0]] {
            #expect(VerificationKey(rsaModulus: modulus, exponent: exponent) == nil)
        }
        #expect(VerificationKey(rsaModulus: modulus, exponent: [1, 0, 1]) != nil)
    }
}
