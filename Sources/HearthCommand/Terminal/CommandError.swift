/// What a verb ends with, as scripts see it; numbers are those of sysexits.h.
enum ExitStatus: Int32, Sendable {
    case success = 0
    /// The work was done, and what it checks does not hold.
    case checkFailed = 1
    /// The command line is wrong.
    case usage = 64
    /// A path, a value or a file's content is wrong.
    case badData = 65
    /// A file to be read cannot be.
    case noInput = 66
    /// A node cannot be reached, or does not take the request now.
    case unavailable = 69
    /// A bug of Hearth.
    case software = 70
    /// A file to be written cannot be.
    case cannotCreate = 73
    /// A write was sent, and nothing tells whether it happened.
    case outcomeUnknown = 75
    /// Ctrl-C.
    case interrupted = 130
}

/// Why a verb failed, in words for its user: printed as `error: problem`, then `fix: fix`.
struct CommandError: Error, Equatable, Sendable {
    let status: ExitStatus
    /// What is wrong, naming the flag, path, file or address.
    let problem: String
    /// What the user can do about it.
    let fix: String

    init(_ status: ExitStatus, _ problem: String, fix: String) {
        self.status = status
        self.problem = problem
        self.fix = fix
    }
}
