import Foundation
import Testing

/// Three nodes with tokens and the rules of the examples, set up as their pages say.
final class ExampleCluster {
    static let examples = Fixture.repository.appendingPathComponent("Sources/Examples").path

    let folder: TemporaryFolder
    let addresses: [String]
    private var nodes: [Program] = []

    /// The addresses as the examples take them.
    var list: String { addresses.joined(separator: ",") }

    init() throws {
        folder = try TemporaryFolder()
        let port = try TestCluster.freePorts()
        addresses = (0..<3).map { "http://127.0.0.1:\(port + 10 * $0)" }
        try hearth(
            "setup", "--nodes",
            (0..<3).map { "n\($0 + 1)=127.0.0.1:\(port + 10 * $0)" }.joined(separator: ","),
            "--out", folder.file("cluster"), "--tokens")
        nodes = try (0..<3).map(startedNode)
        // The command waits for nodes that are starting.
        try hearth(
            "rules", "set", Self.examples + "/chat.rules.json", "--confirm", "all", "--timeout",
            "30",
            "--config", configuration, "--secret", folder.file("cluster/admin.secret"))
    }

    deinit { for node in nodes { try? node.kill() } }

    private var configuration: String { folder.file("cluster/cluster.json5") }

    private func startedNode(_ index: Int) throws -> Program {
        try Program.hearth(
            "node", "--config", configuration, "--id", "n\(index + 1)",
            "--key", folder.file("cluster/n\(index + 1).key"))
    }

    /// The identifier of a node's process.
    func process(_ index: Int) -> Int32 { nodes[index].identifier }

    func kill(_ index: Int) throws { try nodes[index].kill() }

    func start(_ index: Int) throws { nodes[index] = try startedNode(index) }

    /// A file with a token of a user.
    func token(_ user: String, _ words: String...) throws -> String {
        let file = folder.file(user + ".token")
        try hearth(
            ["token", "new", "--uid", user, "--config", configuration, "--out", file] + words)
        return file
    }

    /// The children at a path, read as an administrator at a node; nil if it does not answer.
    func read(_ path: String, at index: Int = 1) throws -> [String: [String: Any]]? {
        let outcome = try Program.hearth(
            "get", path, "--config", configuration, "--node", "n\(index + 1)",
            "--secret", folder.file("cluster/admin.secret")
        ).end()
        guard outcome.status == 0 else { return nil }
        let value = try JSONSerialization.jsonObject(
            with: Data(outcome.output.utf8), options: .fragmentsAllowed)
        return value as? [String: [String: Any]] ?? [:]
    }

    @discardableResult
    func hearth(_ words: String...) throws -> String { try hearth(words) }

    @discardableResult
    func hearth(_ words: [String]) throws -> String {
        let outcome = try Program(Program.hearthPath, words).end()
        try #require(outcome.status == 0, "\(words): \(outcome.errors)")
        return outcome.output
    }
}
