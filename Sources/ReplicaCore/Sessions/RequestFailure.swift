import SyncProtocol

/// Why a request is refused, and what its client can do about it.
struct RequestFailure: Error, Equatable, Sendable {
    let code: ErrorCode
    let problem: String
    let fix: String

    init(_ code: ErrorCode, _ problem: String, fix: String) {
        self.code = code
        self.problem = problem
        self.fix = fix
    }
}
