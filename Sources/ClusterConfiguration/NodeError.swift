/// Why a node cannot start or go on, and what to do about it.
public struct NodeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem, with the file, the key or the address.
    public let problem: String
    /// The remedy.
    public let fix: String

    package init(problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }

    /// The text of it.
    public var description: String { "\(problem): \(fix)" }
}
