import SyncProtocol

/// Why a request is refused, and what its client can do about it.
struct RequestFailure: Error, Equatable, Sendable {
    let code: ErrorCode
    let problem: String
    let fix: String
    /// The limit of the node that refuses the request; nil if none does.
    let limit: NodeLimit?

    init(_ code: ErrorCode, _ problem: String, fix: String, limit: NodeLimit? = nil) {
        self.code = code
        self.problem = problem
        self.fix = fix
        self.limit = limit
    }
}
