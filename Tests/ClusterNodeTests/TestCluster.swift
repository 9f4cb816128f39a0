import Foundation
import Testing

@testable import ClusterAdministration

/// Some nodes on free ports, three by default, started by `hearth cluster up`, which go away with the fixture.
final class TestCluster {
    let folder: TemporaryFolder
    let basePort: Int
    private let count: Int

    init(durability: String = "commit", nodes count: Int = 3) throws {
        self.count = count
        folder = try TemporaryFolder()
        NodeLogs.add(folder.path)
        basePort = try TestCluster.freePorts(10 * count)
        let outcome = try up(durability: durability).end()
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    deinit {
        _ = try? run("down", "--grace", "5")
    }

    func address(_ node: Int) -> String { "http://127.0.0.1:\(basePort + 10 * (node - 1))" }

    func up(durability: String = "commit") throws -> Program {
        try Program.hearth(
            "cluster", "up", "--nodes", "\(count)", "--dir", folder.path, "--base-port",
            "\(basePort)",
            "--durability", durability, "--detach")
    }

    /// Runs a verb of `hearth cluster`, which must succeed.
    @discardableResult
    func run(_ verb: String, _ arguments: String...) throws -> String {
        let program = try Program(
            Program.hearthPath, ["cluster", verb] + arguments + ["--dir", folder.path])
        let outcome = try program.end()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    func push(_ count: Int, labelled label: String, to node: Int) throws -> Program {
        try Program.client("push", address(node), "list", label, "\(count)")
    }

    /// The list as this node has it.
    func list(at node: Int) throws -> [String: String] {
        let outcome = try Program.client("get", address(node), "list").end()
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode([String: String].self, from: Data(outcome.output.utf8))
    }

    func waitUntilEqual() throws {
        try eventually("the nodes agree") {
            let first = try list(at: 1)
            return try list(at: 2) == first && list(at: 3) == first
        }
    }

    /// A port with those after it, all free a moment ago, below those that the system hands out.
    static func freePorts(_ count: Int = 30) throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 15_000...19_900)
            if (port..<port + count).allSatisfy({ !LocalPort(number: UInt16($0)).isTaken }) {
                return port
            }
        }
        throw NoPorts()
    }

    struct NoPorts: Error {}
}

extension Program {
    /// The events at the Python client: keys and values, in order.
    var acknowledged: [(key: String, value: String)] {
        // The last line of a program that was killed may be cut.
        output.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }
}
