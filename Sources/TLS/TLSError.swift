internal import COpenSSL

/// A failure of TLS, with its fix.
public struct TLSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem, naming the file or the peer.
    public let problem: String
    /// The fix.
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
