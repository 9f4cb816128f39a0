import JSONText
import Rules
import TLS
import Testing

@testable import Tokens

/// The examples of RFC 7515, appendix A.
@Suite struct TokenVectorTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private static let secret = Base64URL.bytes(
        of:
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
            .utf8)!

    private static let sets = #"""
        {"keys": [
          {"kty": "RSA", "kid": "a2", "e": "AQAB", "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"},
          {"kty": "EC", "crv": "P-256", "kid": "a3", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        ]}
        """#

    private static let tokens: [(algorithm: String, text: String)] = [
        (
            "HS256",
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        ),
        (
            "RS256",
            "eyJhbGciOiJSUzI1NiJ9.\(payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        ),
        (
            "ES256",
            "eyJhbGciOiJFUzI1NiJ9.\(payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
    ]

    @Test(arguments: TokenVectorTests.tokens.indices)
    func `a token of the standard is accepted by its key, and by no other`(index: Int) throws {
        let token = try Token(Self.tokens[index].text, by: Token.makeReader())
        #expect(token.algorithm == Self.tokens[index].algorithm)
        #expect(
            token.claims
                == claim(#"{"exp":1300819380,"http://example.com/is_root":true,"iss":"joe"}"#))
        var keys: [TokenKey] = [.shared(Self.secret)]
        keys += try TokenKeyText().contents(of: Array(Self.sets.utf8), named: nil).keys
        #expect(keys.map(\.algorithm) == [.hs256, .rs256, .es256])
        #expect(keys.map { $0.accepts(token) } == keys.indices.map { $0 == index })
    }

    @Test func `the example without a signature shows nothing`() throws {
        let text = "eyJhbGciOiJub25lIn0.\(Self.payload)."
        #expect(TokenTrust([]).failure(text) == .algorithm("none"))
        #expect(TokenTrust([], acceptsUnsigned: true).failure(text) == .claim("sub"))
    }

    /// RFC 8037, appendix A.
    @Test func `a signature of Ed25519 is accepted by its key, and no other one is`() throws {
        let set =
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"e","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#
        let keys = try TokenKeyText().contents(of: Array(set.utf8), named: nil).keys
        guard case .verification(let key, id: "e")? = keys.first, keys.count == 1 else {
            Issue.record("\(keys) are other keys")
            return
        }
        #expect(keys[0].algorithm == .edDSA)
        let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        let text =
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let signature = try #require(Base64URL.bytes(of: text.utf8))
        #expect(key.accepts(signature, of: message))
        for index in signature.indices {
            var wrong = signature
            wrong[index] ^= 1
            #expect(!key.accepts(wrong, of: message))
        }
        #expect(!key.accepts(signature + [0], of: message) && !key.accepts([], of: message))
        #expect(!key.accepts(signature, of: message + [0]))
        for bytes in [[], Array(key.encoded.suffix(31)), Array(key.encoded.suffix(33))] {
            #expect(VerificationKey(ed25519: bytes) == nil)
        }
    }

    @Test func `a private key of Ed25519 signs what its public key accepts`() throws {
        let text = TokenSigner.key(TestKeys.ed25519, id: "e").token(claims())
        let pem = Array(TestKeys.pem(TestKeys.ed25519.publicKey).utf8)
        let keys = try TokenKeyText().contents(of: pem, named: "e").keys
        let trust = TokenTrust([issuer(keys[0])])
        #expect(keys[0].algorithm == .edDSA && trust.principal(text) != nil)
        let other = TokenSigner.key(TestKeys.ed25519, id: "e").token(claims(["n": .number(1)]))
        let parts = text.split(separator: ".").prefix(2) + other.split(separator: ".").suffix(1)
        #expect(trust.failure(parts.joined(separator: ".")) == .signature)
        var named = trust
        named.issuers[0].keys = [.verification(TestKeys.p256.publicKey, id: "e")]
        #expect(named.failure(text) == .algorithm("EdDSA"))
    }
}
