internal import CLibrary
internal import COpenSSL

/// A text that proves a program's identity to nodes: an administrator's secret, whose hash is in
/// the configuration, or a token.
///
/// A signing key is such a text too; it signs tokens, and no program sends it.
///
/// It describes itself without the text, so that no message shows that.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The most characters of a secret.
    public static let limit = 16 << 10

    /// The text: visible characters of ASCII.
    public let text: String

    /// Uses a text; nil for one that is empty, too long, or cannot stand in a header.
    public init?(_ text: String) {
        guard (1...Secret.limit).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Whether a word is a token and not the name of a file: tokens are JSON in base 64, and so begin with `ey`.
    public static func isToken(_ word: String) -> Bool {
        word.hasPrefix("ey") && word.utf8.count { $0 == UInt8(ascii: ".") } == 2
            && !word.contains("/")
    }

    /// Makes a secret of 32 random bytes: 43 letters, digits, `-` and `_`.
    public static func random() -> Secret {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
            fatalError("there is no randomness: \(TLSError.takeReason())")
        }
        return Secret(unchecked: Base64URL.text(of: bytes))
    }

    private init(unchecked text: String) { self.text = text }

    /// The SHA-256 hash, as configurations have it.
    public var hash: [UInt8] { SHA256.hash(of: Array(text.utf8)) }

    /// The value of `Authorization` in requests that send it.
    public var authorization: String { "Bearer \(text)" }

    /// Nothing of the text.
    public var description: String { "(a secret)" }

    /// Nothing of the text.
    public var debugDescription: String { description }

    /// Nothing of the text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A file that holds a secret text, which only its owner can read, or the group of a file of root.
public struct SecretFile: Sendable {
    /// The use of the text.
    public enum Kind: String, Sendable {
        /// It proves that a client is an administrator.
        case administratorSecret = "administrator's secret"
        /// It signs tokens.
        case signingKey = "signing key"
        /// It is a token.
        case token

        /// The command that makes such a file.
        fileprivate var command: String {
            switch self {
            case .administratorSecret: "hearth keys secret"
            case .signingKey: "hearth keys signing-key"
            case .token: "hearth token new --out"
            }
        }
    }

    private let path: String
    private let kind: Kind

    /// The file at a path.
    public init(_ path: String, _ kind: Kind) {
        self.path = path
        self.kind = kind
    }

    /// Reads the text.
    ///
    /// - Throws: `TLSError` when the file cannot be read, is readable by other users, or holds no such text.
    public func read() throws(TLSError) -> Secret {
        guard let file = fopen(path, "re") else {
            throw TLSError(
                problem:
                    "cannot read \(kind.rawValue) \(path): \(String(cString: strerror(errno)))",
                fix: "name a file that `\(kind.command)` made")
        }
        defer { fclose(file) }
        var status = stat()
        guard fstat(fileno(file), &status) == 0,
            keepsSecret(mode: status.st_mode, owner: status.st_uid)
        else {
            throw TLSError(
                problem: "other users may read \(kind.rawValue) \(path)",
                fix: "run `chmod 600 \(path)`")
        }
        var bytes = [UInt8](repeating: 0, count: Secret.limit + 2)
        let count = fread(&bytes, 1, bytes.count, file)
        let end = bytes.prefix(count).reversed().drop { $0 == 10 || $0 == 13 }.count
        guard let secret = Secret(String(decoding: bytes.prefix(end), as: UTF8.self)) else {
            throw TLSError(
                problem:
                    "\(path) holds no \(kind.rawValue), which is one line of characters without spaces",
                fix: "make one with `\(kind.command)`")
        }
        return secret
    }
}
