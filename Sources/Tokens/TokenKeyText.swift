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

    /// The contents of a text.
    public struct Contents: Sendable {
        /// The usable keys; none only in an empty set, by which an operator revokes all keys of a file.
        public fileprivate(set) var keys: [TokenKey] = []
        /// A phrase for each key of a set that is skipped, because it is damaged or weak (RFC 7517, section 5).
        public fileprivate(set) var skipped: [String] = []
        /// Whether the text is a set without keys, and not one whose keys are all unusable.
        fileprivate var isEmptySet = false
    }

    /// The keys in a text.
    ///
    /// - Parameter name: What names the key of a PEM text with only one.
    /// - Throws: why there are none.
    public func contents(of text: [UInt8], named name: String?) throws(Failure) -> Contents {
        guard text.count <= TokenKeyText.limit else {
            throw Failure("has more than \(TokenKeyText.limit) bytes")
        }
        let isJSON = text.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } == UInt8(ascii: "{")
        let contents =
            try isJSON ? contents(ofJSON: text) : TokenKeyText.contents(ofPEM: text, name)
        guard !contents.keys.isEmpty || contents.isEmptySet else {
            throw Failure(
                contents.skipped.first.map { "has \($0)" }
                    ?? "has no key for RS256, ES256 or EdDSA")
        }
        guard contents.keys.count + contents.skipped.count <= TokenKeyText.keyLimit else {
            throw Failure("has more than \(TokenKeyText.keyLimit) keys")
        }
        return contents
    }

    private static func contents(
        ofPEM text: [UInt8], _ name: String?
    ) throws(Failure) -> Contents {
        guard let keys = VerificationKey.keys(inPEM: String(decoding: text, as: UTF8.self)) else {
            throw Failure(
                "has a part that is neither a public key nor a certificate, for RSA of at least 2048 bits, P-256 or Ed25519"
            )
        }
        return Contents(keys: keys.map { .verification($0, id: keys.count == 1 ? name : nil) })
    }

    private func contents(ofJSON text: [UInt8]) throws(Failure) -> Contents {
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
                return try TokenKeyText.contents(ofSet: keys)
            }
            return Contents(keys: try TokenKeyText.keys(inCertificates: document))
        }
    }
}

// MARK: - JSON

extension TokenKeyText {
    private static func contents(ofSet keys: [Claim]) throws(Failure) -> Contents {
        var contents = Contents()
        contents.isEmptySet = keys.isEmpty
        for key in keys {
            guard key.member("d") == nil, key.string("kty") != "oct" else {
                throw Failure("has a private key or a secret, and a key set is for public ones")
            }
            guard key.string("use") ?? "sig" == "sig", isKnown(key) else { continue }
            guard let usable = verificationKey(key) else {
                let name = key.string("kid").map { " \"\($0)\"" } ?? ""
                contents.skipped.append(
                    "a key\(name) that is damaged, or smaller than RSA with 2048 bits")
                continue
            }
            let made = TokenKey.verification(usable, id: key.string("kid"))
            // Keys of other algorithms may stand beside those that are known.
            if key.string("alg") ?? made.algorithm.rawValue == made.algorithm.rawValue {
                contents.keys.append(made)
            }
        }
        return contents
    }

    /// Whether tokens can be signed by keys of this kind.
    private static func isKnown(_ key: Claim) -> Bool {
        switch (key.string("kty"), key.string("crv")) {
        case ("RSA", _), ("EC", "P-256"), ("OKP", "Ed25519"): true
        default: false
        }
    }

    /// The key that a JSON Web Key of a known kind describes; nil if it is damaged or weak.
    private static func verificationKey(_ key: Claim) -> VerificationKey? {
        switch key.string("kty") {
        case "RSA":
            guard let modulus = bytes("n", of: key), let exponent = bytes("e", of: key) else {
                return nil
            }
            return VerificationKey(rsaModulus: modulus, exponent: exponent)
        case "EC":
            guard let x = bytes("x", of: key), let y = bytes("y", of: key) else { return nil }
            return VerificationKey(p256X: x, y: y)
        default: return bytes("x", of: key).flatMap { VerificationKey(ed25519: $0) }
        }
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
