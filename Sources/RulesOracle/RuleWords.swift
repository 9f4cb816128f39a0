/// The names that drawn rules use, so that they refer to existing data and users.
public struct RuleWords: Sendable {
    /// Keys of places, one below the other in some of them.
    public let keys: [String]
    /// Paths from the root that have data.
    public let paths: [String]
    /// Strings for comparisons; none has a quote or a backslash.
    public let texts: [String]
    /// Names of parts of `auth`, one below the other.
    public let claims: [[String]]

    /// Words of some data and of some users; no list is empty.
    public init(keys: [String], paths: [String], texts: [String], claims: [[String]]) {
        (self.keys, self.paths, self.texts, self.claims) = (keys, paths, texts, claims)
    }
}
