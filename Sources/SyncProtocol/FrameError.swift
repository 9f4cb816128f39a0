import DataTree

/// Says what is wrong with bytes that came from outside, where, and how their sender can mend it.
public struct FrameError: Error, Equatable, Sendable {
    /// The code of the answer, if the bytes came from a client.
    public let code: ErrorCode
    /// The offset of the offending element in the frame or the batch, in bytes.
    public let offset: Int
    /// The expected and the found element, with the offset.
    public let problem: String
    /// The remedy for the author of the sending program.
    public let fix: String

    package init(code: ErrorCode = .invalid, offset: Int, problem: String, fix: String) {
        self.code = code
        self.offset = offset
        self.problem = problem
        self.fix = fix
    }
}

extension FrameError: CustomStringConvertible {
    /// The text of it.
    public var description: String { "\(problem); \(fix)" }
}

// Kept out of line, so that the code that decodes stays small.
extension FrameError {
    @inline(never)
    static func expected(_ wanted: StaticString, found: String, at offset: Int) -> FrameError {
        FrameError(
            offset: offset, problem: "expected \(wanted) at byte \(offset), found \(found)",
            fix: "send what the protocol's README shows for this message")
    }

    @inline(never)
    static func truncated(needed: Int, remaining: Int, at offset: Int) -> FrameError {
        FrameError(
            offset: offset,
            problem: "the element at byte \(offset) needs \(needed) bytes more, "
                + "and \(remaining) follow",
            fix: "send whole MessagePack elements in one frame")
    }

    @inline(never)
    static func data(_ error: DataError, at offset: Int) -> FrameError {
        FrameError(offset: offset, problem: error.problem, fix: error.fix)
    }
}
