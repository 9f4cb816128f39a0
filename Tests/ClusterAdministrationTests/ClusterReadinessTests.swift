import SyncProtocol
import Testing

@testable import ClusterAdministration

@Suite struct `The readiness of a cluster` {
    private let nodes: [ObservedCluster.Node]

    init() throws {
        let file = ClusterFile(nodeCount: 3, basePort: 9000, durability: "commit")
        nodes = try ObservedCluster(
            Cluster(creating: file, inFolder: try TemporaryFolder().path)
        ).nodes
    }

    /// The status of a node that knows the coordinator and has contact with the other two.
    private func status(holding held: [String: Int], of node: Int = 0) -> NodeStatus {
        var status = NodeStatus()
        status.data.held = held
        status.coordination.coordinator = "n1"
        for peer in nodes.indices where peer != node {
            status.exchange.connectedPeers[nodes[peer].id] = 100
        }
        return status
    }

    private func observed(_ statuses: [NodeStatus?]) -> [ObservedNode] {
        zip(nodes, statuses).map { node, status in
            ObservedNode(
                node: node, process: nil, isLocal: false,
                answer: status.map(StatusAnswer.status) ?? .unavailable)
        }
    }

    private func problems(of statuses: [NodeStatus?], nodes: [String] = ["n1", "n2", "n3"])
        -> [String]
    {
        var readiness = ClusterReadiness(of: nodes)
        return readiness.problems(in: observed(statuses))
    }

    @Test func `is given if all serve, have contact and hold the same`() {
        #expect(problems(of: (0...2).map { status(holding: ["n1": 5], of: $0) }) == [])
    }

    @Test func `needs the named databases, too`() {
        var late = status(holding: [:], of: 1)
        late.process = NodeStatus.Process()
        late.process?.databaseProblems = ["chat": "lacks 3 operations of the other nodes"]
        #expect(
            problems(of: [status(holding: [:]), late, status(holding: [:], of: 2)])
                == ["the database chat of n2 lacks 3 operations of the other nodes"])
    }

    @Test func `names the nodes that do not serve, and asks for no more at first`() {
        var full = status(holding: [:], of: 1)
        full.identity.storage = "the disk is full"
        #expect(
            problems(of: [status(holding: ["n1": 5]), full, nil])
                == ["n2 is impaired", "n3 is starting"])
    }

    @Test func `names contact that is missing in one direction`() {
        var deaf = status(holding: [:], of: 1)
        deaf.exchange.connectedPeers["n3"] = nil
        #expect(
            problems(of: [status(holding: [:]), deaf, status(holding: [:], of: 2)])
                == ["n2 has no contact with n3"])
    }

    @Test func `needs a coordinator at each node`() {
        var unled = status(holding: [:])
        unled.coordination.coordinator = nil
        #expect(
            problems(of: [unled, status(holding: [:], of: 1), status(holding: [:], of: 2)])
                == ["n1 knows no coordinator of transactions"])
    }

    @Test func `needs the operations that any node held at first, and no later ones`() {
        var readiness = ClusterReadiness(of: ["n1", "n2", "n3"])
        func problems(_ counts: [Int]) -> [String] {
            readiness.problems(
                in: observed(
                    counts.indices.map { status(holding: ["n1": counts[$0]], of: $0) }))
        }
        #expect(
            problems([100, 90, 97])
                == ["n2 lacks 10 operations of the others", "n3 lacks 3 operations of the others"])
        #expect(problems([200, 99, 150]) == ["n2 lacks 1 operations of the others"])
        #expect(problems([300, 100, 250]) == [])
    }

    @Test func `counts operations by writer, whichever name a status has for it`() {
        var restarted = status(holding: ["n1": 2, "w7": 5])
        restarted.data.writers = ["n1": "w8"]
        var before = status(holding: ["n1": 5], of: 1)
        before.data.writers = ["n1": "w7"]
        let problems = problems(of: [restarted, before, restarted], nodes: ["n1", "n2"])
        #expect(problems == ["n2 lacks 2 operations of the others"])
    }

    @Test func `of some nodes does not need the others`() {
        #expect(problems(of: [status(holding: [:]), nil, nil], nodes: ["n1"]) == [])
    }
}

@Suite struct `The report of a wait` {
    @Test func `begins once the wait lasts, and goes on when the reasons change`() {
        var report = WaitReport()
        #expect(report.line(for: ["n2 is silent"], after: .seconds(1)) == nil)
        #expect(report.line(for: ["n2 is silent"], after: .seconds(2)) == "waiting: n2 is silent")
        #expect(report.line(for: ["n2 is starting"], after: .seconds(3)) == nil)
        #expect(report.line(for: ["n2 is silent"], after: .seconds(8)) == nil)
        #expect(
            report.line(for: ["n2 is starting"], after: .seconds(9)) == "waiting: n2 is starting")
    }

    @Test func `names a few reasons, and counts the others`() {
        var report = WaitReport()
        let problems = (1...6).map { "n\($0) is starting" }
        #expect(
            report.line(for: problems, after: .seconds(2))
                == "waiting: n1 is starting, n2 is starting, n3 is starting, n4 is starting, "
                + "and 2 more")
    }
}
