import ClusterConfiguration
import CommandLineKit
import Foundation
import Testing

@testable import HearthCommand

@Suite struct `The nodes of a new cluster` {
    private func nodes(_ text: String) throws -> [String] {
        try SetupNode.list(text).map { "\($0.id) \($0.host) \($0.port)" }
    }

    private func problem(_ text: String) -> String {
        do throws(CommandError) {
            _ = try SetupNode.list(text)
            return ""
        } catch {
            return error.problem
        }
    }

    @Test func `have names, hosts and ports`() throws {
        #expect(
            try nodes("db1.test, 10.0.0.2 [fd00::3]") == [
                "n1 db1.test 7001", "n2 10.0.0.2 7001", "n3 [fd00::3] 7001",
            ])
        #expect(
            try nodes("a=db1:8001,[fd00::3]:8002") == ["a db1 8001", "n2 [fd00::3] 8002"])
    }

    @Test func `have ports of their own on one host`() throws {
        #expect(
            try nodes("127.0.0.1,localhost,127.0.0.1") == [
                "n1 127.0.0.1 7001", "n2 localhost 7011", "n3 127.0.0.1 7021",
            ])
        #expect(problem("db1:7001,db1:7003").contains("the name or the ports of another node, n1"))
        #expect(problem("a=db1,a=db2").contains("the name or the ports of another node, a"))
    }

    @Test(arguments: ["http://db1", "db1:0", "db1:65534", "db1:x", "*", "a b=c d*", "db_1.", "="])
    func `are refused with the word that is wrong`(text: String) {
        #expect(!problem(text).isEmpty)
    }

    @Test func `are not so many nodes on this machine`() {
        #expect(throws: CommandError.self) { try SetupNode.list("3") }
        #expect(problem("") == "a cluster has 1 to 99 nodes, not 0")
    }

    @Test func `do not mix this machine and others`() {
        #expect(problem("10.0.0.1,127.0.0.1") == "other hosts cannot reach n2 at 127.0.0.1")
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Setup of a cluster` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func hearth(_ words: String...) throws -> Command.Outcome {
        try Command.shell("cd '\(folder.path)' && exec \"$0\" \"$@\"", words)
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[
            .posixPermissions]
            as? Int
    }

    @Test func `writes files with which all nodes can start`() throws {
        let made = try hearth("setup", "--nodes", "10.0.0.1,10.0.0.2,10.0.0.3", "--out", "c")
        #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
        for name in ["admin.secret", "certificate.key", "n1.key", "n2.key", "n3.key"] {
            #expect(try mode("c/\(name)") == 0o600, "\(name)")
        }
        let configuration = try NodeConfiguration(contentsOf: folder.path + "/c/cluster.json5")
        try configuration.check(for: .loopback)
        #expect(configuration.cluster == "c" && configuration.directory == "/var/lib/hearth")
        #expect(configuration.hasKeys && configuration.secrets.count == 1)
        for id in ["n1", "n2", "n3"] {
            let check = try hearth(
                "node", "--check", "--config", "c/cluster.json5", "--id", id, "--key",
                "c/\(id).key")
            #expect(check.output == "Node \(id) of cluster c can start.\n")
            #expect(made.output.contains("systemctl enable --now --no-block hearth@\(id)"))
        }
    }

    @Test func `overwrites nothing, and leaves no half of its files`() throws {
        try folder.write(Array("mine".utf8), to: "n2.key")
        let made = try hearth("setup", "--nodes", "10.0.0.1,10.0.0.2", "--out", ".")
        #expect(made.status == 73 && made.errors.contains("n2.key: File exists"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["n2.key"])
    }

    @Test func `prints its result for programs`() throws {
        let made = try hearth(
            "setup", "--nodes", "127.0.0.1,127.0.0.1", "--out", "c", "--tls", "--tokens", "--json")
        let data = Data(made.output.utf8)
        let result = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let nodes = try #require(result["nodes"] as? [[String: Any]])
        #expect(
            nodes.map { $0["client"] as? String } == [
                "https://127.0.0.1:7001", "https://127.0.0.1:7011",
            ])
        #expect(
            nodes[0]["commands"] as? [String] == [
                "hearth node --config c/cluster.json5 --id n1 --key c/n1.key"
            ])
        #expect(try mode("c/signing.key") == 0o600)
        let configuration = try NodeConfiguration(contentsOf: folder.path + "/c/cluster.json5")
        #expect(
            configuration.tokens.issuers.count == 1 && configuration.directory.hasSuffix("/data"))
    }

    @Test func `gives hosts no key that signs tokens`() throws {
        let made = try hearth("setup", "--nodes", "10.0.0.1,10.0.0.2", "--out", "c", "--tokens")
        #expect(made.status == 0, "\(made.errors)")
        let copies = made.output.split(separator: "\n").filter { $0.contains("scp ") }
        #expect(copies.count == 2)
        for copy in copies {
            #expect(copy.contains("scp -r ") && copy.contains(" c/token-keys "))
            #expect(!copy.contains("signing.key") && !copy.contains("admin.secret"))
        }
        #expect(try !folder.read("c/cluster.json5").contains("signingKeys"))
        // The private key signs a token of an administrator, which the nodes accept by the public key.
        let token = try hearth(
            "token", "new", "--uid", "root", "--claim", "admin=true", "--config", "c/cluster.json5")
        #expect(token.status == 0, "\(token.errors)")
        let text = token.output.trimmingCharacters(in: .newlines)
        let shown = try hearth("token", "show", text, "--config", "c/cluster.json5")
        #expect(shown.output.contains("accepted   as an administrator"), "\(shown.errors)")
        #expect(shown.output.contains(#"claim      iss "c""#))
        // An empty set of keys revokes the only key.
        try folder.write(Array(#"{"keys": []}"#.utf8), to: "c/token-keys/signing.pem")
        let refused = try hearth("token", "show", text, "--config", "c/cluster.json5")
        #expect(refused.status == 1 && refused.errors.contains("the signature is wrong"))
    }

    @Test func `a new pair replaces the key that signs tokens`() throws {
        #expect(try hearth("setup", "--nodes", "127.0.0.1", "--out", "c", "--tokens").status == 0)
        let made = try hearth("keys", "signing-pair", "next.key", "--issuer", "c")
        #expect(
            made.output
                == "tokens: {issuers: [{issuer: \"c\", audience: \"c\", keys: \"next.pem\", admin: \"admin\"}]},\n"
        )
        #expect(try mode("next.key") == 0o600)
        let again = try hearth("keys", "signing-pair", "next.key")
        #expect(again.status == 73 && again.errors.contains("File exists"))
        try folder.write(Array(try folder.read("next.pem").utf8), to: "c/token-keys/next.pem")
        for key in ["c/signing.key", "next.key"] {
            let token = try hearth(
                "token", "new", "--uid", "ada", "--with", key, "--config", "c/cluster.json5")
            let shown = try hearth(
                "token", "show", token.output.trimmingCharacters(in: .newlines), "--config",
                "c/cluster.json5")
            #expect(shown.status == 0, "\(key): \(shown.errors)")
        }
    }

    @Test func `uses a certificate of an authority`() throws {
        let made = try hearth("keys", "certificate", "db1.test", "--out", "own")
        #expect(made.status == 0)
        let setup = try hearth(
            "setup", "--nodes", "db1.test", "--out", "c", "--certificate", "own/certificate.pem",
            "--certificate-key", "own/certificate.key", "--ca", "own/certificate.pem")
        #expect(setup.status == 0, "\(setup.errors)")
        #expect(setup.output.contains("export HEARTH_CA_FILE=own/certificate.pem"))
        let configuration = try NodeConfiguration(contentsOf: folder.path + "/c/cluster.json5")
        #expect(configuration.nodes[0].client == "https://db1.test:7001")
        let half = try hearth(
            "setup", "--nodes", "db1.test", "--certificate", "own/certificate.pem")
        #expect(half.status == 64 && half.errors.contains("belong together"))
    }

    @Test func `needs the hosts where nobody can be asked`() throws {
        let made = try hearth("setup")
        #expect(made.status == 64 && made.errors.contains("needs the hosts of the nodes"))
    }
}
