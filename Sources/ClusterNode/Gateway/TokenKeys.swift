internal import ClusterConfiguration
internal import Tokens

/// The keys by which a node checks tokens, which are read anew when their files change.
final class TokenKeys {
    private let settings: TokenSettings
    private let log: (String) -> Void
    /// The files as they were when they were read last.
    private var version: FileVersion
    /// Whose tokens the node trusts.
    private(set) var trust: TokenTrust

    /// Reads the files.
    ///
    /// - Throws: what is wrong with one of them.
    init(_ settings: TokenSettings, log: @escaping (String) -> Void) throws(NodeError) {
        self.settings = settings
        self.log = log
        version = FileVersion(of: settings.files)
        trust = try settings.readTrust(report: log)
    }

    /// Reads files that have changed; returns whether other keys are trusted now. An issuer whose files cannot be used keeps its
    /// keys, which the log says.
    func refresh() -> Bool {
        let present = FileVersion(of: settings.files)
        guard present != version else { return false }
        version = present
        let next = settings.readTrust(replacing: trust, report: log)
        guard next != trust else { return false }
        trust = next
        log("tokens are checked by other keys from now on")
        return true
    }
}
