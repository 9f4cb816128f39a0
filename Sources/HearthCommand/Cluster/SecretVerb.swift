internal import ClusterAdministration
internal import CommandLineKit
internal import TLS

/// `hearth keys secret`: a secret for the programs that use a cluster.
enum SecretVerb {
    static let verb = Verb(
        "secret",
        "Makes a secret in a file of its own, and prints its hash, as the configuration has it: whoever knows the "
            + "secret may read and write everything.",
        arguments: [file],
        examples: ["hearth keys secret app.secret"]
    ) { invocation throws(CommandError) in
        let secret = Secret.random()
        try NewFile(
            path: invocation[file], mode: 0o600,
            fix: "name a new file in a folder that you may write"
        ).write(secret.text + "\n")
        StandardOutput.shared.print("secrets: [\"\(SHA256.text(of: secret.hash))\"],")
        return .success
    }

    private static let file = Argument("FILE", "The new file.", values: .file)
}
