/// The user of an operation and the rules that permitted it, or the administrator.
///
/// Rules do not apply to administrators: their attributions have no digest. Operations of nodes have no attribution,
/// and neither have those in a cluster without secrets and tokens.
///
/// All operations of a client under the same rules share one object, so that most comparisons compare two
/// addresses.
public final class Attribution: Sendable {
    /// The longest recorded user name, in bytes. No token has a longer one.
    package static let nameLimit = 256

    /// The user's `auth.uid` in rules; nil for a client that was not signed in, or whose `auth` has no such name.
    /// For an administrator, the name of its credential: `secret:FINGERPRINT`, `token:USER`, `token` or `owner`.
    public let user: String?
    /// The digest of the rules by which the accepting node evaluated the write; empty for an administrator.
    package let digest: String

    /// The digest of the rules that permitted the operation; nil for an administrator.
    public var rules: String? { digest.isEmpty ? nil : digest }

    /// An attribution. A longer name is cut off at the limit.
    package init(user: String?, rules digest: String) {
        self.user = user.map { Attribution.beginning(of: $0) }
        self.digest = digest
    }

    /// The attribution of an administrator's operations.
    package convenience init(administrator name: String) { self.init(user: name, rules: "") }

    private static func beginning(of name: String) -> String {
        if name.utf8.count <= nameLimit { return name }
        var (bytes, end) = (0, name.unicodeScalars.startIndex)
        for scalar in name.unicodeScalars {
            bytes += scalar.utf8.count
            if bytes > nameLimit { break }
            end = name.unicodeScalars.index(after: end)
        }
        return String(name.unicodeScalars[..<end])
    }
}

extension Attribution: Equatable {
    /// Whether both name the same bytes.
    public static func == (a: Attribution, b: Attribution) -> Bool {
        if a === b { return true }
        guard a.digest == b.digest, let user = a.user, let other = b.user else {
            return a.digest == b.digest && a.user == nil && b.user == nil
        }
        // Swift's `==` is canonical equivalence, and these would be two users.
        return user.utf8.elementsEqual(other.utf8)
    }
}
