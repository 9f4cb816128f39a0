internal import ClientCore
internal import TLS

/// What shows nodes who a program is.
enum ShownCredential: Hashable, Sendable {
    case nothing
    /// An administrator's secret, or a token.
    case text(String)
    /// The file that holds one, for programs that are configured by their environment.
    case file(String, SecretFile.Kind)

    /// What the environment says: `HEARTH_TOKEN`, a token, `owner` or the file that holds one of them, or `HEARTH_SECRET_FILE`.
    init(_ environment: [String: String]) {
        let token = environment["HEARTH_TOKEN"]
        if let token, Secret.isToken(token) || token == "owner" {
            self = .text(token)
        } else {
            let secret = environment["HEARTH_SECRET_FILE"].map {
                Self.file($0, .administratorSecret)
            }
            self = token.map { .file($0, .token) } ?? secret ?? .nothing
        }
    }

    /// The text to show; nil for nothing.
    ///
    /// - Throws: `.invalid` when the file cannot be read, or holds no such text.
    func text() throws(HearthError) -> String? {
        switch self {
        case .nothing: return nil
        case .text(let text): return text
        case .file(let file, let kind):
            do throws(TLSError) {
                return try SecretFile(file, kind).read().text
            } catch {
                throw HearthError(.invalid, error.problem, fix: error.fix)
            }
        }
    }
}
