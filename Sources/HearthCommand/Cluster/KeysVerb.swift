internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import ZeroMQ

/// `hearth keys`: what nodes know each other by, and programs.
enum KeysVerb {
    static let verb = Verb(
        "keys",
        "Creates the keys of nodes, certificates, secrets and signing keys.",
        verbs: [
            new, show, CertificateVerb.verb, SecretVerb.administratorSecret,
            SecretVerb.monitorSecret, SecretVerb.signingPair, SecretVerb.signingKey,
            KeysFollowVerb.verb,
        ],
        examples: [
            "hearth keys new n1 n2 n3 --out keys", "hearth keys show keys/n1.key",
            "hearth keys certificate 127.0.0.1 --out keys", "hearth keys secret app.secret",
            "hearth keys signing-pair signing.key",
        ])

    private static let names = Argument(
        "NAME", "The name of a node, such as n1.", arity: .repeated)
    private static let files = Argument("FILE", "A key file.", arity: .repeated, values: .file)
    static let folder = Option(
        "out", "DIR", "The folder for the new files; the current folder by default.",
        values: .folder)

    private static let new = Verb(
        "new",
        "Creates a key for each node, in a file of its own, and prints the public keys for "
            + "the configuration.",
        arguments: [names], options: [folder],
        examples: ["hearth keys new n1 n2 n3 --out keys"]
    ) { invocation throws(CommandError) in
        let folder = invocation[folder] ?? "."
        try makeFolder(folder)
        for name in invocation.words(of: names) {
            let keys = KeyPair.random()
            do throws(KeyFileError) {
                try KeyFile("\(folder)/\(name).key").write(keys)
            } catch {
                throw CommandError(.cannotCreate, error.problem, fix: error.fix)
            }
            StandardOutput.shared.print("\(name)  \(keys.publicKey)")
        }
        return .success
    }

    private static let show = Verb(
        "show", "Prints the public keys of key files.", arguments: [files],
        examples: ["hearth keys show keys/n1.key"]
    ) { invocation throws(CommandError) in
        for file in invocation.words(of: files) {
            StandardOutput.shared.print("\(try keys(inFile: file).publicKey)")
        }
        return .success
    }

    /// The keys in a file.
    static func keys(inFile file: String) throws(CommandError) -> KeyPair {
        do throws(KeyFileError) {
            return try KeyFile(file).read()
        } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }
}
