internal import COpenSSL

/// A certificate that a server signs itself, with its key: for clients that know its fingerprint.
public struct Certificate: Equatable, Sendable {
    /// The certificate as PEM.
    public let certificate: String
    /// The private key as PEM, an elliptic curve key on P-256.
    public let key: String
    /// The SHA-256 fingerprint of the certificate, of 32 bytes, as `openssl x509 -fingerprint -sha256` shows it.
    public let fingerprint: [UInt8]

    private static let validSeconds = 20 * 365 * 86_400

    /// Makes a key and a certificate that is valid for twenty years.
    ///
    /// - Parameter hosts: The names and addresses of the server, at least one; see `isHost(_:)`.
    public init(hosts: [String]) {
        precondition(
            !hosts.isEmpty && hosts.allSatisfy(Certificate.isHost), "\(hosts) are no hosts")
        let pair = Certificate.keyPair()
        defer { EVP_PKEY_free(pair) }
        guard let certificate = X509_new() else { fatalError("out of memory") }
        defer { X509_free(certificate) }
        Certificate.fill(certificate, hosts: hosts, pair)
        guard X509_sign(certificate, pair, EVP_sha256()) > 0 else {
            fatalError("cannot sign a certificate: \(TLSError.takeReason())")
        }
        self.certificate = Certificate.pem { PEM_write_bio_X509($0, certificate) }
        key = Certificate.pem { PEM_write_bio_PrivateKey($0, pair, nil, nil, 0, nil, nil) }
        fingerprint = Certificate.fingerprint(of: certificate)
    }

    /// Reads the fingerprint of the first certificate of a PEM text; nil if there is none.
    public static func fingerprint(ofPEM text: String) -> [UInt8]? {
        // OpenSSL reads the text where it is, so that it has to stay there.
        Array(text.utf8).withUnsafeBytes { bytes in
            defer { ERR_clear_error() }
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            else { return nil }
            defer { BIO_free(source) }
            guard let certificate = PEM_read_bio_X509(source, nil, nil, nil) else { return nil }
            defer { X509_free(certificate) }
            return fingerprint(of: certificate)
        }
    }

    static func fingerprint(of certificate: OpaquePointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, used in
            var count: UInt32 = 0
            X509_digest(certificate, EVP_sha256(), buffer.baseAddress, &count)
            used = Int(count)
        }
    }

    /// Makes a key on P-256, which the caller frees.
    static func keyPair() -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pair: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &pair) == 1, let pair
        else { fatalError("cannot make a key: \(TLSError.takeReason())") }
        return pair
    }

    private static func fill(
        _ certificate: OpaquePointer, hosts: [String], _ pair: OpaquePointer
    ) {
        X509_set_version(certificate, 2)
        var serial: UInt64 = 0
        withUnsafeMutableBytes(of: &serial) { bytes in
            _ = RAND_bytes(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count))
        }
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1)
        X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), validSeconds)
        X509_set_pubkey(certificate, pair)
        let subject = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(
            subject, "CN", MBSTRING_UTF8, Array(hosts[0].utf8), Int32(hosts[0].utf8.count),
            -1, 0)
        X509_set_issuer_name(certificate, subject)
        let text = hosts.map { (isAddress($0) ? "IP:" : "DNS:") + $0 }
            .joined(separator: ",")
        guard let names = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, text),
            X509_add_ext(certificate, names, -1) == 1
        else { fatalError("cannot name \(text): \(TLSError.takeReason())") }
        X509_EXTENSION_free(names)
    }

    /// Whether a certificate can be made for a name or an address: 1 to 64 letters, digits and `.:-_`. A comma would add a name.
    public static func isHost(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: ":"):
                    true
                default: ".-_".utf8.contains(byte)
                }
            }
    }

    private static func isAddress(_ host: String) -> Bool {
        guard let address = a2i_IPADDRESS(host) else {
            ERR_clear_error()
            return false
        }
        ASN1_OCTET_STRING_free(address)
        return true
    }

    static func pem(_ write: (OpaquePointer) -> Int32) -> String {
        guard let target = BIO_new(BIO_s_mem()) else { fatalError("out of memory") }
        defer { BIO_free(target) }
        guard write(target) == 1 else { fatalError("cannot write PEM: \(TLSError.takeReason())") }
        let count = BIO_ctrl_pending(target)
        return String(unsafeUninitializedCapacity: count) { buffer in
            max(0, Int(BIO_read(target, buffer.baseAddress, Int32(clamping: count))))
        }
    }
}
