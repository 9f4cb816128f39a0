internal import FoundationEssentials
internal import Glibc
public import TLS
public import Tokens

/// The keys by which a node checks tokens, as the files of the issuers had them when they could be read last.
///
/// A file that is missing or unusable keeps its keys, so that nobody is signed out while files are replaced. Keys are revoked by
/// the removal of their file from a folder with other files, by another content of their file, or by an empty set of keys.
public struct TokenKeyFiles: Equatable, Sendable {
    /// The keys of one file.
    private struct Keys: Equatable {
        let path: String
        var keys: [TokenKey]
    }

    private let settings: TokenSettings
    /// The files of each issuer, in the order in which they were read.
    private var files: [[Keys]] = []

    /// Reads all files.
    ///
    /// - Parameter report: Receives a sentence about each key that is skipped.
    /// - Throws: what is wrong with a file.
    public init(
        _ settings: TokenSettings, report: (String) -> Void = { _ in }
    ) throws(NodeError) {
        self.settings = settings
        for issuer in settings.issuers {
            files.append(
                try issuer.keyFiles().map { path throws(NodeError) in
                    Keys(path: path, keys: try issuer.keys(inFile: path, report))
                })
        }
    }

    /// The issuers with these keys.
    public var trust: TokenTrust {
        let issuers = zip(settings.issuers, files).map { issuer, files in
            issuer.issuer(with: files.flatMap(\.keys))
        }
        return TokenTrust(issuers, acceptsUnsigned: settings.unsignedTokens)
    }

    /// The issuer whose tokens a public key checks, and the name of the key; nil if no file has it.
    public func issuer(of key: VerificationKey) -> (issuer: TokenSettings.Issuer, keyID: String?)? {
        for (issuer, files) in zip(settings.issuers, files) {
            for case .verification(key, let id) in files.flatMap(\.keys) { return (issuer, id) }
        }
        return nil
    }

    /// The paths of the files, and of the folders that have them, as they are now.
    public var paths: [String] {
        settings.issuers.flatMap { issuer in
            issuer.signingKeys
                + (issuer.keys.map { [$0] + TokenSettings.files(inFolder: $0) } ?? [])
        }
    }

    /// Reads the files again. Those that cannot be read or used keep their keys.
    ///
    /// - Parameter report: Receives a sentence about each such file, and about each key that is skipped.
    public mutating func refresh(report: (String) -> Void) {
        for (index, issuer) in settings.issuers.enumerated() {
            let paths: [String]
            do throws(NodeError) { paths = try issuer.keyFiles() } catch {
                TokenKeyFiles.report(error, report)
                continue
            }
            files[index] = paths.map { path in
                do throws(NodeError) {
                    return Keys(path: path, keys: try issuer.keys(inFile: path, report))
                } catch {
                    TokenKeyFiles.report(error, report)
                    return files[index].first { $0.path == path } ?? Keys(path: path, keys: [])
                }
            }
        }
    }

    private static func report(_ error: NodeError, _ report: (String) -> Void) {
        report("keeps the old keys of tokens: \(error.problem); \(error.fix)")
    }
}

extension TokenSettings {
    /// Reads the keys.
    ///
    /// - Throws: what is wrong with a file.
    public func readTrust() throws(NodeError) -> TokenTrust { try TokenKeyFiles(self).trust }

    /// The files of a folder, in the order of their names; none for a file.
    fileprivate static func files(inFolder folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted().map { "\(folder)/\($0)" }
    }
}

extension TokenSettings.Issuer {
    /// The issuer with these keys.
    fileprivate func issuer(with keys: [TokenKey]) -> TokenIssuer {
        var issuer = TokenIssuer(name, keys: keys)
        issuer.audiences = audiences
        issuer.userClaim = userClaim
        issuer.providerClaim = providerClaim
        issuer.adminClaim = adminClaim
        issuer.skewSeconds = Double(skewSeconds)
        issuer.maximumAgeSeconds = maxAgeSeconds.map(Double.init)
        issuer.validSinceSeconds = validSinceSeconds.map(Double.init)
        return issuer
    }

    /// The files with the keys.
    ///
    /// - Throws: if there are none, or too many.
    fileprivate func keyFiles() throws(NodeError) -> [String] {
        guard let keys else { return signingKeys }
        guard isFolder(keys) else {
            guard access(keys, F_OK) == 0 else { throw .unreadableKeys(keys) }
            return [keys]
        }
        let files = TokenSettings.files(inFolder: keys)
        guard (1...TokenSettings.fileLimit).contains(files.count) else {
            throw NodeError(
                problem: "the folder \(keys) has \(files.count) files with keys of tokens",
                fix: "put 1 to \(TokenSettings.fileLimit) there"
                    + (files.isEmpty
                        ? "; to revoke the last key, put a file with an empty set there: {\"keys\": []}"
                        : ""))
        }
        return files
    }

    /// The keys in one of the files.
    fileprivate func keys(
        inFile path: String, _ report: (String) -> Void
    ) throws(NodeError) -> [TokenKey] {
        guard let keys else { return [try TokenSettings.Issuer.signingKey(inFile: path)] }
        let url = URL(fileURLWithPath: path).deletingPathExtension()
        return try TokenSettings.Issuer.publicKeys(
            inFile: path, named: path == keys ? nil : url.lastPathComponent, report)
    }

    private static func publicKeys(
        inFile path: String, named name: String?, _ report: (String) -> Void
    ) throws(NodeError) -> [TokenKey] {
        guard let bytes = readFile(path, upTo: TokenKeyText.limit + 1) else {
            throw .unreadableKeys(path)
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

extension NodeError {
    fileprivate static func unreadableKeys(_ path: String) -> NodeError {
        NodeError(
            problem: "cannot read the keys of tokens in \(path)",
            fix:
                "name a file with public keys: a JSON Web Key Set, certificates by their names, or PEM"
        )
    }
}
