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
    /// - Parameter report: Receives a sentence about each key that is skipped.
    /// - Throws: what is wrong with a file.
    public func readTrust(
        report: (String) -> Void = { _ in }
    ) throws(NodeError) -> TokenTrust {
        var issuers: [TokenIssuer] = []
        for settings in self.issuers { issuers.append(try settings.read(report)) }
        return TokenTrust(issuers, acceptsUnsigned: unsignedTokens)
    }

    /// Reads the keys again. An issuer whose files cannot be used keeps its keys; the others do not wait for it.
    ///
    /// - Parameters:
    ///   - trust: The keys before, of the same settings.
    ///   - report: Receives a sentence about each key that is skipped, and about each such issuer.
    public func readTrust(replacing trust: TokenTrust, report: (String) -> Void) -> TokenTrust {
        let issuers = zip(self.issuers, trust.issuers).map { settings, former in
            do throws(NodeError) { return try settings.read(report) } catch {
                let name = settings.name.map { "the issuer \"\($0)\"" } ?? "the signing keys"
                report("keeps the old keys of tokens of \(name): \(error.problem); \(error.fix)")
                return former
            }
        }
        return TokenTrust(issuers, acceptsUnsigned: unsignedTokens)
    }

    /// The files of a folder, in the order of their names; none for a file.
    fileprivate static func files(inFolder folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
    }
}

extension TokenSettings.Issuer {
    fileprivate func read(_ report: (String) -> Void) throws(NodeError) -> TokenIssuer {
        var issuer = TokenIssuer(name, keys: try readKeys(report))
        issuer.audiences = audiences
        issuer.userClaim = userClaim
        issuer.providerClaim = providerClaim
        issuer.adminClaim = adminClaim
        issuer.skewSeconds = Double(skewSeconds)
        issuer.maximumAgeSeconds = maxAgeSeconds.map(Double.init)
        issuer.validSinceSeconds = validSinceSeconds.map(Double.init)
        return issuer
    }

    private func readKeys(_ report: (String) -> Void) throws(NodeError) -> [TokenKey] {
        guard let keys else {
            return try signingKeys.map { path throws(NodeError) in
                try TokenSettings.Issuer.signingKey(inFile: path)
            }
        }
        guard isFolder(keys) else {
            return try TokenSettings.Issuer.publicKeys(inFile: keys, named: nil, report)
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
            found += try TokenSettings.Issuer.publicKeys(inFile: file, named: name, report)
        }
        return found
    }

    private static func publicKeys(
        inFile path: String, named name: String?, _ report: (String) -> Void
    ) throws(NodeError) -> [TokenKey] {
        guard let bytes = readFile(path, upTo: TokenKeyText.limit + 1) else {
            throw NodeError(
                problem: "cannot read the keys of tokens in \(path)",
                fix:
                    "name a file with public keys: a JSON Web Key Set, certificates by their names, or PEM"
            )
        }
        do throws(TokenKeyText.Failure) {
            let contents = try TokenKeyText().contents(of: bytes, named: name)
            for phrase in contents.skipped { report("skips \(phrase), in \(path)") }
            return contents.keys
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
