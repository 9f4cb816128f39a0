public import JSONText
public import Rules
internal import TLS

/// A JSON Web Token (RFC 7519) as it was sent, before anything in it is believed.
public struct Token: Sendable {
    /// The most bytes of a token.
    public static let limit = 16 << 10
    /// How deep the JSON of tokens nests.
    private static let depth = 32

    /// How it says that it is signed: `HS256`, or anything else.
    public let algorithm: String
    /// Which key of its issuer signed it, `kid`.
    public let keyID: String?
    /// Its claims: an object.
    public let claims: Claim
    /// The bytes that are signed.
    let signed: [UInt8]
    let signature: [UInt8]

    /// A reader of what tokens consist of, for any number of them.
    public static func makeReader() -> JSONReader {
        JSONReader(maximumBytes: limit, maximumDepth: depth)
    }

    /// Takes a text apart.
    ///
    /// - Throws: what is wrong with it, if it is no token.
    public init(_ text: String, by reader: JSONReader) throws(TokenFailure) {
        guard text.utf8.count <= Token.limit else { throw .tooLong }
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("it has not three parts") }
        let header = try Token.object(in: parts[0], "header", reader)
        guard let algorithm = header.string("alg") else {
            throw .malformed("the header has no \"alg\"")
        }
        guard header.member("crit") == nil else { throw .critical }
        if let id = header.member("kid") {
            guard case .string(let id) = id else { throw .malformed("\"kid\" is not a string") }
            keyID = id
        } else {
            keyID = nil
        }
        claims = try Token.object(in: parts[1], "payload", reader)
        guard let signature = Base64URL.bytes(of: parts[2]) else {
            throw .malformed("the signature is not base64url")
        }
        self.algorithm = algorithm
        self.signature = signature
        signed = Array(text.utf8.dropLast(parts[2].count + 1))
    }

    /// The JSON object that a part is.
    private static func object(
        in part: Substring.UTF8View, _ name: String, _ reader: JSONReader
    ) throws(TokenFailure) -> Claim {
        guard let text = Base64URL.bytes(of: part) else {
            throw .malformed("the \(name) is not base64url")
        }
        let claim: Result<Claim, Claim.Failure>
        do throws(JSONError) {
            claim = try reader.read(text) { node in
                Result { () throws(Claim.Failure) in try Claim(node) }
            }
        } catch {
            throw .malformed("the \(name) is not JSON")
        }
        switch claim {
        case .success(.object(let members)): return .object(members)
        case .success: throw .malformed("the \(name) is not a JSON object")
        case .failure(.duplicate(let duplicate)):
            throw .malformed("the \(name) has two members \"\(duplicate.prefix(40))\"")
        }
    }
}
