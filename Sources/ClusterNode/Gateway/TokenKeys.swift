internal import ClusterConfiguration
internal import Tokens

/// The keys by which a node checks tokens, which are read anew when their files change.
final class TokenKeys {
    private var files: TokenKeyFiles
    private let log: (String) -> Void
    /// The files as they were when they were read last.
    private var version: FileVersion
    /// Whose tokens the node trusts.
    private(set) var trust: TokenTrust

    /// Reads the files.
    ///
    /// - Throws: what is wrong with one of them.
    init(_ settings: TokenSettings, log: @escaping (String) -> Void) throws(NodeError) {
        files = try TokenKeyFiles(settings, report: log)
        self.log = log
        version = FileVersion(of: files.paths)
        trust = files.trust
        reportIssuersWithoutKeys()
    }

    /// Reads files that have changed; returns whether other keys are trusted now.
    func refresh() -> Bool {
        let present = FileVersion(of: files.paths)
        guard present != version else { return false }
        version = present
        files.refresh(report: log)
        guard files.trust != trust else { return false }
        trust = files.trust
        log("tokens are checked by other keys from now on")
        reportIssuersWithoutKeys()
        return true
    }

    private func reportIssuersWithoutKeys() {
        for issuer in trust.issuers where issuer.keys.isEmpty {
            log("the issuer \"\(issuer.name ?? "")\" has no keys: its tokens are refused")
        }
    }
}
