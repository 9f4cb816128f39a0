internal import CLibrary
internal import COpenSSL

/// The names and dates in a server's certificate.
///
/// It belongs to the context, and to the context's thread.
public struct ServerIdentity {
    private let context: TLSContext
    private let certificate: OpaquePointer

    init(_ certificate: OpaquePointer, of context: TLSContext) {
        self.certificate = certificate
        self.context = context
    }

    /// The seconds since 1970 from which and until which the certificate is valid.
    public var validity: ClosedRange<Int> {
        let start = ServerIdentity.seconds(of: X509_get0_notBefore(certificate))
        let end = ServerIdentity.seconds(of: X509_get0_notAfter(certificate))
        return start...max(start, end)
    }

    /// Whether the certificate is for a name, or an address without brackets. As in browsers, only its alternative names count.
    public func isFor(_ host: String) -> Bool {
        defer { ERR_clear_error() }
        if X509_check_ip_asc(certificate, host, 0) == 1 { return true }
        return X509_check_host(
            certificate, host, host.utf8.count, UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT), nil)
            == 1
    }

    private static func seconds(of time: UnsafePointer<ASN1_TIME>?) -> Int {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
        return timegm(&parts)
    }
}

extension TLSContext {
    /// The names and dates in the server's certificate; nil for a client.
    public var identity: ServerIdentity? {
        serverCertificate.map { ServerIdentity($0, of: self) }
    }
}
