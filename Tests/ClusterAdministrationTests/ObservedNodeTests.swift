import Glibc
import SyncProtocol
import Testing

@testable import ClusterAdministration

@Suite struct `The state of a node` {
    private let cluster: ObservedCluster
    /// A process that runs: that of the tests.
    private let process = NodeProcess(pid: getpid())

    init() throws {
        let file = ClusterFile(nodeCount: 1, basePort: 9000, durability: "commit")
        cluster = try ObservedCluster(
            Cluster(creating: file, inFolder: try TemporaryFolder().path))
    }

    private func node(
        _ answer: StatusAnswer?, process: NodeProcess? = nil, isLocal: Bool = false
    ) -> ObservedNode {
        ObservedNode(
            node: cluster.nodes[0], process: process, isLocal: isLocal, answer: answer)
    }

    @Test func `on another machine is its answer`() {
        #expect(node(.status(NodeStatus())).state == .serving)
        #expect(node(.denied(.missingCredential)).state == .unauthorized)
        #expect(node(.unavailable).state == .starting)
        #expect(node(.refused).state == .down)
        #expect(node(.silent(isConnected: true)).state == .silent)
        #expect(node(.failed(problem: "p", fix: "f")).state == .unreachable)
    }

    @Test func `on this machine follows its address and its process`() {
        #expect(node(.refused, isLocal: true).state == .stopped)
        #expect(node(.refused, process: process, isLocal: true).state == .starting)
        #expect(node(.silent(isConnected: true), process: process, isLocal: true).state == .silent)
        // Another program has its port.
        #expect(node(.failed(problem: "p", fix: "f"), isLocal: true).state == .stopped)
        // Its file of the process is lost.
        #expect(node(.status(NodeStatus()), isLocal: true).state == .serving)
        #expect(node(nil, process: process, isLocal: true).state == .paused)
    }

    @Test func `is impaired when it accepts no writes, as its health reports`() {
        var full = NodeStatus()
        full.identity.storage = "cannot write log.sqlite: the disk is full"
        #expect(node(.status(full)).condition == "impaired")
        var evicted = NodeStatus()
        evicted.membership.isEvicted = true
        #expect(node(.status(evicted)).condition == "impaired, evicted")
    }

    @Test func `is unauthorized for the reason that its node gives`() {
        let denied = NodeReply.message(
            .error(id: 1, code: .permissionDenied, problem: "p", fix: "f"))
        let cases: [(NodeReply, Bool, Denial)] = [
            (denied, true, .notAdministrator), (denied, false, .missingCredential),
            (.ended(.denied), true, .unknownCredential),
            (.ended(.denied), false, .missingCredential),
        ]
        for (reply, showsCredential, denial) in cases {
            guard case .denied(denial) = StatusAnswer(reply, showsCredential: showsCredential)
            else {
                Issue.record("\(reply) \(showsCredential)")
                continue
            }
        }
    }

    @Test func `is searched for by the words of its process`() {
        func command(_ words: String...) -> NodeCommandLine? {
            NodeCommandLine(words.flatMap { Array($0.utf8) + [0] })
        }
        let plain = command("hearth", "node", "--config", "d/cluster.json", "--id", "n1")
        #expect(plain?.node == "n1" && plain?.configuration == "d/cluster.json")
        #expect(command("/usr/bin/hearth", "node", "--id=n1", "--config=d/cluster.json") == plain)
        #expect(command("hearth", "get", "--config", "d/cluster.json", "--id", "n1") == nil)
        #expect(command("hearth", "node", "--id", "n1") == nil)
        #expect(command() == nil)
    }
}
