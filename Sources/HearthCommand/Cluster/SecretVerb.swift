internal import ClusterAdministration
internal import CommandLineKit
internal import TLS

/// `hearth keys secret`, `monitor-secret` and `signing-key`: the kinds of secret text that a cluster knows.
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
            + "beside its configuration.",
        arguments: [file],
        examples: ["hearth keys signing-key signing.key"]
    ) { invocation throws(CommandError) in
        let path = invocation[file]
        _ = try writeNew(to: path)
        StandardOutput.shared.print(
            "tokens: {issuers: [{signingKeys: [\(quoted(path))], admin: \"admin\"}]},")
        return .success
    }

    private static let file = Argument("FILE", "The new file.", values: .file)

    private static func writeNew(to path: String) throws(CommandError) -> Secret {
        let secret = Secret.random()
        try NewFile(
            path: path, mode: 0o600, fix: "name a new file in a folder that you may write"
        ).write(secret.text + "\n")
        return secret
    }

    /// A path as a string of JSON5, relative to the configuration.
    private static func quoted(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return "\"\(name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
