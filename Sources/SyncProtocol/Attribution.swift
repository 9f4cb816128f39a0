/// The user of an operation, and the rules that permitted it.
///
/// Operations of administrators and those of nodes have no attribution, because rules do not apply to them.
///
/// All operations of a client under the same rules share one object, so that most comparisons compare two
/// addresses.
public final class Attribution: Sendable {
    /// The longest recorded user name, in bytes. No token has a longer one.
    package static let nameLimit = 256

    /// The user's `auth.uid` in rules; nil for a client that was not signed in, or whose `auth` has no such name.
    public let user: String?
    /// The digest of the rules by which the node judged that took the write.
    public let rules: String

    /// An attribution; of a longer name only the beginning is noted.
    package init(user: String?, rules: String) {
        self.user = user.map { Attribution.beginning(of: $0) }
        self.rules = rules
    }

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
        guard a.rules == b.rules, let user = a.user, let other = b.user else {
            return a.rules == b.rules && a.user == nil && b.user == nil
        }
        // Swift's `==` is canonical equivalence, and these would be two users.
        return user.utf8.elementsEqual(other.utf8)
    }
}
