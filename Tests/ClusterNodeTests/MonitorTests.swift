import Foundation
import TLS
import Testing

/// A monitor's secret at a running node: by HTTP, and by the commands that a monitor uses.
@Suite(.serialized, .timeLimit(.minutes(2)))
final class `A node with a monitor's secret` {
    private let folder: TemporaryFolder
    private let base: String
    private let configuration: String
    private let node: Program

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let lines = try ["secret", "monitor-secret"].map { verb in
            let made = try Program.hearth("keys", verb, folder.file(verb)).end()
            try #require(made.status == 0, "\(made.errors)")
            return made.output
        }
        let port = try TestCluster.freePorts()
        base = "http://127.0.0.1:\(port)"
        configuration = try folder.write(
            """
            {cluster: 'm', directory: 'data', \(lines.joined())
             nodes: [{id: 'n1', client: '\(base)', requests: 'tcp://127.0.0.1:\(port + 1)',
               updates: 'tcp://127.0.0.1:\(port + 2)'}]}
            """, to: "cluster.json5")
        let node = try Program.hearth("node", "--config", configuration, "--id", "n1")
        self.node = node
        try eventually("the node serves") { node.errors.contains("serving clients") }
    }

    deinit { node.terminate() }

    private func hearth(_ words: String..., role: String = "monitor-secret") throws
        -> Program.Outcome
    {
        let options = ["--config", configuration, "--secret", folder.file(role)]
        return try Program(Program.hearthPath, words + options).end()
    }

    private func status(of path: String, _ words: String...) throws -> String {
        let secret = try String(contentsOfFile: folder.file("monitor-secret"), encoding: .utf8)
        return try Program(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "5", "-o", "/dev/null", "-w", "%{http_code}",
                "-H", "Authorization: Bearer \(secret.dropLast())", base + path,
            ] + words
        ).end().output
    }

    /// The names of the metrics in an expression of Prometheus.
    private static func metrics(in expression: String) -> Set<String> {
        let names = expression.matches(of: /\b(?:hearth|process)_[a-z_]+/).map { String($0.output) }
        return Set(names.map { $0.replacing(/_(?:bucket|sum|count)$/, with: "") })
    }

    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable { let expr: String }
            let title: String
            let targets: [Target]
        }
        let panels: [Panel]
    }

    @Test func `has every metric of the dashboard and of the alert rules`() throws {
        let files = Fixture.repository.appendingPathComponent("configs/monitoring")
        let dashboard = try JSONDecoder().decode(
            Dashboard.self,
            from: Data(contentsOf: files.appendingPathComponent("grafana-dashboard.json")))
        let rules = try String(
            contentsOf: files.appendingPathComponent("hearth-alerts.yml"), encoding: .utf8)
        let alerts = rules.split(separator: "\n").compactMap { line -> String? in
            let words = line.trimmingCharacters(in: .whitespaces)
            return words.hasPrefix("expr: ") ? String(words.dropFirst("expr: ".count)) : nil
        }
        #expect(alerts.count > 10 && dashboard.panels.count > 10)
        let expressions = alerts + dashboard.panels.flatMap { $0.targets.map(\.expr) }
        let secret = try String(contentsOfFile: folder.file("monitor-secret"), encoding: .utf8)
        let shown = try Program(
            "/usr/bin/env",
            [
                "curl", "-sS", "--max-time", "5", "-H",
                "Authorization: Bearer \(secret.dropLast())", base + "/metrics",
            ]
        ).end().output
        let known = Set(shown.matches(of: /# TYPE (\w+)/).map { String($0.output.1) })
        for expression in expressions {
            let used = Self.metrics(in: expression)
            #expect(!used.isEmpty || expression.hasPrefix("up{"), "\(expression)")
            #expect(used.isSubset(of: known), "\(expression): \(used.subtracting(known))")
        }
    }

    private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: promtool != nil, "the Debian package prometheus has promtool"))
    func `has alert rules that promtool accepts`() throws {
        let rules = Fixture.repository.appendingPathComponent(
            "configs/monitoring/hearth-alerts.yml")
        let outcome = try Program(Self.promtool!, ["check", "rules", rules.path]).end()
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test func `shows its status and metrics, takes backups, and does nothing else`() throws {
        #expect(try hearth("set", "/a", "1", role: "secret").status == 0)
        for path in ["/health", "/status", "/metrics"] {
            #expect(try status(of: path) == "200", "\(path)")
        }
        for path in ["/a.json", "/.settings/rules.json", "/.inspect/coverage.json"] {
            #expect(try status(of: path) == "403", "\(path)")
        }
        #expect(try status(of: "/a.json", "-X", "PUT", "-d", "2") == "403")
        let shown = try hearth("cluster", "status")
        #expect(shown.status == 0 && shown.output.contains("serving"), "\(shown.errors)")
        let copy = try hearth("backup", "monday")
        #expect(copy.status == 0, "\(copy.errors)")
        #expect(copy.output.hasSuffix("/n1/backups/monday.tar\n"))
        // It has all data.
        let streamed = try hearth("backup", "--to", "-")
        #expect(streamed.status == 77 && streamed.output.isEmpty, "\(streamed.errors)")
        let denied = [
            try hearth("get", "/a"), try hearth("set", "/a", "2"), try hearth("remove", "/a"),
            try hearth("rules", "get"),
        ]
        for outcome in denied {
            #expect(outcome.status == 77 && outcome.output.isEmpty, "\(outcome.errors)")
        }
        #expect(
            denied[0].errors.contains(
                "a monitor may only read the status of nodes and take backups"))
        #expect(try hearth("get", "/a", role: "secret").output == "1\n")
    }
}
