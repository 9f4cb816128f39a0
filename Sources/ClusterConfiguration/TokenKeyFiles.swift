internal import FoundationEssentials
internal import TLS
public import Tokens

// The files that hold the keys by which nodes check tokens.

extension TokenSettings {
    /// The files that hold keys, and the folders of such files, as they are now.
    public var files: [String] {
        issuers.flatMap { issuer in
            issuer.signingKeys
                + (issuer.keys.map { [$0] + TokenSettings.files(inFolder: $0) } ?? [])
        }
    }

    /// Reads the keys.
    ///
    /// - Throws: what is wrong with a file.
    public func readTrust() throws(NodeError) -> TokenTrust {
        var issuers: [TokenIssuer] = []
        for settings in self.issuers { issuers.append(try settings.read()) }
        return TokenTrust(issuers, acceptsUnsigned: unsignedTokens)
    }

    /// The files of a folder, in the order of their names; none for a file.
    fileprivate static func files(inFolder folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
    }
}

extension TokenSettings.Issuer {
    fileprivate func read() throws(NodeError) -> TokenIssuer {
        var issuer = TokenIssuer(name, keys: try readKeys())
        issuer.audiences = audiences
        issuer.userClaim = userClaim
        issuer.providerClaim = providerClaim
        issuer.adminClaim = adminClaim
        issuer.skewSeconds = Double(skewSeconds)
        issuer.maximumAgeSeconds = maxAgeSeconds.map(Double.init)
        issuer.validSinceSeconds = validSinceSeconds.map(Double.init)
        return issuer
    }

    private func readKeys() throws(NodeError) -> [TokenKey] {
        guard let keys else {
            return try signingKeys.map { path throws(NodeError) in
                try TokenSettings.Issuer.signingKey(inFile: path)
            }
        }
        guard isFolder(keys) else {
            return try TokenSettings.Issuer.publicKeys(inFile: keys, named: nil)
        }
        let files = TokenSettings.files(inFolder: keys)
        guard (1...TokenSettings.fileLimit).contains(files.count) else {
            throw NodeError(
                problem: "the folder \(keys) has \(files.count) files with keys of tokens",
                fix: "put 1 to \(TokenSettings.fileLimit) there")
        }
        var found: [TokenKey] = []
        for file in files {
            let name = URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
            found += try TokenSettings.Issuer.publicKeys(inFile: file, named: name)
        }
        return found
    }

    private static func publicKeys(
        inFile path: String, named name: String?
    ) throws(NodeError) -> [TokenKey] {
        guard let bytes = readFile(path, upTo: TokenKeyText.limit + 1) else {
            throw NodeError(
                problem: "cannot read the keys of tokens in \(path)",
                fix:
                    "name a file with public keys: a JSON Web Key Set, certificates by their names, or PEM"
            )
        }
        do throws(TokenKeyText.Failure) {
            return try TokenKeyText().keys(in: bytes, named: name)
        } catch {
            throw NodeError(
                problem: "\(path) \(error.problem)",
                fix:
                    "use a JSON Web Key Set, certificates by their names, or PEM, of RSA keys or P-256"
            )
        }
    }

    /// The signing key in a file, by which an issuer signs.
    private static func signingKey(inFile path: String) throws(NodeError) -> TokenKey {
        do throws(TLSError) {
            let key = Array(try SecretFile(path, .signingKey).read().text.utf8)
            if key.count >= TokenKey.sharedBytes { return .shared(key) }
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
        throw NodeError(
            problem: "the signing key in \(path) has fewer than \(TokenKey.sharedBytes) bytes",
            fix: "create one with `hearth keys signing-key`")
    }
}
