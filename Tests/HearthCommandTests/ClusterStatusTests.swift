import CommandLineKit
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import HearthCommand

/// The end of `cluster status`.
@Suite struct ClusterStatusTests {
    /// The error for nodes with these answers; nil if all serve.
    private func error(_ answers: StatusAnswer...) throws -> CommandError? {
        let file = ClusterFile(nodeCount: answers.count, basePort: 7001, durability: "commit")
        let cluster = try ObservedCluster(
            Cluster(creating: file, inFolder: try TemporaryFolder().path))
        let statuses = zip(cluster.nodes, answers).map {
            ObservedNode(node: $0, process: nil, isLocal: false, answer: $1)
        }
        do throws(CommandError) { try ClusterStatus.requireServing(statuses) } catch {
            return error
        }
        return nil
    }

    @Test func `nodes that only start are waited for, and others are diagnosed`() throws {
        let serving = StatusAnswer.status(NodeStatus())
        #expect(try error(serving, serving) == nil)
        let starting = try #require(try error(serving, .unavailable))
        #expect(starting.status == .unavailable && starting.problem == "n2 is starting")
        #expect(starting.fix.contains("hearth cluster wait"))
        let down = try #require(try error(.refused, .unavailable))
        #expect(down.problem == "n1 is down, n2 is starting")
        #expect(down.fix.contains("hearth cluster doctor"))
    }
}
