/// Why a verb failed, in words for its user: printed as `error: problem`, then `fix: fix`.
package struct CommandError: Error, Equatable, Sendable {
    package let status: ExitStatus
    /// The problem, with the flag, path, file or address.
    package let problem: String
    /// The remedy.
    package let fix: String

    package init(_ status: ExitStatus, _ problem: String, fix: String) {
        self.status = status
        self.problem = problem
        self.fix = fix
    }
}
