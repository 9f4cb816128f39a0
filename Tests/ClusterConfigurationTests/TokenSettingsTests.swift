import Foundation
import TLS
import Testing
import Tokens

@testable import ClusterConfiguration

/// Who signs tokens, as a configuration says it.
@Suite final class `The tokens of a cluster` {
    private let folder: TemporaryFolder
    private let certificate = Certificate(hosts: ["db.test"])
    private static let node =
        "{id: 'n1', client: 'http://127.0.0.1:1', requests: 'tcp://127.0.0.1:2', updates: 'tcp://127.0.0.1:3'}"

    init() throws { folder = try TemporaryFolder() }

    private func read(_ tokens: String) throws -> NodeConfiguration {
        let path = folder.file("c.json5")
        try "{cluster: 'a',\n tokens: \(tokens), nodes: [\(Self.node)]}".write(
            toFile: path, atomically: true, encoding: .utf8)
        return try NodeConfiguration(contentsOf: path)
    }

    private func error(_ tokens: String) throws -> NodeError {
        try #require(throws: NodeError.self) { try self.read(tokens).tokens.readTrust() }
    }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: folder.file(name))
    }

    @Test func `are signed by keys in files, and by signing keys`() throws {
        let secret = Secret.random()
        try write(secret.text, to: "signing.key")
        try write(certificate.certificate, to: "issuer.pem")
        let trust = try read(
            """
            {issuers: [
              {signingKeys: ['signing.key'], admin: 'admin', skewSeconds: 5, maxAgeSeconds: 60,
               validSince: '2023-11-14T22:13:20Z'},
              {issuer: 'i', audience: 'a', keys: 'issuer.pem', user: 'email', provider: 'idp'},
            ]}
            """
        ).tokens.readTrust()
        var shared = TokenIssuer(keys: [.shared(Array(secret.text.utf8))])
        (shared.adminClaim, shared.skewSeconds, shared.maximumAgeSeconds) = ("admin", 5, 60)
        shared.validSinceSeconds = 1_700_000_000
        let key = try #require(SigningKey(pem: certificate.key)).publicKey
        var other = TokenIssuer("i", keys: [.verification(key, id: nil)])
        (other.audiences, other.userClaim, other.providerClaim) = (["a"], "email", "idp")
        #expect(trust == TokenTrust([shared, other]))
    }

    @Test func `have the keys of a folder, by the names of its files`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("keys"), withIntermediateDirectories: true)
        try write(certificate.certificate, to: "keys/k1.pem")
        try write("not read", to: "keys/.hidden")
        let settings = try read("{issuers: [{issuer: 'i', audience: ['a', 'b'], keys: 'keys'}]}")
            .tokens
        let key = try #require(SigningKey(pem: certificate.key)).publicKey
        let files = try TokenKeyFiles(settings)
        #expect(files.trust.issuers.map(\.keys) == [[.verification(key, id: "k1")]])
        #expect(files.trust.issuers[0].audiences == ["a", "b"])
        #expect(files.paths == [folder.file("keys"), folder.file("keys/k1.pem")])
        #expect(files.issuer(of: key)?.issuer.name == "i")
        #expect(files.issuer(of: key)?.keyID == "k1")
        #expect(files.issuer(of: SigningKey.random().publicKey) == nil)
    }

    @Test func `change for one issuer while the keys of another are unusable`() throws {
        try write(certificate.certificate, to: "a.pem")
        try write(certificate.certificate, to: "b.pem")
        let settings = try read(
            """
            {issuers: [{issuer: 'a', audience: 'x', keys: 'a.pem'}, {issuer: 'b', audience: 'x', keys: 'b.pem'}]}
            """
        ).tokens
        var files = try TokenKeyFiles(settings)
        let before = files.trust
        try write("{}", to: "a.pem")
        let other = Certificate(hosts: ["db.test"])
        try write(other.certificate, to: "b.pem")
        var reports: [String] = []
        files.refresh { reports.append($0) }
        let key = try #require(SigningKey(pem: other.key)).publicKey
        #expect(files.trust.issuers[0] == before.issuers[0])
        #expect(files.trust.issuers[1].keys == [.verification(key, id: nil)])
        #expect(reports.count == 1)
        #expect(reports[0].hasPrefix("keeps the old keys of tokens: \(folder.file("a.pem")) "))
        // A key of a set that is too small does not stop the others.
        let p256 =
            #"{"kty":"EC","crv":"P-256","kid":"a","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
        try write(
            #"{"keys": [\#(p256), {"kty":"RSA","kid":"w","n":"AQAB","e":"AQAB"}]}"#, to: "a.pem")
        reports = []
        files.refresh { reports.append($0) }
        #expect(files.trust.issuers[0].keys.count == 1)
        #expect(reports.count == 1 && reports[0].hasPrefix("skips a key \"w\" that is damaged"))
    }

    @Test func `are revoked by file, while another file of the same folder is unusable`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("keys"), withIntermediateDirectories: true)
        let keys = (0..<3).map { _ in SigningKey.random().publicKey }
        for (index, key) in keys.enumerated() { try write(key.pem, to: "keys/k\(index).pem") }
        var files = try TokenKeyFiles(
            read("{issuers: [{issuer: 'i', audience: 'a', keys: 'keys'}]}").tokens)
        try write("damaged", to: "keys/k1.pem")
        try FileManager.default.removeItem(atPath: folder.file("keys/k0.pem"))
        try write("damaged, and never read before", to: "keys/k9.pem")
        var reports: [String] = []
        files.refresh { reports.append($0) }
        #expect(
            files.trust.issuers[0].keys == [
                .verification(keys[1], id: "k1"), .verification(keys[2], id: "k2"),
            ])
        #expect(reports.count == 2 && reports[0].contains("k1.pem"))
    }

    @Test func `stay while files are missing, and end with an empty set`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("keys"), withIntermediateDirectories: true)
        let keys = (0..<2).map { _ in SigningKey.random().publicKey }
        let (one, two) = (folder.file("one.pem"), folder.file("keys/two.pem"))
        try write(keys[0].pem, to: "one.pem")
        try write(keys[1].pem, to: "keys/two.pem")
        try write(String(repeating: "x", count: 40), to: "signing.key")
        var files = try TokenKeyFiles(
            read(
                """
                {issuers: [{issuer: 'a', audience: 'x', keys: 'one.pem'}, {signingKeys: ['signing.key']},
                 {issuer: 'b', audience: 'x', keys: 'keys'}]}
                """
            ).tokens)
        let before = files.trust
        for file in [one, two, folder.file("signing.key")] {
            try FileManager.default.removeItem(atPath: file)
        }
        var reports: [String] = []
        files.refresh { reports.append($0) }
        #expect(files.trust == before && reports.count == 3)
        try FileManager.default.removeItem(atPath: folder.file("keys"))
        files.refresh { _ in }
        #expect(files.trust == before)
        // An explicit act of the operator.
        try write(#"{"keys": []}"#, to: "one.pem")
        try FileManager.default.createDirectory(
            atPath: folder.file("keys"), withIntermediateDirectories: true)
        try write(#"{"keys": []}"#, to: "keys/none.json")
        files.refresh { _ in }
        #expect(files.trust.issuers.map(\.keys.count) == [0, 1, 0])
    }

    @Test func `are disabled without an issuer`() throws {
        let usual = try read("{}").tokens
        #expect(usual.isEmpty && usual == TokenSettings())
        #expect(try !read("{unsignedTokens: true}").tokens.isEmpty)
    }

    private static let wrong: [(tokens: String, problem: String)] = [
        ("{issuers: [{}]}", "an issuer needs either \"keys\" or \"signingKeys\""),
        (
            "{issuers: [{issuer: 'i', keys: 'k', signingKeys: ['s']}]}",
            "the issuer \"i\" needs either"
        ),
        ("{issuers: [{keys: 'k', audience: 'a'}]}", "needs \"issuer\" and \"audience\""),
        ("{issuers: [{issuer: 'i', keys: 'k'}]}", "needs \"issuer\" and \"audience\""),
        ("{issuers: [{signingKeys: ['a', 'b', 'c']}]}", "an issuer has 3 signing keys"),
        ("{issuers: [{signingKeys: ['a'], skewSeconds: 9999}]}", "\"skewSeconds\" cannot be 9999"),
        ("{issuers: [{signingKeys: ['a'], admins: 'x'}]}", "unknown key \"admins\""),
        ("{issuers: [{signingKeys: ['a'], validSince: 'today'}]}", "\"validSince\" is not a time"),
        (
            "{issuers: [{signingKeys: ['a'], secrets: ['b']}]}",
            "\"signingKeys\" and \"secrets\", its earlier name"
        ),
        ("{unsigned: true}", "unknown key \"unsigned\""),
        ("{issuers: [{signingKeys: ['none.key']}]}", "cannot read signing key"),
        ("{issuers: [{issuer: 'i', audience: 'a', keys: 'none.pem'}]}", "cannot read the keys"),
        ("{issuers: [{issuer: 'i', audience: 'a', keys: 'c.json5'}]}", "c.json5 is not JSON"),
    ]

    @Test(arguments: `The tokens of a cluster`.wrong)
    func `are refused with the reason`(tokens: String, problem: String) throws {
        let error = try error(tokens)
        #expect(error.problem.contains(problem), "\(error)")
        #expect(!error.fix.isEmpty)
    }

    @Test func `have signing keys of 32 bytes, which others cannot read`() throws {
        try write(String(repeating: "x", count: 31), to: "short.key")
        try write(String(repeating: "x", count: 32), to: "open.key", mode: 0o644)
        try write(String(repeating: "x", count: 32), to: "right.secret")
        #expect(
            try error("{issuers: [{signingKeys: ['short.key']}]}").problem.contains("fewer than 32")
        )
        #expect(
            try error("{issuers: [{signingKeys: ['open.key']}]}").problem.contains("other users"))
        #expect(
            try read("{issuers: [{secrets: ['right.secret']}]}").tokens.readTrust().issuers.count
                == 1, "the earlier name of `signingKeys`")
    }

    @Test func `are unsigned only on this machine`() throws {
        var configuration = try read("{unsignedTokens: true}")
        try configuration.check(for: .loopback)
        for isClient in [true, false] {
            var other = configuration
            if isClient {
                other.nodes[0].client = "http://10.0.0.1:1"
            } else {
                other.nodes[0].requests = "tcp://10.0.0.1:2"
            }
            let error = try #require(throws: NodeError.self) { try other.check(for: .network) }
            #expect(error.problem.contains("lets every client choose its identity"))
        }
        configuration.tokens.unsignedTokens = false
        configuration.nodes[0].client = "http://10.0.0.1:1"
        try configuration.check(for: .network)
    }

    @Test func `are unsigned in an emulator, only on this machine`() throws {
        var configuration = try read("{}")
        #expect(!configuration.isEmulator)
        let path = try folder.write(
            """
            {cluster: 'c', emulator: true, nodes: [{id: 'n1', client: 'http://127.0.0.1:1',
              requests: 'tcp://127.0.0.1:2', updates: 'tcp://127.0.0.1:3'}]}
            """, to: "emulator.json5")
        configuration = try NodeConfiguration(contentsOf: path)
        #expect(configuration.isEmulator && configuration.tokens.unsignedTokens)
        try configuration.check(for: .loopback)
        configuration.nodes[0].client = "http://10.0.0.1:1"
        let error = try #require(throws: NodeError.self) { try configuration.check(for: .network) }
        #expect(
            error.problem.hasPrefix("\"emulator\" lets every client choose its identity"),
            "\(error)")
        #expect(error.fix.contains("omit \"emulator\""))
    }

    @Test func `make secrets superfluous for a port that others reach`() throws {
        var configuration = try read("{issuers: [{secrets: ['a']}]}")
        configuration.http.files = HTTPSettings.CertificateFiles(certificate: "c", key: "k")
        configuration.nodes[0].client = "https://10.0.0.1:1"
        try configuration.check(for: .loopback)
        configuration.tokens = TokenSettings()
        let error = try #require(throws: NodeError.self) {
            try configuration.check(for: .loopback)
        }
        #expect(error.fix.contains("the issuers of \"tokens\""))
    }
}
