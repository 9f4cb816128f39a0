import Foundation
import TLS
import Testing

@Suite struct `The identity in a server's certificate` {
    @Test func `has names, addresses and dates`() throws {
        let files = try Files()
        let identity = try #require(try files.server().identity)
        for host in ["db.test", "10.1.2.3", "::1"] { #expect(identity.isFor(host)) }
        for host in ["other.test", "10.1.2.4", "a.db.test", ""] { #expect(!identity.isFor(host)) }
        let now = Int(Date.now.timeIntervalSince1970)
        let day = 86_400
        #expect(abs(identity.validity.lowerBound - (now - day)) < 60)
        #expect(abs(identity.validity.upperBound - (now + 20 * 365 * day)) < 60)
    }

    @Test func `has the names of wildcards, and not that of the subject`() throws {
        let files = try Files()
        try openSSL(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", files.path("wild.key"), "-out", files.path("wild.pem"), "-subj",
            "/CN=subject.test", "-addext", "subjectAltName=DNS:*.example.test")
        let server = try files.server(certificate: "wild.pem", key: "wild.key")
        let identity = try #require(server.identity)
        #expect(identity.isFor("db1.example.test"))
        #expect(!identity.isFor("example.test") && !identity.isFor("subject.test"))
    }

    @Test func `has no name without alternative names`() throws {
        let files = try Files()
        try openSSL(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", files.path("old.key"), "-out", files.path("old.pem"), "-subj",
            "/CN=subject.test")
        let server = try files.server(certificate: "old.pem", key: "old.key")
        #expect(try #require(server.identity).isFor("subject.test") == false)
    }

    @Test func `is not there for a client`() throws {
        #expect(try TLSContext.client(trusting: .authorities(host: "db.test")).identity == nil)
    }
}
