internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import TLS

/// `hearth keys secret`, `monitor-secret` and `signing-key`: the kinds of secret text that a cluster knows. `signing-pair`: a key
/// whose private half the cluster does not know.
enum SecretVerb {
    static let administratorSecret = Verb(
        "secret",
        "Creates an administrator's secret in a new file, and prints its hash for the "
            + "configuration. A client that sends the secret is an administrator and may read and "
            + "write everything.",
        arguments: [file],
        examples: ["hearth keys secret app.secret"]
    ) { invocation throws(CommandError) in
        let secret = try writeNew(to: invocation[file])
        StandardOutput.shared.print("secrets: [\"\(SHA256.text(of: secret.hash))\"],")
        return .success
    }

    static let monitorSecret = Verb(
        "monitor-secret",
        "Creates a monitor's secret in a new file, and prints its hash for the configuration. A "
            + "client that sends the secret may read `/status` and `/metrics` and take backups, "
            + "and may neither read nor write data.",
        arguments: [file],
        examples: ["hearth keys monitor-secret monitor.secret"]
    ) { invocation throws(CommandError) in
        let secret = try writeNew(to: invocation[file])
        StandardOutput.shared.print("monitorSecrets: [\"\(SHA256.text(of: secret.hash))\"],")
        return .success
    }

    static let signingKey = Verb(
        "signing-key",
        "Creates a signing key in a new file, and prints the lines for the configuration. A "
            + "program with the key can sign tokens (`hearth token new`). Each node needs the file "
            + "beside its configuration, so each host could sign tokens, too: prefer `signing-pair`.",
        arguments: [file],
        examples: ["hearth keys signing-key signing.key"]
    ) { invocation throws(CommandError) in
        let path = invocation[file]
        _ = try writeNew(to: path)
        StandardOutput.shared.print(
            "tokens: {issuers: [{signingKeys: [\(SigningPair.quoted(path.lastPart))], admin: \"admin\"}]},"
        )
        return .success
    }

    static let signingPair = Verb(
        "signing-pair",
        "Creates a private key that signs tokens in a new file, and its public key in a file beside "
            + "it that ends with .pem. Prints the lines for the configuration. Nodes need the "
            + "public key alone, so no host can sign tokens.",
        arguments: [file], options: [issuer],
        examples: ["hearth keys signing-pair signing.key --issuer chat"]
    ) { invocation throws(CommandError) in
        let path = invocation[file]
        let pair = SigningPair(privateFile: path)
        let name = invocation[issuer] ?? pair.name
        try pair.write()
        StandardOutput.shared.print(SigningPair.lines(issuer: name, keys: pair.publicName))
        return .success
    }

    private static let issuer = Option(
        "issuer", "NAME",
        "The issuer and audience of the tokens, as iss and aud; by default the name of the file.")
    private static let file = Argument("FILE", "The new file.", values: .file)

    private static func writeNew(to path: String) throws(CommandError) -> Secret {
        let secret = Secret.random()
        try NewFile(
            path: path, mode: 0o600, fix: "name a new file in a folder that you may write"
        ).write(secret.text + "\n")
        return secret
    }
}

/// The files of a key pair that signs tokens: the private key for the program that signs, and the public key for nodes.
struct SigningPair {
    private let privateFile: String
    private let publicFile: String
    private let key = SigningKey.random()

    /// A new pair, with the public key in the same folder.
    init(privateFile: String) {
        self.privateFile = privateFile
        let isKey = privateFile.hasSuffix(".key")
        publicFile = (isKey ? String(privateFile.dropLast(4)) : privateFile) + ".pem"
    }

    /// The name of the pair: that of the file of its public key, by which tokens call it in a folder with others.
    var name: String { String(publicName.dropLast(4)) }

    /// The name of the file with the public key, without its folder.
    var publicName: String { publicFile.lastPart }

    /// Writes both files, or none.
    func write() throws(CommandError) {
        let fix = "name a new file in a folder that you may write"
        try NewFile(path: privateFile, mode: 0o600, fix: fix).write(key.pem)
        do throws(CommandError) {
            try NewFile(path: publicFile, mode: 0o644, fix: fix).write(key.publicKey.pem)
        } catch {
            unlink(privateFile)
            throw error
        }
    }

    /// The lines of a configuration for the tokens of a pair.
    static func lines(issuer: String, keys: String) -> String {
        let (name, keys) = (quoted(issuer), quoted(keys))
        return
            "tokens: {issuers: [{issuer: \(name), audience: \(name), keys: \(keys), admin: \"admin\"}]},"
    }

    /// A text as a string of JSON5.
    static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

extension String {
    /// The name of a file without its folder.
    fileprivate var lastPart: String { split(separator: "/").last.map(String.init) ?? self }
}
