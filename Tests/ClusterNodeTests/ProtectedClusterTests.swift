import Foundation
import TLS
import Testing
import ZeroMQ

@testable import ClusterAdministration

/// Nodes with keys, a certificate and a secret, as processes.
@Suite(.serialized, .timeLimit(.minutes(2)))
final class `A cluster with keys, a certificate and a secret` {
    private let folder: TemporaryFolder
    private let configuration: String
    private let bases: [String]
    private let secret = Secret.random()
    private let nodes: [Program]

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let certificate = Certificate(hosts: ["127.0.0.1"])
        _ = try folder.write(certificate.certificate, to: "certificate.pem")
        for (name, text) in [
            ("certificate.key", certificate.key), ("app.secret", secret.text + "\n"),
            ("wrong.secret", (secret.text.hasPrefix("x") ? "y" : "x") + secret.text.dropFirst()),
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
            {cluster: 'k', nodes: [\(members.joined(separator: ","))],
             http: {certificate: 'certificate.pem', key: 'certificate.key'},
             secrets: ['\(SHA256.text(of: secret.hash))']}
            """, to: "cluster.json5")
        configuration = path
        nodes = try file.nodes.map { node in
            try Program.hearth(
                "node", "--config", path, "--id", node.id, "--key", folder.file(node.id + ".key"))
        }
        for node in nodes {
            try eventually("the nodes hear each other") { node.errors.contains("has contact with") }
        }
    }

    deinit { for node in nodes { node.terminate() } }

    private func hearth(
        _ words: String..., showing file: String? = "app.secret", environment: [String] = []
    ) throws -> Program.Outcome {
        var words = words + ["--config", configuration]
        if let file { words += ["--secret", folder.file(file)] }
        return try Program("/usr/bin/env", environment + [Program.hearthPath] + words).end()
    }

    @Test func `replicates, and admits only clients with its secret`() throws {
        let set = try hearth("set", "/a", "1", "--node", "n1")
        #expect(set.status == 0, "\(set.errors)")
        try eventually("n2 has it") { try hearth("get", "/a", "--node", "n2").output == "1\n" }
        for (file, problem) in [
            ("wrong.secret", "does not know this secret"),
            (nil, "requires an administrator's secret or a token"),
        ] {
            let refused = try hearth("get", "/a", "--timeout", "1", showing: file)
            #expect(refused.status == 77 && refused.output.isEmpty)
            #expect(refused.errors.contains(problem), "\(refused.errors)")
            #expect(refused.errors.contains("--secret FILE"))
            let status = try hearth("cluster", "status", showing: file)
            #expect(status.status == 77 && status.output.contains("unauthorized"))
        }
        #expect(try hearth("cluster", "status").status == 0)
        #expect(try hearth("cluster", "doctor").output == "all 2 nodes are healthy\n")
        let file = folder.file("app.secret")
        let environment = try hearth(
            "get", "/a", showing: nil, environment: ["HEARTH_SECRET_FILE=" + file])
        #expect(environment.output == "1\n", "\(environment.errors)")
        let open = try hearth("get", "/a", showing: "certificate.pem")
        #expect(
            open.status == 66 && open.errors.contains("other users may read administrator's secret")
        )
    }

    private func curl(_ words: [String]) throws -> Program.Outcome {
        try Program(
            "/usr/bin/env",
            ["curl", "-sS", "--max-time", "5", "--cacert", folder.file("certificate.pem")] + words
        ).end()
    }

    @Test func `accepts the secret from other programs, and shows it nowhere`()
        throws
    {
        let place = bases[0] + "/b.json"
        #expect(try curl([place, "-o", "/dev/null", "-w", "%{http_code}"]).output == "401")
        #expect(try curl([bases[1] + "/health"]).output.contains("ok"))
        let start = Date()
        #expect(try curl([place + "?auth=wrong"]).output.contains("Could not parse auth token."))
        #expect(Date().timeIntervalSince(start) >= 0.1)
        #expect(try curl(["-X", "PUT", "-d", "7", place + "?auth=" + secret.text]).output == "7")
        let header = "Authorization: Bearer " + secret.text
        #expect(try curl(["-H", header, place]).output == "7")
        #expect(try curl(["-H", header, bases[0] + "/metrics"]).output.contains("hearth_denied"))
        // What the address has is in no answer, and in no log.
        let wrong = try curl(["-i", place + "?auth=" + secret.text + "&orderBy=x"])
        #expect(wrong.output.hasPrefix("HTTP/1.1 400") && !wrong.output.contains(secret.text))
        for node in nodes { #expect(!(node.errors + node.output).contains(secret.text)) }
    }

    @Test(
        .enabled(if: PythonClient.areInstalled, "scripts/test installs the clients from PyPI"),
        arguments: [
            PythonClient(package: "firebase-admin", script: "firebase_admin_secret.py"),
            PythonClient(package: "Pyrebase4", script: "pyrebase_secret.py"),
        ])
    func `a client from PyPI shows the secret`(client: PythonClient) throws {
        let outcome = try Program(
            "/usr/bin/env",
            [
                "REQUESTS_CA_BUNDLE=" + folder.file("certificate.pem"), client.interpreter,
                Fixture.path(client.script), bases[1], folder.file("app.secret"),
            ]
        ).end(within: 60)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "all well\n")
    }
}
