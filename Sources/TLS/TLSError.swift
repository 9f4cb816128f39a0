internal import COpenSSL

/// What TLS refused, and what the user can do.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What happened, naming the file or the peer.
    public let problem: String
    /// What the user can do about it.
    public let fix: String

    /// The problem and the fix.
    public var description: String { "\(problem): \(fix)" }

    init(problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }

    /// The first reason that OpenSSL gave since its errors were forgotten, such as `no shared cipher`.
    static func takeReason() -> String {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return "the connection ended" }
        guard let reason = ERR_reason_error_string(code) else { return "error \(code)" }
        return String(cString: reason)
    }
}
