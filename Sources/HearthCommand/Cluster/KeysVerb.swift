internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import ZeroMQ

/// `hearth keys`: the keys of nodes and clients.
enum KeysVerb {
    static let verb = Verb(
        "keys", "Makes the keys by which nodes and clients authenticate each other.",
        verbs: [new, show, CertificateVerb.verb, SecretVerb.verb],
        examples: [
            "hearth keys new n1 n2 n3 --out keys", "hearth keys show keys/n1.key",
            "hearth keys certificate 127.0.0.1 --out keys", "hearth keys secret app.secret",
        ])

    private static let names = Argument(
        "NAME", "Whose key: n1, or ada.", arity: .repeated)
    private static let files = Argument("FILE", "A key file.", arity: .repeated, values: .file)
    static let folder = Option(
        "out", "DIR", "Where to put the new files; the current folder.", values: .folder)

    private static let new = Verb(
        "new",
        "Makes a secret key a name, in a file of its own, and prints the public keys for the "
            + "configuration.",
        arguments: [names], options: [folder],
        examples: ["hearth keys new n1 n2 n3 --out keys", "hearth keys new ada"]
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
            guard let keys = try NodeOptions.keys(inFile: file) else { continue }
            StandardOutput.shared.print("\(keys.publicKey)")
        }
        return .success
    }
}
