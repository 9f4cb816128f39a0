internal import ClusterConfiguration
internal import HTTPText
internal import Sockets
internal import TLS

/// The certificate of a node's HTTP port, which is read anew when its files change.
final class ServerCertificate {
    private let files: HTTPSettings.CertificateFiles
    private let address: HTTPAddress
    private let hosts: CertificateHosts
    private let log: (String) -> Void
    private var context: TLSContext
    /// The files as they were when they were read last.
    private var version: FileVersion

    /// Reads the files.
    ///
    /// - Parameter publicName: The name of the node in "public".
    /// - Throws: what is wrong with them, or that the address names another certificate.
    init(
        _ files: HTTPSettings.CertificateFiles, at address: HTTPAddress,
        publicName: String? = nil, log: @escaping (String) -> Void
    ) throws(NodeError) {
        self.files = files
        self.address = address
        hosts = CertificateHosts(client: address.verifiedHost, publicName: publicName)
        self.log = log
        version = FileVersion(of: files.paths)
        context = try ServerCertificate.read(files, at: address)
    }

    /// The TLS of a new connection.
    func filter() -> TLSFilter { context.filter() }

    /// The reasons why clients refuse the certificate, or soon will.
    func warnings(atSecond second: Int) -> [NodeError] {
        context.identity?.warnings(about: files.certificate, for: hosts, at: second) ?? []
    }

    /// Writes the warnings to the log.
    func logWarnings(atSecond second: Int) {
        for warning in warnings(atSecond: second) {
            log("warning: \(warning.problem); \(warning.fix)")
        }
    }

    /// Reads files that have changed; returns whether new connections get another certificate. Files that cannot be used change
    /// nothing but the log.
    @discardableResult
    func refresh() -> Bool {
        let present = FileVersion(of: files.paths)
        guard present != version else { return false }
        version = present
        do throws(NodeError) {
            context = try ServerCertificate.read(files, at: address)
            log("new connections get the new certificate \(files.certificate)")
            return true
        } catch {
            log("keeps the old certificate: \(error.problem); \(error.fix)")
            return false
        }
    }

    private static func read(
        _ files: HTTPSettings.CertificateFiles, at address: HTTPAddress
    ) throws(NodeError) -> TLSContext {
        let context: TLSContext
        do throws(TLSError) {
            context = try TLSContext.server(certificate: files.certificate, key: files.key)
        } catch {
            throw NodeError(problem: error.problem, fix: error.fix)
        }
        guard case .fingerprint(let expected)? = address.trust,
            let fingerprint = context.fingerprint, fingerprint != expected
        else { return context }
        throw NodeError(
            problem: "\(address.location) names another certificate than \(files.certificate)",
            fix: "write \(HTTPAddress.fragment(ofFingerprint: fingerprint)) behind the address")
    }
}

extension HTTPAddress {
    /// The host that clients look for in the certificate; nil if a fingerprint identifies that.
    fileprivate var verifiedHost: String? {
        if case .authorities(let host, _)? = trust { host } else { nil }
    }
}

extension HTTPSettings.CertificateFiles {
    fileprivate var paths: [String] { [certificate, key] }
}

// MARK: - Who speaks no TLS

extension ServerCertificate {
    /// How TLS begins (RFC 8446, section 5.1).
    private static let handshakeRecord: UInt8 = 22

    /// Whether a client that sends these bytes first speaks TLS.
    static func isHandshake(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.first == handshakeRecord
    }

    /// The answer to a client without TLS, as plain text.
    static func refusalOfPlainText(at date: HTTPDate) -> [UInt8] {
        var head = ResponseHead(status: 400)
        head.append("Content-Type", "text/plain; charset=utf-8")
        let body = "This port speaks TLS: write https:// in place of http://.\n"
        return head.message(body: Array(body.utf8), form: .afterFailure, date: date)
    }
}
