/// For whom an operation was made, and by which rules he could: what is noted of each write of a user.
///
/// Operations of administrators, whom no rule concerns, and those that nodes make themselves have none.
///
/// One object stands for all that a client writes under the same rules, so that most comparisons look at two addresses.
public final class Attribution: Sendable {
    /// The longest noted name of a user, in bytes: tokens name nobody by more.
    package static let nameLimit = 256

    /// The user, as rules know him by `auth.uid`; nil for somebody who was not signed in, or whose `auth` names nobody.
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
