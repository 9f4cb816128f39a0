internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import TLS

/// `hearth keys certificate`: TLS for clusters without a certificate authority.
enum CertificateVerb {
    static let verb = Verb(
        "certificate",
        "Makes a certificate for the ports of clients, and prints what clients write behind https://HOST:PORT to "
            + "know it.",
        arguments: [hosts], options: [KeysVerb.folder],
        examples: ["hearth keys certificate 10.0.0.1 10.0.0.2 10.0.0.3 --out keys"]
    ) { invocation throws(CommandError) in
        let hosts = invocation.words(of: hosts)
        for host in hosts { try check(host, invocation) }
        let folder = invocation[KeysVerb.folder] ?? "."
        try makeFolder(folder)
        let certificate = Certificate(hosts: hosts)
        try write(certificate.key, to: "\(folder)/certificate.key", mode: 0o600)
        try write(certificate.certificate, to: "\(folder)/certificate.pem", mode: 0o644)
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
                "\"\(host)\" is no host", fix: "write a name or an address without its port")
        }
    }

    /// Writes a file that was not there.
    private static func write(
        _ text: String, to path: String, mode: mode_t
    ) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            throw CommandError(
                .cannotCreate, "cannot make \(path): \(String(cString: strerror(errno)))",
                fix: "name another folder by --out")
        }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
        else {
            throw CommandError(
                .cannotCreate, "cannot write \(path): \(String(cString: strerror(errno)))",
                fix: "make room on the disk")
        }
    }
}
