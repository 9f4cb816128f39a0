internal import CLibrary
internal import COpenSSL

/// The common part of all connections of one server or one client: certificate, key and trusted
/// authorities.
///
/// TLS 1.2 and later, and `http/1.1` by ALPN. A context belongs to one thread, as its filters do; making one reads the files, so
/// that a driver makes another to take up a new certificate.
public final class TLSContext {
    private let context: OpaquePointer
    private let trust: TLSTrust?

    private init(_ method: OpaquePointer, trust: TLSTrust?) {
        guard let context = SSL_CTX_new(method) else { fatalError("out of memory") }
        self.context = context
        self.trust = trust
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // Without it, an idle connection keeps 34 KB of buffers.
        SSL_CTX_ctrl(context, SSL_CTRL_MODE, TLSContext.releaseBuffers, nil)
        SSL_CTX_set_options(context, TLSContext.noRenegotiation)
        // OpenSSL would ask the terminal for the password of a key.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
    }

    deinit { SSL_CTX_free(context) }

    /// Makes the context of a server.
    ///
    /// - Parameters:
    ///   - certificate: The path of a PEM file with the server's certificate, and those that lead to its authority.
    ///   - key: The path of a PEM file with its private key, which other users may not read.
    /// - Throws: `TLSError`, which names the file.
    public static func server(certificate: String, key: String) throws(TLSError) -> TLSContext {
        let server = TLSContext(TLS_server_method(), trust: nil)
        try TLSFile.check(certificate, holds: "a certificate")
        try TLSFile.check(key, holds: "a private key")
        try TLSFile.checkSecrecy(of: key)
        try server.load(certificate: certificate, key: key)
        SSL_CTX_set_alpn_select_cb(server.context, TLSContext.selectProtocol, nil)
        return server
    }

    /// Makes the context of a client.
    ///
    /// - Throws: `TLSError`, which names the file of authorities.
    public static func client(trusting trust: TLSTrust) throws(TLSError) -> TLSContext {
        let client = TLSContext(TLS_client_method(), trust: trust)
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        SSL_CTX_set_alpn_protos(client.context, protocols, UInt32(protocols.count))
        if case .authorities(_, let file) = trust { try client.trust(authoritiesIn: file) }
        return client
    }

    /// The SHA-256 fingerprint of a server's certificate; nil for a client.
    public var fingerprint: [UInt8]? {
        serverCertificate.map(Certificate.fingerprint)
    }

    var serverCertificate: OpaquePointer? { SSL_CTX_get0_certificate(context) }

    /// Makes the filter of a new connection.
    public func filter() -> TLSFilter {
        guard let connection = SSL_new(context) else { fatalError("out of memory") }
        return TLSFilter(connection, trust: trust)
    }

    private func trust(authoritiesIn file: String?) throws(TLSError) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard let file else {
            SSL_CTX_set_default_verify_paths(context)
            return
        }
        try TLSFile.check(file, holds: "certificates of authorities")
        ERR_clear_error()
        guard SSL_CTX_load_verify_locations(context, file, nil) == 1 else {
            throw TLSError(
                problem: "\(file) holds no certificate: \(TLSError.takeReason())",
                fix: "name a PEM file with certificates of authorities")
        }
    }

    private func load(certificate: String, key: String) throws(TLSError) {
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw TLSError(
                problem: "\(certificate) holds no certificate: \(TLSError.takeReason())",
                fix: "name a PEM file that begins with the server's certificate")
        }
        guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
            let isMismatch = ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH
            let reason = TLSError.takeReason()
            throw isMismatch
                ? TLSError(
                    problem: "key \(key) does not belong to certificate \(certificate)",
                    fix: "name the key with which the certificate was requested")
                : TLSError(
                    problem: "\(key) holds no private key: \(reason)",
                    fix: "name a PEM file with a key that has no password")
        }
    }

    private static let releaseBuffers = 0x10
    private static let noRenegotiation: UInt64 = 1 << 30

    /// Takes `http/1.1` if the client offers it; a client that offers other protocols alone goes on without.
    private static let selectProtocol: SSL_CTX_alpn_select_cb_func = {
        _, selected, length, offered, offeredLength, _ in
        guard let selected, let length, let offered else { return SSL_TLSEXT_ERR_NOACK }
        var place = 0
        while place < offeredLength {
            let count = Int(offered[place])
            let name = UnsafeBufferPointer(start: offered + place + 1, count: count)
            if name.elementsEqual("http/1.1".utf8) {
                selected.pointee = offered + place + 1
                length.pointee = UInt8(count)
                return SSL_TLSEXT_ERR_OK
            }
            place += count + 1
        }
        return SSL_TLSEXT_ERR_NOACK
    }
}

/// How a client knows that a server is the one it means.
public enum TLSTrust: Hashable, Sendable {
    /// The server's certificate is for this host, and leads to an authority in a PEM file; without a file, to one that the
    /// system trusts.
    case authorities(host: String, file: String? = nil)
    /// The server's certificate has this SHA-256 fingerprint, of 32 bytes.
    case fingerprint([UInt8])
}

/// The files of a server.
private enum TLSFile {
    static func check(_ path: String, holds content: String) throws(TLSError) {
        guard let file = fopen(path, "re") else {
            throw TLSError(
                problem: "cannot read \(path): \(String(cString: strerror(errno)))",
                fix: "name a PEM file with \(content) that this user may read")
        }
        fclose(file)
    }

    static func checkSecrecy(of path: String) throws(TLSError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o007 == 0 else {
            throw TLSError(
                problem: "other users may read key \(path)", fix: "run `chmod 600 \(path)`")
        }
    }
}
