/// Says what the operating system refused the loop, and what to do about it.
public struct EventLoopError: Error, Equatable, CustomStringConvertible {
    /// The problem, naming the descriptor, the timer or the signal.
    public let problem: String
    /// The fix.
    public let fix: String

    /// The text of it.
    public var description: String { "\(problem): \(fix)" }

    static let noRoom = EventLoopError(
        problem: "cannot create an event loop: the process has no file descriptors left",
        fix: "raise the limit with `ulimit -n`, or close what is not needed")

    static func cannotWatch(_ subject: String) -> EventLoopError {
        EventLoopError(
            problem: "cannot watch \(subject)",
            fix: "check that it is open and of a kind that can be waited for, "
                + "and that the process may watch more: `ulimit -n`")
    }
}
