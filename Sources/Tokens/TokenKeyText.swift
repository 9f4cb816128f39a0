internal import JSONText
internal import Rules
internal import TLS

/// Reads the public keys in an issuer's files: a set of JSON Web Keys (RFC 7517), an object of
/// certificates by their names as Google publishes it, or PEM.
public struct TokenKeyText {
    /// The most bytes of a file.
    public static let limit = 1 << 20
    /// The most keys of an issuer.
    public static let keyLimit = 256

    /// Why a text has no keys.
    public struct Failure: Error, Equatable, Sendable {
        /// The problem, to follow the name of a file.
        public let problem: String

        init(_ problem: String) { self.problem = problem }
    }

    private let reader = JSONReader(maximumBytes: limit, maximumDepth: 16)

    /// A reader of any number of texts.
    public init() {}

    /// The keys in a text.
    ///
    /// - Parameter name: What names the key of a PEM text with only one.
    /// - Throws: why there are none.
    public func keys(in text: [UInt8], named name: String?) throws(Failure) -> [TokenKey] {
        guard text.count <= TokenKeyText.limit else {
            throw Failure("has more than \(TokenKeyText.limit) bytes")
        }
        let isJSON = text.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } == UInt8(ascii: "{")
        let keys = try isJSON ? keys(inJSON: text) : TokenKeyText.keys(inPEM: text, name)
        guard !keys.isEmpty else { throw Failure("has no key for RS256, ES256 or EdDSA") }
        guard keys.count <= TokenKeyText.keyLimit else {
            throw Failure("has more than \(TokenKeyText.keyLimit) keys")
        }
        return keys
    }

    private static func keys(
        inPEM text: [UInt8], _ name: String?
    ) throws(Failure) -> [TokenKey] {
        guard let keys = VerificationKey.keys(inPEM: String(decoding: text, as: UTF8.self)) else {
            throw Failure(
                "has a part that is neither a public key nor a certificate, for RSA of at least 2048 bits, P-256 or Ed25519"
            )
        }
        return keys.map { .verification($0, id: keys.count == 1 ? name : nil) }
    }

    private func keys(inJSON text: [UInt8]) throws(Failure) -> [TokenKey] {
        let document: Result<Claim, Claim.Failure>
        do throws(JSONError) {
            document = try reader.read(text) { node in
                Result { () throws(Claim.Failure) in try Claim(node) }
            }
        } catch {
            throw Failure("is not JSON: \(error)")
        }
        switch document {
        case .failure(.duplicate(let name)): throw Failure("has two members \"\(name)\"")
        case .success(let document):
            if case .array(let keys)? = document.member("keys") {
                return try TokenKeyText.keys(inSet: keys)
            }
            return try TokenKeyText.keys(inCertificates: document)
        }
    }
}

// MARK: - JSON

extension TokenKeyText {
    private static func keys(inSet keys: [Claim]) throws(Failure) -> [TokenKey] {
        var found: [TokenKey] = []
        for key in keys {
            guard key.member("d") == nil, key.string("kty") != "oct" else {
                throw Failure("has a private key or a secret, and a key set is for public ones")
            }
            guard key.string("use") ?? "sig" == "sig", let usable = try verificationKey(key) else {
                continue
            }
            let made = TokenKey.verification(usable, id: key.string("kid"))
            // Keys of other algorithms may stand beside those that are known.
            if key.string("alg") ?? made.algorithm.rawValue == made.algorithm.rawValue {
                found.append(made)
            }
        }
        return found
    }

    /// The key that a JSON Web Key describes; nil for one of another kind.
    private static func verificationKey(_ key: Claim) throws(Failure) -> VerificationKey? {
        switch (key.string("kty"), key.string("crv")) {
        case ("RSA", _):
            if let modulus = bytes("n", of: key), let exponent = bytes("e", of: key),
                let key = VerificationKey(rsaModulus: modulus, exponent: exponent)
            {
                return key
            }
        case ("EC", "P-256"):
            if let x = bytes("x", of: key), let y = bytes("y", of: key),
                let key = VerificationKey(p256X: x, y: y)
            {
                return key
            }
        case ("OKP", "Ed25519"):
            if let bytes = bytes("x", of: key), let key = VerificationKey(ed25519: bytes) {
                return key
            }
        default: return nil
        }
        let name = key.string("kid").map { " \"\($0)\"" } ?? ""
        throw Failure("has a key\(name) that is damaged, or smaller than RSA with 2048 bits")
    }

    private static func bytes(_ name: String, of key: Claim) -> [UInt8]? {
        key.string(name).flatMap { Base64URL.bytes(of: $0.utf8) }
    }

    private static func keys(inCertificates document: Claim) throws(Failure) -> [TokenKey] {
        guard case .object(let members) = document else { throw Failure("is not a JSON object") }
        var found: [TokenKey] = []
        for member in members {
            guard case .string(let text) = member.value,
                let keys = VerificationKey.keys(inPEM: text), keys.count == 1
            else {
                throw Failure(
                    "has neither \"keys\" nor certificates by their names: see \"\(member.name)\"")
            }
            found.append(.verification(keys[0], id: member.name))
        }
        return found
    }
}
