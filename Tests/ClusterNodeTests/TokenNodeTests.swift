import Foundation
import TLS
import Testing

@testable import ClusterAdministration

/// A node that takes tokens, as a process, and the commands that make them.
@Suite(.serialized, .timeLimit(.minutes(2)))
final class `A node that takes tokens` {
    private let folder: TemporaryFolder
    private let configuration: String
    private let base: String
    private let node: Program

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let port = try TestCluster.freePorts()
        base = "http://127.0.0.1:\(port)"
        try Self.write(Secret.random(), to: folder.file("token.secret"))
        configuration = try folder.write(
            """
            {cluster: 't', directory: 'data', nodes: [{id: 'n1', client: '\(base)',
              requests: 'tcp://127.0.0.1:\(port + 1)', updates: 'tcp://127.0.0.1:\(port + 2)'}],
             tokens: {issuers: [{secrets: ['token.secret'], admin: 'admin'}]}}
            """, to: "cluster.json5")
        let node = try Program.hearth("node", "--config", configuration, "--id", "n1")
        self.node = node
        try eventually("the node serves") { node.errors.contains("serving clients") }
    }

    deinit { node.terminate() }

    private static func write(_ secret: Secret, to path: String) throws {
        try (secret.text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func hearth(_ words: String...) throws -> Program.Outcome {
        try Program(Program.hearthPath, words + ["--config", configuration]).end()
    }

    /// A token of ada's, with or without administrator rights.
    private func token(_ words: String...) throws -> String {
        let words = ["token", "new", "--uid", "ada", "--config", configuration] + words
        let outcome = try Program(Program.hearthPath, words).end()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return String(outcome.output.dropLast())
    }

    private func curl(_ token: String) throws -> String {
        try Program(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "5", "-H", "Authorization: Bearer \(token)",
                base + "/a.json",
            ]
        ).end().output
    }

    @Test func `without rules, serves only administrators`() throws {
        let admin = try token("--claim", "admin=true")
        let set = try hearth("set", "/a", "7", "--token", admin)
        #expect(set.status == 0, "\(set.errors)")
        #expect(try curl(admin).hasPrefix("7"))
        #expect(try curl(token()).contains("Permission denied"))
        let user = try hearth("get", "/a", "--timeout", "1", "--token", token())
        #expect(
            user.status == 77 && user.errors.contains("the rules do not permit this client to read")
        )
        let file = try folder.write(admin, to: "admin.token")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try hearth("get", "/a", "--token", file).output == "7\n")
        #expect(try hearth("cluster", "status", "--token", file).status == 0)
        #expect(!node.errors.contains(admin))
    }

    @Test func `explains the identity of a token, or why it is invalid`() throws {
        let admin = try token("--claim", "admin=true", "--claim", "team=red")
        let shown = try hearth("token", "show", admin)
        #expect(shown.status == 0 && shown.output.contains("claim      team \"red\"\n"))
        #expect(shown.output.hasSuffix("accepted   as an administrator\n"))
        let user = try hearth("token", "show", token("--for", "90s"))
        #expect(
            user.output.contains("accepted   auth is {") && user.output.contains("\"uid\":\"ada\""))
        try Self.write(Secret.random(), to: folder.file("other.secret"))
        let other = try hearth(
            "token", "show", token("--with", folder.file("other.secret")))
        #expect(other.status == 1 && other.errors.contains("the signature is wrong"))
        #expect(try hearth("token", "show", "ey.ey.ey").status == 65)
    }

    @Test func `accepts new secrets without a restart`() throws {
        let old = try token("--claim", "admin=true")
        #expect(try !curl(old).contains("error"))
        let stream = try Program(
            "/usr/bin/env",
            [
                "curl", "-sSN", "--max-time", "60", "-H", "Authorization: Bearer \(old)",
                "-H", "Accept: text/event-stream", base + "/a.json",
            ])
        try eventually("the stream shows what is there") { stream.output.contains("event: put") }
        try Self.write(Secret.random(), to: folder.file("token.secret"))
        let next = try token("--claim", "admin=true")
        #expect(try curl(next).contains("Could not parse auth token."))
        try eventually("the node has read the new secret") {
            try !curl(next).contains("error")
        }
        #expect(try curl(old).contains("Could not parse auth token."))
        #expect(try stream.end().output.contains("event: auth_revoked"))
        try FileManager.default.removeItem(atPath: folder.file("token.secret"))
        let node = node
        try eventually("the node keeps what it has") {
            node.errors.contains("keeps the old keys of tokens")
        }
        #expect(try !curl(next).contains("error"))
    }
}
