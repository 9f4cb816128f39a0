internal import COpenSSL

/// The TLS of one connection, between the bytes of the wire and the bytes that they mean; it does no input or output itself.
///
/// ```swift
/// let plain = try filter.receive(bytes)   // what arrived
/// filter.send(answer)                     // what the other end is to read
/// stream.append(filter.takeOutgoing())    // after either: what to send
/// ```
///
/// Bytes given to `send` before the handshake is complete wait for it.
public final class TLSFilter {
    /// How far a connection is.
    public enum State: Equatable, Sendable {
        /// The two ends agree on keys.
        case handshaking
        /// Plain bytes go both ways.
        case open
        /// The other end has said that it sends nothing more.
        case ended
        /// The connection has to be closed, once what `takeOutgoing` returns is sent.
        case failed(TLSError)
    }

    /// How far the connection is.
    public private(set) var state = State.handshaking
    private let connection: OpaquePointer
    private let trust: TLSTrust?
    /// The bytes from the network, and those to it; the connection owns both.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private var unsent: [UInt8] = []

    init(_ connection: OpaquePointer, trust: TLSTrust?) {
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            fatalError("out of memory")
        }
        self.connection = connection
        self.trust = trust
        self.incoming = incoming
        self.outgoing = outgoing
        SSL_set_bio(connection, incoming, outgoing)
        guard let trust else {
            SSL_set_accept_state(connection)
            return
        }
        SSL_set_connect_state(connection)
        if case .authorities(let host, _) = trust { TLSFilter.expect(host, of: connection) }
        advance()
    }

    deinit { SSL_free(connection) }

    /// Takes bytes that arrived.
    ///
    /// - Returns: The plain bytes in them; at most as many.
    public func receive(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        switch state {
        case .ended, .failed: return []
        case .handshaking, .open: break
        }
        var rest = bytes
        while !rest.isEmpty {
            let written = BIO_write(incoming, rest.baseAddress, Int32(clamping: rest.count))
            guard written > 0 else { fatalError("out of memory") }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(written)...])
        }
        advance()
        return state == .open ? readAll() : []
    }

    /// Takes bytes that arrived.
    public func receive(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { receive($0) } }

    /// Takes plain bytes for the other end.
    public func send(_ plain: [UInt8]) {
        unsent += plain
        if state == .open { writeAll() }
    }

    /// Says to the other end that nothing follows.
    public func finish() {
        guard state == .open else { return }
        ERR_clear_error()
        SSL_shutdown(connection)
    }

    /// Returns the bytes to send to the other end, and forgets them.
    public func takeOutgoing() -> [UInt8] {
        let count = BIO_ctrl_pending(outgoing)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            used = max(0, Int(BIO_read(outgoing, buffer.baseAddress, Int32(clamping: count))))
        }
    }

    /// The plain bytes that wait for the end of the handshake.
    public var waitingBytes: Int { unsent.count }

    /// The SHA-256 fingerprint of the other end's certificate; nil before the handshake, and for a client without certificate.
    public var peerFingerprint: [UInt8]? {
        guard let certificate = SSL_get1_peer_certificate(connection) else { return nil }
        defer { X509_free(certificate) }
        return Certificate.fingerprint(of: certificate)
    }

    /// The version that both ends agreed on, such as `TLSv1.3`.
    public var version: String { String(cString: SSL_get_version(connection)) }

    /// The protocol that both ends agreed on by ALPN: `http/1.1`, or nil.
    public var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(connection, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }
}

// MARK: - Steps

extension TLSFilter {
    /// Goes on with the handshake, as far as the bytes at hand allow.
    private func advance() {
        guard state == .handshaking else { return }
        ERR_clear_error()
        let result = SSL_do_handshake(connection)
        guard result == 1 else { return updateState(result) }
        if case .fingerprint(let expected) = trust, peerFingerprint != expected {
            return fail("the server's certificate is not the one that the address names")
        }
        state = .open
        writeAll()
    }

    private func readAll() -> [UInt8] {
        var plain: [UInt8] = []
        while true {
            ERR_clear_error()
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, used in
                let result = SSL_read(connection, buffer.baseAddress, Int32(buffer.count))
                used = max(0, Int(result))
                count = Int(result)
            }
            guard count > 0 else {
                updateState(Int32(count))
                return plain
            }
            plain += chunk
        }
    }

    private func writeAll() {
        guard !unsent.isEmpty else { return }
        ERR_clear_error()
        // A memory BIO has room for all, so that nothing is written in part.
        let result = SSL_write(connection, unsent, Int32(clamping: unsent.count))
        guard result > 0 else { return updateState(result) }
        unsent.removeFirst(Int(result))
        if !unsent.isEmpty { writeAll() }
    }

    /// Sets the state by what OpenSSL returned in place of success.
    private func updateState(_ result: Int32) {
        switch SSL_get_error(connection, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: state = .ended
        default: fail(reason)
        }
    }

    private var reason: String {
        if let verdict { return String(cString: X509_verify_cert_error_string(verdict)) }
        switch ERR_GET_REASON(ERR_peek_error()) {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG:
            return "the other end does not speak TLS"
        default: return TLSError.takeReason()
        }
    }

    /// Why the other end's certificate is refused, in OpenSSL's numbers; nil if it is not.
    private var verdict: Int? {
        let result = SSL_get_verify_result(connection)
        return result == X509_V_OK ? nil : result
    }

    private var fix: String {
        switch verdict.map(Int32.init) {
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            "name the authority's file (--ca FILE, or #ca=FILE behind the address), or write the certificate's fingerprint behind the address (#sha256=…)"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            "use a name that the certificate has, or request one for this host"
        case X509_V_ERR_CERT_HAS_EXPIRED: "renew the certificate"
        default: "check certificate and address, and that both ends speak TLS 1.2 or later"
        }
    }

    private func fail(_ reason: String) {
        let fix = fix
        ERR_clear_error()
        unsent = []
        state = .failed(TLSError(problem: "TLS failed: \(reason)", fix: fix))
    }

    /// Lets OpenSSL compare the host with the server's certificate, and names it to the server.
    private static func expect(_ host: String, of connection: OpaquePointer) {
        let parameters = SSL_get0_param(connection)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return }
        SSL_set1_host(connection, host)
        _ = host.withCString { name in
            SSL_ctrl(
                connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                UnsafeMutableRawPointer(mutating: name))
        }
    }
}
