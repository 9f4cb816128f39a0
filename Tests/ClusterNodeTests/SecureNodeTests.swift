import Foundation
import Testing

@testable import ClusterAdministration

/// Makes a file readable for its owner only.
func restrict(_ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
}

/// A node with a certificate, as a process, and programs that talk to it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct `A node with a certificate` {
    private let folder: TemporaryFolder
    private let pin: String
    private let base: String
    private let configuration: String
    private let plainPort: Int

    init() throws {
        folder = try TemporaryFolder()
        let made = try Program.hearth(
            "keys", "certificate", "127.0.0.1", "localhost", "--out", folder.path
        ).end()
        try #require(made.status == 0, "\(made.errors)")
        pin = made.output.trimmingCharacters(in: .newlines)
        let port = try TestCluster.freePorts()
        plainPort = port + 10
        base = "https://127.0.0.1:\(port)"
        configuration = try folder.write(
            """
            {cluster: 's', http: {certificate: 'certificate.pem', key: 'certificate.key'}, nodes: [
              {id: 'n1', client: '\(base)\(pin)', requests: 'tcp://127.0.0.1:\(port + 1)',
               updates: 'tcp://127.0.0.1:\(port + 2)'}]}
            """, to: "cluster.json5")
    }

    private func run(_ words: [String], environment: [String] = []) throws -> Program.Outcome {
        try Program("/usr/bin/env", environment + words).end()
    }

    private func get(_ address: String, environment: [String] = []) throws -> Program.Outcome {
        try run(
            [Program.hearthPath, "get", "/a", "--node", address, "--timeout", "1"],
            environment: environment)
    }

    private func curl(_ words: String...) throws -> Program.Outcome {
        try run(["curl", "-sS", "--max-time", "5"] + words)
    }

    private func start() throws -> Program {
        let node = try Program.hearth("node", "--config", configuration, "--id", "n1")
        try eventually("the node serves") { node.errors.contains("serving clients at \(base)") }
        return node
    }

    @Test func `serves programs that know it by its fingerprint or by its authority`() throws {
        let node = try start()
        defer { node.terminate() }
        let set = try Program.hearth("set", "/a", "1", "--config", configuration).end()
        #expect(set.status == 0, "\(set.errors)")
        #expect(try get(base + pin).output == "1\n")
        let file = folder.file("certificate.pem")
        #expect(try get(base, environment: ["SSL_CERT_FILE=" + file]).output == "1\n")
        #expect(try curl("--cacert", file, base + "/a.json").output == "1")
        let status = try Program.hearth("cluster", "status", "--config", configuration).end()
        #expect(status.output.contains("n1"), "\(status.output)\(status.errors)")
        #expect(!status.output.contains("unreachable"))
    }

    @Test func `refuses and is refused with a reason`() throws {
        let node = try start()
        defer { node.terminate() }
        let digits = pin.dropFirst("#sha256=".count)
        let wrong = try get(base + "#sha256=" + String(digits.reversed()))
        #expect(wrong.status == 69 && wrong.output.isEmpty)
        #expect(wrong.errors.contains("not the one that the address names"), "\(wrong.errors)")
        let unknown = try get(base)
        #expect(unknown.status == 69 && unknown.errors.contains("self-signed"), "\(unknown.errors)")
        let plain = base.replacing("https", with: "http")
        let refused = try get(plain)
        #expect(refused.status == 69 && refused.errors.contains("400"), "\(refused.errors)")
        let answer = try curl("-i", plain + "/a.json")
        #expect(answer.output.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.output.contains("write https:// in place of http://"))
        #expect(try curl(base + "/a.json").status == 60)
    }

    @Test func `reports to a program with TLS that the node has none`() throws {
        let file = ClusterFile(nodeCount: 1, basePort: plainPort, durability: "commit")
        let path = try folder.write(
            String(decoding: file.json, as: UTF8.self), to: "plain.json")
        let node = try Program.hearth("node", "--config", path, "--id", "n1")
        try eventually("the node serves") { node.errors.contains("serving clients") }
        defer { node.terminate() }
        let outcome = try get("https://127.0.0.1:\(plainPort)" + pin)
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("does not speak TLS"), "\(outcome.errors)")
    }

    @Test func `does not overwrite a certificate, and refuses an invalid host`() throws {
        #expect(pin.hasPrefix("#sha256=") && pin.count == "#sha256=".count + 64)
        let again = try Program.hearth("keys", "certificate", "a", "--out", folder.path).end()
        #expect(again.status == 73 && again.errors.contains("certificate.key: File exists"))
        for host in ["a,DNS:b", "http://a", "a/b"] {
            let refused = try Program.hearth("keys", "certificate", host, "--out", folder.path)
                .end()
            #expect(refused.status == 64 && refused.errors.contains("is not a host"))
        }
    }
}
