internal import ClusterAdministration
internal import CommandLineKit
internal import Sockets
internal import TLS

/// `hearth keys certificate`: TLS for clusters without a certificate authority.
enum CertificateVerb {
    static let verb = Verb(
        "certificate",
        "Creates a certificate for the ports of clients. Prints the fingerprint that clients "
            + "append to https://HOST:PORT to recognise it.",
        arguments: [hosts], options: [KeysVerb.folder],
        examples: ["hearth keys certificate 10.0.0.1 10.0.0.2 10.0.0.3 --out keys"]
    ) { invocation throws(CommandError) in
        let hosts = invocation.words(of: hosts)
        for host in hosts { try check(host, invocation) }
        let folder = invocation[KeysVerb.folder] ?? "."
        try makeFolder(folder)
        let certificate = Certificate(hosts: hosts)
        let fix = "name another folder by --out"
        try NewFile(path: "\(folder)/certificate.key", mode: 0o600, fix: fix)
            .write(certificate.key)
        try NewFile(path: "\(folder)/certificate.pem", mode: 0o644, fix: fix)
            .write(certificate.certificate)
        StandardOutput.shared.print(
            HTTPAddress.fragment(ofFingerprint: certificate.fingerprint))
        return .success
    }

    private static let hosts = Argument(
        "HOST", "A name or an address of a node: db.example.com, or 10.0.0.1.", arity: .repeated)

    /// Checks that an address of a node can have this host.
    private static func check(
        _ host: String, _ invocation: Invocation
    ) throws(CommandError) {
        let text = host.contains(":") ? "[\(host)]" : host
        guard Certificate.isHost(host), HTTPAddress("https://\(text):1") != nil else {
            throw invocation.usageError(
                "\"\(host)\" is not a host", fix: "write a name or an address without its port")
        }
    }
}
