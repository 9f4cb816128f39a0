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
