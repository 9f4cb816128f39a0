import Foundation
import JSONText
import Rules
import TLS
import Testing

@testable import Tokens

/// Keys that exist only while the tests run.
enum TestKeys {
    static let rsa = pair("RSA", "rsa_keygen_bits:2048")
    static let otherRSA = pair("RSA", "rsa_keygen_bits:2048")
    static let p256 = pair("EC", "ec_paramgen_curve:P-256")
    static let ed25519 = SigningKey(pem: openSSL("genpkey", "-algorithm", "ED25519"))!
    static let weak = openSSL("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024")
    static let p384 = openSSL("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")
    static let secret = Array("a secret of at least 32 bytes, say".utf8)
    static let otherSecret = Array("another secret that has 32 bytes".utf8)

    private static func pair(_ algorithm: String, _ option: String) -> SigningKey {
        SigningKey(pem: openSSL("genpkey", "-algorithm", algorithm, "-pkeyopt", option))!
    }

    /// The output of `openssl` for an input.
    static func openSSL(_ arguments: String..., input: String = "") -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        let (output, source) = (Pipe(), Pipe())
        process.standardInput = source
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // Without `openssl` there are no keys, and nothing to test.
        try! process.run()
        source.fileHandleForWriting.write(Data(input.utf8))
        // It is open, and closed once.
        try! source.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }

    /// A public key as PEM.
    static func pem(_ key: VerificationKey) -> String {
        let base64 = Data(key.encoded).base64EncodedString(options: .lineLength64Characters)
        return "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n"
    }
}

/// The second at which the tests are.
let now = 1_700_000_000.0

/// The claim that a JSON text is.
func claim(_ text: String) -> Claim {
    // The tests write these texts: one that is no JSON is a mistake of theirs, and shows at once.
    let result = try! Token.makeReader().read(Array(text.utf8)) { node in
        Result { () throws(Claim.Failure) in try Claim(node) }
    }
    return try! result.get()
}

/// Claims of ada's that hold now, with changes: null removes.
func claims(_ changes: [String: Claim] = [:]) -> Claim {
    var members: [String: Claim] = [
        "sub": .string("ada"), "iss": .string("issuer"), "aud": .string("app"),
        "iat": .number(now - 10), "exp": .number(now + 3_600),
    ]
    for (name, value) in changes { members[name] = value == .null ? nil : value }
    return Claim(members: members.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
}

/// An issuer with all three kinds of keys, one after the other.
func issuer(_ keys: TokenKey...) -> TokenIssuer {
    var issuer = TokenIssuer("issuer", keys: keys)
    issuer.audiences = ["app", "other"]
    return issuer
}

extension TokenTrust {
    /// The reason why a text yields no identity; nil if it yields one.
    func failure(_ text: String, at time: Double = now) -> TokenFailure? {
        do throws(TokenFailure) {
            _ = try identity(of: text, at: time, by: Token.makeReader())
            return nil
        } catch {
            return error
        }
    }

    /// The identity that a text yields.
    func principal(_ text: String, at time: Double = now) -> Principal? {
        try? identity(of: text, at: time, by: Token.makeReader()).principal
    }
}

/// A text of parts as they are, encoded.
func token(_ parts: String...) -> String {
    parts.map { Base64URL.text(of: Array($0.utf8)) }.joined(separator: ".")
}
