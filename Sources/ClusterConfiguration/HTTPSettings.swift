/// The settings of the ports for clients, besides their addresses.
public struct HTTPSettings: Equatable, Sendable {
    /// The files of a certificate and its private key, as PEM.
    public struct CertificateFiles: Equatable, Sendable {
        /// The path of the certificate, and of those that lead to its authority.
        public var certificate: String
        /// The path of the private key.
        public var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// With these files the ports have TLS.
    public var files: CertificateFiles?
    /// Names of the nodes by which clients may turn to them, beside `localhost` and addresses.
    public var hosts: [String] = []
    /// Origins of web pages that may send requests, beside those of this machine and of the nodes.
    public var origins: [String] = []

    /// The largest body of a request.
    public var maxBodyMegabytes = 32

    /// The most connections that a node has.
    public var maxConnections = 10_000
    /// The most connections that a node has from one address of another machine.
    public var maxConnectionsPerAddress = 500

    /// The largest number of connections that a configuration may permit.
    public static let connectionBound = 1_000_000

    package init() {}
}
