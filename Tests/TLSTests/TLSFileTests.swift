import TLS
import Testing

@Suite struct TLSFileTests {
    private let files: Files

    init() throws { files = try Files() }

    private func error(certificate: String = "certificate.pem", key: String = "key.pem")
        -> TLSError?
    {
        do {
            _ = try files.server(certificate: certificate, key: key)
            return nil
        } catch {
            return error as? TLSError
        }
    }

    @Test func `a file that is not there is named`() {
        #expect(error(certificate: "none.pem")?.problem.contains("none.pem: No such file") == true)
        #expect(error(key: "none.pem")?.problem.contains("none.pem: No such file") == true)
    }

    @Test func `a file that holds something else is named`() throws {
        try files.write("text.pem", "hello")
        #expect(
            error(certificate: "text.pem")?.problem.contains("text.pem holds no certificate")
                == true)
        #expect(error(key: "text.pem")?.problem.contains("text.pem holds no private key") == true)
    }

    @Test func `a file of authorities that cannot be read is named`() throws {
        try files.write("text.pem", "hello")
        for (name, problem) in [("none.pem", "No such file"), ("text.pem", "holds no certificate")]
        {
            let trust = TLSTrust.authorities(host: "db.test", file: files.path(name))
            let error = #expect(throws: TLSError.self) { try TLSContext.client(trusting: trust) }
            #expect(error?.problem.contains(name) == true)
            #expect(error?.problem.contains(problem) == true)
        }
    }

    @Test func `a key with a password is refused, and nobody is asked for it`() throws {
        try openSSL(
            "pkey", "-in", files.path("key.pem"), "-aes256", "-passout", "pass:secret", "-out",
            files.path("locked.pem"))
        let error = error(key: "locked.pem")
        #expect(error?.problem.contains("locked.pem holds no private key") == true)
        #expect(error?.fix.contains("no password") == true)
    }

    @Test func `a key of another certificate is refused`() throws {
        try files.write("other.pem", Certificate(hosts: ["db.test"]).key)
        #expect(error(key: "other.pem")?.problem.contains("does not belong to certificate") == true)
    }

    @Test func `a key that others can read is refused`() throws {
        try files.write("open.pem", files.certificate.key, mode: 0o644)
        #expect(error(key: "open.pem")?.fix.hasPrefix("run `chmod 600") == true)
        try files.write("group.pem", files.certificate.key, mode: 0o640)
        #expect(error(key: "group.pem") == nil)
    }

    @Test func `the fingerprint of a certificate is read from its text`() {
        let certificate = files.certificate
        #expect(certificate.fingerprint.count == 32)
        #expect(Certificate.fingerprint(ofPEM: certificate.certificate) == certificate.fingerprint)
        #expect(Certificate.fingerprint(ofPEM: "hello") == nil)
        #expect(Certificate(hosts: ["db.test"]).fingerprint != certificate.fingerprint)
    }
}
