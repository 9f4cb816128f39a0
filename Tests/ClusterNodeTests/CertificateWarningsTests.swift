import ClusterConfiguration
import Foundation
import Sockets
import TLS
import Testing

@testable import ClusterNode

@Suite struct `Warnings about a certificate` {
    private let folder: TemporaryFolder
    private let certificate: Certificate
    private let files: HTTPSettings.CertificateFiles
    private let now = Int(Date.now.timeIntervalSince1970)

    init() throws {
        folder = try TemporaryFolder()
        certificate = Certificate(hosts: ["db1.test"])
        files = HTTPSettings.CertificateFiles(
            certificate: try folder.write(certificate.certificate, to: "certificate.pem"),
            key: try folder.write(certificate.key, to: "certificate.key"))
        try restrict(files.key)
    }

    private func problems(
        client: String, publicName: String? = nil, at second: Int? = nil
    ) throws -> [String] {
        try warnings(client: client, publicName: publicName, at: second).map(\.problem)
    }

    private func warnings(
        client: String, publicName: String? = nil, at second: Int? = nil
    ) throws -> [NodeError] {
        let address = try #require(HTTPAddress(client))
        let certificate = try ServerCertificate(files, at: address, publicName: publicName) { _ in }
        return certificate.warnings(atSecond: second ?? now)
    }

    @Test func `name the host that it is not for`() throws {
        #expect(try problems(client: "https://db1.test:7001", publicName: "db1.test") == [])
        #expect(
            try problems(client: "https://10.0.0.1:7001", publicName: "www.test") == [
                "clients refuse \(files.certificate): it is not for 10.0.0.1, the host of \"client\"",
                "clients refuse \(files.certificate): it is not for www.test, the host of \"public\"",
            ])
    }

    @Test func `name the remedies`() throws {
        let fixes = try warnings(client: "https://10.0.0.1:7001", publicName: "www.test").map(\.fix)
        #expect(fixes[0].hasPrefix("request a certificate for 10.0.0.1, or correct \"client\""))
        #expect(fixes[0].contains("#sha256=") && fixes[1].contains("a proxy"))
    }

    @Test func `concern only clients that verify it`() throws {
        let pin = HTTPAddress.fragment(ofFingerprint: certificate.fingerprint)
        let far = now + 30 * 365 * 86_400
        #expect(try problems(client: "https://10.0.0.1:7001" + pin, at: far) == [])
        #expect(
            try problems(client: "https://10.0.0.1:7001" + pin, publicName: "www.test").count == 1)
    }

    @Test func `begin two weeks before its end`() throws {
        let day = 86_400
        let end = now + 20 * 365 * day
        func first(at second: Int) throws -> String? {
            try problems(client: "https://db1.test:7001", at: second).first
        }
        #expect(try first(at: now) == nil && first(at: end - 15 * day) == nil)
        let name = files.certificate
        #expect(try first(at: end - 13 * day)?.hasPrefix("\(name) expires on 20") == true)
        #expect(try first(at: end + day)?.hasPrefix("clients refuse \(name): it expired") == true)
        #expect(
            try first(at: now - 2 * day)?.hasPrefix("clients refuse \(name): it is valid from")
                == true)
    }
}
