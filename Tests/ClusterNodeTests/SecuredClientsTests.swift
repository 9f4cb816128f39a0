import Foundation
import TLS
import Testing
import ZeroMQ

@testable import ClusterAdministration

/// Clients of Firebase in a cluster with TLS, tokens and rules.
@Suite(.serialized, .timeLimit(.minutes(4)))
final class `A secured cluster` {
    private static let rules =
        #"{"rules": {"users": {"$user": {".read": "auth.uid == $user", ".write": "auth.uid == $user"}}, "news": {".read": true}}}"#

    private let folder: TemporaryFolder
    private let configuration: String
    private let bases: [String]
    private let nodes: [Program]

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let certificate = Certificate(hosts: ["127.0.0.1"])
        _ = try folder.write(certificate.certificate, to: "certificate.pem")
        let (secret, signingKey) = (Secret.random(), Secret.random())
        for (name, text) in [
            ("certificate.key", certificate.key), ("app.secret", secret.text + "\n"),
            ("signing.key", signingKey.text + "\n"),
        ] { try restrict(folder.write(text, to: name)) }
        let pin = "#sha256=" + SHA256.text(of: certificate.fingerprint)
        let file = ClusterFile(
            nodeCount: 2, basePort: try TestCluster.freePorts(), durability: "commit")
        bases = file.nodes.map { "https" + $0.client.dropFirst("http".count) }
        let members = try zip(file.nodes, bases).map { node, base in
            let keys = KeyPair.random()
            try KeyFile(folder.file(node.id + ".key")).write(keys)
            return """
                {id: "\(node.id)", client: "\(base)\(pin)", requests: "\(node.requests)",
                 updates: "\(node.updates)", publicKey: "\(keys.publicKey)"}
                """
        }
        let path = try folder.write(
            """
            {cluster: 's', nodes: [\(members.joined(separator: ","))],
             http: {certificate: 'certificate.pem', key: 'certificate.key'},
             secrets: ['\(SHA256.text(of: secret.hash))'],
             tokens: {issuers: [{signingKeys: ['signing.key'], skewSeconds: 0}]}}
            """, to: "cluster.json5")
        configuration = path
        nodes = try file.nodes.map { node in
            try Program.hearth(
                "node", "--config", path, "--id", node.id, "--key", folder.file(node.id + ".key"))
        }
        for node in nodes {
            try eventually("the nodes hear each other") { node.errors.contains("has contact with") }
        }
        try hearth(
            "rules", "set", folder.write(Self.rules, to: "rules.json"), "--confirm", "all",
            "--secret", folder.file("app.secret"))
        try hearth("token", "new", "--uid", "ada", "--out", folder.file("ada.token"))
    }

    deinit { for node in nodes { node.terminate() } }

    private func hearth(_ words: String...) throws {
        let outcome = try Program(
            Program.hearthPath, words + ["--config", configuration]
        ).end()
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    /// Runs a Python program, which must say that all is well.
    private func run(
        _ script: String, by interpreter: String, _ files: String..., more: [String] = []
    ) throws {
        let outcome = try Program(
            "/usr/bin/env",
            [
                "REQUESTS_CA_BUNDLE=" + folder.file("certificate.pem"), interpreter,
                Fixture.path(script), bases[1],
            ] + files.map(folder.file) + more
        ).end(within: 100)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }

    @Test func `serves REST, event streams and the messages of Firebase's SDKs`() throws {
        try hearth(
            "token", "new", "--uid", "ada", "--for", "15s", "--out", folder.file("short.token"))
        try run(
            "secured_clients.py", by: "/usr/bin/python3", "certificate.pem", "app.secret",
            "ada.token", "short.token")
    }

    @Test(
        .enabled(if: PythonClient.areInstalled, "scripts/test installs the clients from PyPI"),
        arguments: [
            (
                PythonClient(package: "firebase-admin", script: "firebase_admin_secret.py"),
                "app.secret"
            ),
            (
                PythonClient(package: "firebase-admin", script: "firebase_admin_override.py"),
                "app.secret"
            ),
            (PythonClient(package: "Pyrebase4", script: "pyrebase_secret.py"), "app.secret"),
            (
                PythonClient(
                    package: "Pyrebase4", script: "pyrebase_token.py", arguments: ["pyrebase"]),
                "ada.token"
            ),
            (
                PythonClient(
                    package: "firebase-rest-api", script: "pyrebase_token.py",
                    arguments: ["firebase"]),
                "ada.token"
            ),
        ])
    func `serves the clients from PyPI`(client: PythonClient, credential: String) throws {
        try run(client.script, by: client.interpreter, credential, more: client.arguments)
    }
}
