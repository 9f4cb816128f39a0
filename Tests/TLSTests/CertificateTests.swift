import TLS
import Testing

@Suite struct CertificateTests {
    private let files: Files

    init() throws { files = try Files() }

    private func shown(_ options: String...) throws -> String {
        try openSSL(["x509", "-in", files.path("certificate.pem"), "-noout"] + options)
    }

    @Test func `openssl shows the same fingerprint, the name and the curve`() throws {
        let text = try shown("-fingerprint", "-sha256", "-subject", "-text")
        let digits = files.certificate.fingerprint.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        #expect(text.contains(digits.joined(separator: ":")))
        #expect(text.contains("subject=CN = db.test"))
        #expect(text.contains("P-256"))
        #expect(text.contains("DNS:db.test, IP Address:10.1.2.3, IP Address:0:0:0:0:0:0:0:1"))
        // Alternative names belong to version 3.
        #expect(text.contains("Version: 3 "))
    }

    @Test func `a certificate is valid for twenty years`() throws {
        let year = 365 * 86_400
        #expect(try shown("-checkend", "\(19 * year)").contains("will not expire"))
        #expect(try shown("-checkend", "\(21 * year)").contains("will expire"))
    }

    @Test func `no two certificates have one serial number`() throws {
        let serial = try shown("-serial")
        try files.write("certificate.pem", Certificate(hosts: ["db.test"]).certificate)
        #expect(try shown("-serial") != serial)
        #expect(serial.hasPrefix("serial="))
    }

    @Test func `a name that would add others ends the program, as one that is too long does`() async
    {
        await #expect(processExitsWith: .failure) { _ = Certificate(hosts: ["a,DNS:b"]) }
        await #expect(processExitsWith: .failure) { _ = Certificate(hosts: []) }
        await #expect(processExitsWith: .failure) {
            _ = Certificate(hosts: [String(repeating: "a", count: 65)])
        }
        #expect(Certificate(hosts: [String(repeating: "a", count: 64)]).fingerprint.count == 32)
    }
}
