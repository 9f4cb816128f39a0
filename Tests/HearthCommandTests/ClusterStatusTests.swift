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

    @Test func `the environment names a configuration, unless the command names a folder`() throws {
        let folder = try TemporaryFolder()
        let file = """
            {cluster: "c", nodes: [{id: "n7", client: "http://127.0.0.1:1",
             requests: "tcp://127.0.0.1:2", updates: "tcp://127.0.0.1:3"}]}
            """
        try folder.write(Array(file.utf8), to: "c.json5")
        let run = try Command.shell(
            """
            cd "$1"; export HEARTH_CONFIG=c.json5 HEARTH_DIR=absent
            "$0" cluster status; "$0" get / ; "$0" cluster status --dir other
            HEARTH_CONFIG= "$0" cluster status
            """, [folder.path])
        #expect(run.output.contains("n7    down"))
        #expect(run.errors.contains("error: no node answers at n7\n"))
        for name in ["other", "absent"] {
            #expect(run.errors.contains("error: no cluster in \(name):"))
        }
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
