import Foundation
import Testing

@testable import ClusterAdministration

/// An authority made with openssl, which signs certificates.
private struct Authority {
    let folder: TemporaryFolder

    init(in folder: TemporaryFolder) throws {
        self.folder = folder
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -keyout ca.key -out ca.pem -subj /CN=Authority"
        )
    }

    /// Signs a certificate for some alternative names: `certificate.pem`, with its key.
    func sign(_ names: String) throws {
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout next.key -out request.pem -subj /CN=db"
        )
        _ = try folder.write("subjectAltName=\(names)", to: "names")
        try openssl(
            "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 -extfile names -out next.pem"
        )
        for (source, target) in [("next.key", "certificate.key"), ("next.pem", "certificate.pem")] {
            try restrict(folder.file(source))
            #expect(rename(folder.file(source), folder.file(target)) == 0)
        }
    }

    private func openssl(_ words: String) throws {
        let made = try Program(
            "/bin/sh", ["-c", "cd \(folder.path) && exec openssl \(words)"]
        ).end()
        try #require(made.status == 0, "\(made.errors)")
    }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct `A node with a certificate of an authority` {
    private let folder: TemporaryFolder
    private let authority: Authority
    private let base: String
    private let configuration: String

    init() throws {
        folder = try TemporaryFolder()
        authority = try Authority(in: folder)
        let port = try TestCluster.freePorts()
        base = "https://localhost:\(port)"
        configuration = try folder.write(
            """
            {cluster: 's', http: {certificate: 'certificate.pem', key: 'certificate.key'}, nodes: [
              {id: 'n1', client: '\(base)', requests: 'tcp://localhost:\(port + 1)',
               updates: 'tcp://localhost:\(port + 2)', public: 'db.test'}]}
            """, to: "cluster.json5")
    }

    private func hearth(_ words: String...) throws -> Program.Outcome {
        try Program("/usr/bin/env", [Program.hearthPath] + words).end()
    }

    @Test func `serves clients that know the authority, and takes up a renewed certificate`()
        throws
    {
        try authority.sign("DNS:db.test,DNS:localhost")
        let node = try Program.hearth("node", "--config", configuration, "--id", "n1")
        defer { node.terminate() }
        try eventually("the node serves") { node.errors.contains("serving clients at \(base)") }
        #expect(!node.errors.contains("warning:"))
        let file = folder.file("ca.pem")
        #expect(try hearth("set", "/a", "1", "--node", base, "--ca", file).status == 0)
        let status = try hearth("cluster", "status", "--config", configuration, "--ca", file)
        #expect(status.status == 0 && status.output.contains("serving"), "\(status.errors)")
        #expect(try hearth("get", "/a", "--node", base + "#ca=" + file).output == "1\n")
        let other = try hearth("get", "/a", "--node", base, "--timeout", "5")
        #expect(other.status == 69, "\(other.errors)")
        #expect(other.errors.contains("local issuer certificate"), "\(other.errors)")
        #expect(other.errors.contains("--ca FILE"), "\(other.errors)")
        let health = try hearth("node", "--health", "--config", configuration, "--id", "n1")
        #expect(health.status == 0, "\(health.errors)")

        try authority.sign("DNS:localhost")
        try eventually("the node has the new certificate") {
            node.errors.contains("new connections get the new certificate")
        }
        try eventually("the node warns") {
            node.errors.contains("it is not for db.test, the host of \"public\"")
        }
        #expect(try hearth("get", "/a", "--node", base, "--ca", file).output == "1\n")
    }

    @Test func `is checked with warnings about the certificate`() throws {
        try authority.sign("DNS:db.test")
        let text = try hearth("node", "--check", "--config", configuration, "--id", "n1")
        #expect(text.status == 0, "\(text.errors)")
        #expect(text.output.contains("it is not for localhost, the host of \"client\""))
        #expect(text.output.hasSuffix("Node n1 of cluster s can start.\n"))
        let json = try hearth("node", "--check", "--json", "--config", configuration, "--id", "n1")
        #expect(json.output.contains(#""valid":true"#) && json.output.contains(#""warnings":["#))
    }

    @Test func `is not served without a usable file of authorities`() throws {
        let outcome = try hearth("get", "/a", "--node", base, "--ca", folder.file("none.pem"))
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("none.pem: No such file"), "\(outcome.errors)")
    }
}
