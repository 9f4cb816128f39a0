import TLS
import Testing

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
        ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"), ("<<???>>", "PDw_Pz8-Pg"),
    ])
    func `bytes become the text of the standard, and come back`(bytes: String, text: String) {
        #expect(Base64URL.text(of: Array(bytes.utf8)) == text)
        #expect(Base64URL.bytes(of: text.utf8) == Array(bytes.utf8))
    }

    @Test(arguments: [
        "Z", "Zg=", "Zg==", "Zh", "Zm9=", "Zm9", "Zm9vY", "Zm 9v", "Zm9v\n", "PDw/Pz8+Pg", "é",
        "Zm9v.",
    ])
    func `no other text is taken for bytes`(text: String) {
        #expect(Base64URL.bytes(of: text.utf8) == nil)
    }

    @Test func `each text has bytes of its own`() {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var seen: Set<[UInt8]> = []
        for a in digits {
            for b in digits {
                guard let bytes = Base64URL.bytes(of: [a, b]) else { continue }
                #expect(seen.insert(bytes).inserted && bytes.count == 1)
            }
        }
        #expect(seen.count == 256)
    }
}

@Suite struct SignatureTests {
    @Test func `a certificate has the key that accepts what its private key signs`() throws {
        let files = try Files()
        let key = try #require(SigningKey(pem: files.certificate.key))
        let message = Array("a message".utf8)
        let signature = key.signature(of: message)
        #expect(VerificationKey.keys(inPEM: files.certificate.certificate) == [key.publicKey])
        #expect(key.publicKey.accepts(signature, of: message))
        #expect(!key.publicKey.accepts(signature, of: message + [0]))
        #expect(!key.publicKey.accepts([0] + signature, of: message))
    }

    /// RFC 4231, test case 2.
    @Test func `a code is that of the standard`() {
        let (key, message) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        let code = MessageAuthentication.code(of: message, key: key)
        #expect(
            SHA256.text(of: code)
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(MessageAuthentication.accepts(code, of: message, key: key))
        #expect(!MessageAuthentication.accepts(Array(code.dropLast()), of: message, key: key))
        #expect(!MessageAuthentication.accepts([], of: message, key: key))
    }
}
