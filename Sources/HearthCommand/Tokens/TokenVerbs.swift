internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc

extension Verb {
    /// `hearth token`: the identities of programs.
    static let token = Verb(
        "token",
        "Creates and explains tokens, which say which user a client is.",
        verbs: [TokenNewVerb.verb, TokenShowVerb.verb],
        examples: [
            "hearth token new --uid ada --with signing.key --out ada.token",
            "hearth token show ada.token --config cluster.json5",
        ])
}

/// The options that the verbs of tokens share.
enum TokenOptions {
    static let configuration = Option(
        "config", "FILE",
        "The configuration of the cluster; by default HEARTH_CONFIG of the environment.",
        values: .file)

    /// Returns the file with a private key beside the configuration that a command names; nil without one.
    static func signingKey(of invocation: Invocation) -> String? {
        guard let file = invocation[configuration] ?? environment("HEARTH_CONFIG") else {
            return nil
        }
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        let path = folder + SetupPlan.signingKey
        return access(path, R_OK) == 0 ? path : nil
    }

    /// Returns the token settings of the configuration that a command names; nil without one.
    static func settings(of invocation: Invocation) throws(CommandError) -> TokenSettings? {
        guard let file = invocation[configuration] ?? environment("HEARTH_CONFIG") else {
            return nil
        }
        do throws(NodeError) {
            return try NodeConfiguration(contentsOf: file).tokens
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }
}
