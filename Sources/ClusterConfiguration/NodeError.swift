/// Why a node cannot start or go on, and what to do about it.
public struct NodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What happened, naming the file, the key or the address it happened to.
    public let problem: String
    /// What the reader can do about it.
    public let fix: String

    package init(problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }

    /// The text of it.
    public var description: String { "\(problem): \(fix)" }
}
