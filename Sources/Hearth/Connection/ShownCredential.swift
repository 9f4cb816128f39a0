internal import ClientCore
internal import TLS

/// The credential that a program sends to nodes.
enum ShownCredential: Hashable, Sendable {
    case nothing
    /// An administrator's secret, or a token.
    case text(String)
    /// The file that holds one, for programs that are configured by their environment.
    case file(String, SecretFile.Kind)

    /// The credential that the environment names: `HEARTH_TOKEN` (a token, `owner`, or the file that holds one of them), or
    /// `HEARTH_SECRET_FILE`. An empty variable counts as unset.
    init(_ environment: [String: String]) {
        let set = environment.filter { !$0.value.isEmpty }
        if let token = set["HEARTH_TOKEN"] {
            self = Secret.isToken(token) || token == "owner" ? .text(token) : .file(token, .token)
        } else {
            self = set["HEARTH_SECRET_FILE"].map { .file($0, .administratorSecret) } ?? .nothing
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
