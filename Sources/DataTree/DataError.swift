/// Says what is wrong with a key, a path or a value that came from outside, and how to mend it.
public struct DataError: Error, Equatable, Sendable {
    /// The problem, naming its location or value.
    public let problem: String
    /// The fix for the author of the data.
    public let fix: String

    /// An error of these sentences.
    public init(problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }
}

/// The limits of the data model (Firebase's, where it documents one).
public enum Limits {
    /// Longest key, in UTF-8 bytes.
    public static let keyBytes = 768
    /// Most keys in a path, and so the deepest place of a tree.
    public static let depth = 32
    /// Longest joined path, keys and separators, in UTF-8 bytes.
    public static let pathBytes = 768
    /// Longest string value, in UTF-8 bytes.
    public static let stringBytes = 10 * 1024 * 1024
}
