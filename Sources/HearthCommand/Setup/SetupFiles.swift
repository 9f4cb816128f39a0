internal import ClusterAdministration
internal import CommandLineKit
internal import Glibc
internal import TLS
internal import ZeroMQ

/// Writes the files of a new cluster. It replaces no file, and removes its own again if one cannot be written.
struct SetupFiles {
    /// A certificate of an authority, and its private key.
    struct OwnCertificate {
        let certificate: String
        let key: String
    }

    private let plan: SetupPlan
    /// The certificate to use; nil to make one.
    private let own: OwnCertificate?
    private var written: [String] = []
    private var writtenFolder: String?

    private init(_ plan: SetupPlan, _ own: OwnCertificate?) {
        (self.plan, self.own) = (plan, own)
    }

    /// Writes all files.
    static func write(_ plan: SetupPlan, certificate own: OwnCertificate?) throws(CommandError) {
        try makeFolder(plan.folder)
        var files = SetupFiles(plan, own)
        do throws(CommandError) {
            try files.writeAll()
        } catch {
            for path in files.written { unlink(path) }
            if let folder = files.writtenFolder { rmdir(folder) }
            throw error
        }
    }

    private mutating func writeAll() throws(CommandError) {
        let secret = Secret.random()
        try write(secret.text + "\n", to: "admin.secret", mode: 0o600)
        if plan.hasTokens { try writeSigningPair() }
        var publicKeys: [PublicKey] = []
        for node in plan.nodes {
            let pair = KeyPair.random()
            try write(KeyFile.text(of: pair), to: "\(node.id).key", mode: 0o600)
            publicKeys.append(pair.publicKey)
        }
        let keys = SetupKeys(
            publicKeys: publicKeys, secretHash: secret.hash,
            fingerprint: plan.hasTLS ? try writeCertificate() : nil)
        try write(plan.configuration(with: keys), to: "cluster.json5", mode: 0o644)
    }

    /// Writes the private key that signs tokens, and a folder for nodes with its public key.
    private mutating func writeSigningPair() throws(CommandError) {
        let folder = "\(plan.folder)/\(SetupPlan.tokenKeys)"
        let key = SigningKey.random()
        try write(key.pem, to: SetupPlan.signingKey, mode: 0o600)
        if access(folder, F_OK) != 0 { writtenFolder = folder }
        try makeFolder(folder)
        try write(key.publicKey.pem, to: "\(SetupPlan.tokenKeys)/signing.pem", mode: 0o644)
    }

    /// Writes the certificate and its key; returns its fingerprint if no authority has signed it.
    private mutating func writeCertificate() throws(CommandError) -> [UInt8]? {
        guard let own else {
            let made = Certificate(hosts: plan.hosts)
            try writeCertificate(made.certificate, made.key)
            return made.fingerprint
        }
        try writeCertificate(own.certificate, own.key)
        return nil
    }

    private mutating func writeCertificate(
        _ certificate: String, _ key: String
    ) throws(CommandError) {
        try write(key, to: "certificate.key", mode: 0o600)
        try write(certificate, to: "certificate.pem", mode: 0o644)
    }

    private mutating func write(
        _ text: String, to name: String, mode: mode_t
    ) throws(CommandError) {
        let path = "\(plan.folder)/\(name)"
        try NewFile(path: path, mode: mode, fix: "name another folder by --out").write(text)
        written.append(path)
    }
}
