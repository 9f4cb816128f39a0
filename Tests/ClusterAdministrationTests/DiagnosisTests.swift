import ClusterConfiguration
import DataTree
import SyncProtocol
import Testing
import ZeroMQ

@testable import ClusterAdministration

@Suite struct `A diagnosis` {
    private let cluster: ObservedCluster

    init() throws { cluster = try Self.cluster(of: 2) }

    private static func cluster(
        of count: Int, _ change: (inout ClusterFile) -> Void = { _ in }
    ) throws -> ObservedCluster {
        let folder = try TemporaryFolder()
        var file = ClusterFile(nodeCount: count, basePort: 9000, durability: "commit")
        change(&file)
        return try ObservedCluster(Cluster(creating: file, inFolder: folder.path))
    }

    /// A serving node that hears the other, but for what a test changes.
    private func status(
        _ index: Int, hears peer: Bool = true, _ change: (inout NodeStatus) -> Void = { _ in }
    ) -> ObservedNode {
        var status = NodeStatus()
        status.identity.member = cluster.nodes[index].id
        status.identity.cluster = cluster.name
        status.identity.wallMilliseconds = 1_000_000
        status.coordination.coordinator = "n1"
        if peer { status.exchange.connectedPeers[cluster.nodes[1 - index].id] = 10 }
        change(&status)
        return ObservedNode(
            node: cluster.nodes[index], process: nil, isLocal: false, answer: .status(status))
    }

    private func findings(
        _ first: ObservedNode, _ second: ObservedNode, later: ObservedNode? = nil
    ) -> [Diagnosis.Finding] {
        Diagnosis(of: cluster, [first, second], later: [later ?? first, second]).findings
    }

    @Test func `of healthy nodes is empty`() {
        #expect(findings(status(0), status(1)).isEmpty)
    }

    @Test func `names databases with problems that last, and those that are empty everywhere`() {
        func process(_ problems: [String: String], _ empty: [String: String] = [:])
            -> NodeStatus.Process
        {
            var process = NodeStatus.Process()
            (process.databaseProblems, process.emptyDatabases) = (problems, empty)
            return process
        }
        let opening = status(0) { $0.process = process(["chat": "is being opened"]) }
        #expect(findings(opening, status(1), later: status(0)).isEmpty)
        #expect(
            findings(opening, status(1)).map(\.problem) == ["the database chat is being opened"])
        let empty = ["chat": "n1,n2", "news": "n1"]
        let first = status(0) { $0.process = process([:], empty) }
        #expect(
            findings(first, status(1)).map(\.problem)
                == ["the database news is empty at all its nodes (n1)"])
        let second = status(1) { $0.process = process([:], ["chat": "n1,n2"]) }
        #expect(
            findings(first, second).map(\.problem) == [
                "the database chat is empty at all its nodes (n1, n2)",
                "the database news is empty at all its nodes (n1)",
            ])
    }

    /// A node of another machine with this answer.
    private func remote(_ answer: StatusAnswer?) -> ObservedNode {
        ObservedNode(node: cluster.nodes[1], process: nil, isLocal: false, answer: answer)
    }

    @Test(arguments: [
        (StatusAnswer.refused, "is down: no process listens at http://127.0.0.1:9010"),
        (.silent(isConnected: false), "is silent: http://127.0.0.1:9010 does not answer"),
        (
            .silent(isConnected: true),
            "is silent: http://127.0.0.1:9010 accepts connections and does not answer"
        ),
        (.denied(.missingCredential), "serves; only administrators may see its status"),
        (.unavailable, "is starting and does not accept clients yet"),
        (
            .failed(problem: "another certificate", fix: "f"),
            "cannot be reached at http://127.0.0.1:9010: another certificate"
        ),
    ])
    func `distinguishes down, silent, starting and unauthorized`(
        answer: StatusAnswer, problem: String
    ) {
        #expect(findings(status(0), remote(answer)).map(\.problem) == [problem])
    }

    @Test func `names the credential that is missing`() {
        func fix(_ denial: Denial) -> String? {
            findings(status(0), remote(.denied(denial))).first?.fix
        }
        #expect(fix(.missingCredential)?.contains("--secret FILE") == true)
        #expect(fix(.unknownCredential)?.hasPrefix("the secret or token is wrong") == true)
        #expect(fix(.notAdministrator)?.hasPrefix("the secret or token is that of a user") == true)
    }

    @Test func `reports a missing coordinator if it lasts`() {
        let without = status(0) { $0.coordination.coordinator = nil }
        let with = status(0)
        let found = findings(without, status(1))
        #expect(found.map(\.problem) == ["knows no coordinator: transactions wait"])
        #expect(findings(without, status(1), later: with).isEmpty)
        #expect(findings(with, status(1), later: without).isEmpty)
        // That it does not hear the others is what is to be said.
        let alone = status(0, hears: false) { $0.coordination.coordinator = nil }
        #expect(findings(alone, status(1)).count == 1)
    }

    @Test func `names the nodes without contact`() {
        let found = findings(status(0, hears: false), status(1))
        #expect(found.map(\.node) == ["n1"])
        #expect(found.first?.problem == "has no contact with n2")
        #expect(found.first?.fix.contains("tcp://127.0.0.1:9011") == true)
    }

    @Test func `names the route by which a node reaches another`() throws {
        let cluster = try Self.cluster(of: 2) { file in
            file.nodes[1].routes["n1"] = PeerRoute(
                requests: "tcp://127.0.0.1:9101", updates: "tcp://127.0.0.1:9102")
        }
        let statuses = (0..<2).map { index in
            var status = NodeStatus()
            status.identity.member = cluster.nodes[index].id
            status.identity.cluster = cluster.name
            status.coordination.coordinator = "n1"
            return ObservedNode(
                node: cluster.nodes[index], process: nil, isLocal: false, answer: .status(status))
        }
        let found = Diagnosis(of: cluster, statuses, later: statuses)
            .findings
        let fixes = found.filter { $0.problem.contains("has no contact") }.map(\.fix)
        #expect(
            fixes == [
                "check that its machine reaches tcp://127.0.0.1:9101 and tcp://127.0.0.1:9102",
                "check that its machine reaches tcp://127.0.0.1:9001 and tcp://127.0.0.1:9002",
            ])
    }

    /// What is found of nodes that hear each other, whose clocks and delays are these.
    private func clockFindings(_ clocks: [(wall: Int, delay: Int)]) throws -> [String] {
        let cluster = try Self.cluster(of: clocks.count)
        let statuses = zip(cluster.nodes, clocks).map { node, clock in
            let others = cluster.nodes.filter { $0.id != node.id }
            var status = NodeStatus()
            status.identity.member = node.id
            status.identity.cluster = cluster.name
            status.identity.wallMilliseconds = clock.wall
            status.coordination.coordinator = "n1"
            for other in others { status.exchange.connectedPeers[other.id] = 10 }
            return ObservedNode(
                node: node, process: nil, isLocal: false, answer: .status(status),
                delayMilliseconds: clock.delay)
        }
        return Diagnosis(of: cluster, statuses, later: statuses)
            .findings.map { "\($0.node) \($0.problem)" }
    }

    @Test func `names the one clock that is wrong, and how far`() throws {
        let behind = try clockFindings([(1_000_000, 5), (900_000, 5), (1_000_010, 5)])
        #expect(behind == ["n2 its clock is 99995 ms behind most"])
        let ahead = try clockFindings([(1_000_000, 5), (1_000_000, 5), (1_009_000, 9)])
        #expect(ahead == ["n3 its clock is 8991 ms ahead of most"])
    }

    @Test func `of two clocks blames none`() throws {
        let found = try clockFindings([(1_000_000, 0), (900_000, 0)])
        let end = "and it is not known which of the two is right"
        #expect(
            found == [
                "n1 its clock is 100000 ms ahead of n2's, \(end)",
                "n2 its clock is 100000 ms behind n1's, \(end)",
            ])
    }

    @Test func `does not mistake a late answer for a wrong clock`() throws {
        #expect(try clockFindings([(1_000_000, 3), (1_001_900, 1_950), (1_000_000, 3)]).isEmpty)
        #expect(try clockFindings([(1_000_000, 3), (1_003_900, 1_950), (1_000_000, 3)]).count == 1)
    }

    @Test func `names a wrong cluster and name`() {
        let other = findings(status(0) { $0.identity.cluster = "other" }, status(1))
        #expect(other.first?.problem.contains("cluster other") == true)
        let twin = findings(status(0) { $0.identity.member = "n2" }, status(1))
        #expect(twin.first?.problem.contains("has the address of node n2") == true)
    }

    /// A status that tells of a refused process.
    private func status(
        _ index: Int, refusing reason: String, _ count: Int, secondsAgo seconds: Int
    ) -> ObservedNode {
        var refused = NodeStatus.RefusedNode()
        refused.member = "n2"
        refused.endpoint = "tcp://127.0.0.1:9"
        refused.problem = "they differ"
        refused.fix = "make them equal"
        refused.count = count
        refused.agoMilliseconds = seconds * 1000
        return status(index) { $0.exchange.refusedNodes[reason] = refused }
    }

    @Test func `reports once another process with the name of a node, and its address`() {
        let (first, second) = (
            status(0, refusing: "secondOfAName", 3, secondsAgo: 2),
            status(1, refusing: "secondOfAName", 2, secondsAgo: 5)
        )
        let found = findings(first, second)
        #expect(
            found.map { "\($0.node) \($0.problem)" } == [
                "n2 is also the name of another process, at tcp://127.0.0.1:9: n1 and n2 refused it "
                    + "3 times, last 2 s ago"
            ])
        #expect(found.first?.fix == "stop that process, or give it another id")
    }

    @Test func `reports for ten minutes why a node was refused`() {
        func found(_ seconds: Int) -> [Diagnosis.Finding] {
            findings(status(0, refusing: "otherMembers", 1, secondsAgo: seconds), status(1))
        }
        #expect(
            found(599).map(\.problem) == [
                "at tcp://127.0.0.1:9 is not a member: n1 refused it once, last 599 s ago; they differ"
            ])
        #expect(found(599).first?.fix == "make them equal")
        #expect(found(600).isEmpty)
    }

    private func status(
        _ index: Int, refusingKey key: String, secondsAgo seconds: Int
    ) -> ObservedNode {
        var refused = NodeStatus.RefusedKey()
        (refused.key, refused.address) = (key, "10.0.0.4")
        refused.agoMilliseconds = seconds * 1000
        return status(index) {
            $0.process = NodeStatus.Process()
            $0.process?.refusedKeys = [refused]
        }
    }

    @Test func `names a process whose key no node lists, and its address, for ten minutes`() {
        func found(_ seconds: Int) -> [Diagnosis.Finding] {
            findings(
                status(0, refusingKey: "%key", secondsAgo: seconds),
                status(1, refusingKey: "%key", secondsAgo: seconds + 2))
        }
        #expect(
            found(3).map { "\($0.node) \($0.problem)" } == [
                "n1 refuses a process at 10.0.0.4, last 3 s ago: no node in the configuration of n1 and n2 has its key %key"
            ])
        #expect(found(600).isEmpty)
    }

    @Test func `names a listed node that the others do not list, with the fix`() throws {
        let key = KeyPair.random().publicKey
        let cluster = try Self.cluster(of: 3) { $0.nodes[2].publicKey = key }
        let later = status(0, refusingKey: key.description, secondsAgo: 1)
        let found = RefusedKey.all(in: [later]).map { $0.finding(in: cluster) }
        #expect(
            found == [
                .init(
                    severity: .error, node: "n3",
                    problem: "at 10.0.0.4 is not in the list of n1, which refused its key 1 s ago",
                    fix: "give all nodes the configuration that lists n3, and start them again")
            ])
    }

    @Test func `distinguishes lasting lag from shrinking lag`() {
        func lagging(_ lag: Int) -> ObservedNode { status(0) { $0.data.lag = lag } }
        #expect(findings(lagging(10), status(1), later: lagging(5)).isEmpty)
        #expect(findings(lagging(10), status(1), later: lagging(11)).count == 1)
    }

    @Test func `distinguishes growing counters from old values`() {
        let counters: [WritableKeyPath<NodeStatus, Int>] = [
            \.exchange.malformedFrames, \.exchange.unknownPeers,
        ]
        for counter in counters {
            let before = status(0) { $0[keyPath: counter] = 5 }
            #expect(findings(before, status(1)).isEmpty)
            let after = status(0) { $0[keyPath: counter] = 6 }
            #expect(findings(before, status(1), later: after).count == 1)
        }
    }

    @Test func `warns before a log is too long to wait for absent nodes`() {
        func log(_ count: Int) -> ObservedNode {
            status(0) {
                $0.data.loggedOperations = count
                $0.data.loggedOperationsLimit = 1_000
            }
        }
        let away = ObservedNode(
            node: cluster.nodes[1], process: nil, isLocal: true, answer: .refused)
        #expect(findings(log(400), away).map(\.node) == ["n2"])
        let found = findings(log(600), away).filter { $0.node == "n1" }
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.problem.contains("600 operations, of at most 1000") == true)
        #expect(found.first?.fix.contains("hearth cluster evict n2") == true)
    }

    @Test func `names two nodes that refuse each other's checkpoints, and which one to evict`() {
        func refusing(_ index: Int, _ refused: [String: Int]) -> ObservedNode {
            status(index) { $0.exchange.refusedCheckpoints = refused }
        }
        let (first, second) = (refusing(0, ["n2": 12]), refusing(1, ["n1": 3]))
        let found = findings(first, second)
        #expect(found.map(\.severity) == [.error] && found.map(\.node) == ["n1"])
        #expect(
            found.first?.problem
                == "and n2 refuse each other's checkpoints for ever: each has operations that the other lacks and "
                + "that its own log no longer has (n1 12, n2 3)")
        #expect(found.first?.fix.hasPrefix("`hearth cluster evict n2`: ") == true)
        #expect(found.first?.fix.contains("backups/evicted-TIME.sqlite") == true)
        let other = findings(refusing(0, ["n2": 3]), refusing(1, ["n1": 12]))
        #expect(other.first?.fix.hasPrefix("`hearth cluster evict n1`: ") == true)
        // One that refuses an older checkpoint, or no longer refuses one, gets on.
        #expect(findings(first, status(1)).isEmpty)
        #expect(findings(status(0), second).isEmpty)
        #expect(findings(first, second, later: status(0)).isEmpty)
        #expect(findings(status(0), second, later: first).isEmpty)
    }

    // MARK: Trees that differ

    /// The findings in a cluster whose nodes have found these differences of a database, each by the number of a node.
    private func findings(
        ofTrees differences: [[Int]], database: String = "default"
    ) throws -> [Diagnosis.Finding] {
        let cluster = try Self.cluster(of: differences.count)
        let nodes = differences.enumerated().map { index, peers in
            var status = NodeStatus()
            status.identity.member = "n\(index + 1)"
            status.identity.cluster = cluster.name
            status.identity.wallMilliseconds = 1_000_000
            status.coordination.coordinator = "n1"
            for peer in 1...differences.count where peer != index + 1 {
                status.exchange.connectedPeers["n\(peer)"] = 10
            }
            let ages = Dictionary(uniqueKeysWithValues: peers.map { ("n\($0)", 40_000) })
            if database == "default" {
                status.exchange.differingTrees = ages
            } else {
                status.process = NodeStatus.Process()
                status.process?.openFilesLimit = 100
                status.process?.differingDatabases = peers.isEmpty ? [:] : [database: ages]
            }
            return ObservedNode(
                node: cluster.nodes[index], process: nil, isLocal: false, answer: .status(status))
        }
        return Diagnosis(of: cluster, nodes, later: nodes).findings
    }

    @Test func `names the node whose tree differs from those of the majority, and the repair`()
        throws
    {
        #expect(try findings(ofTrees: [[], [], []]).isEmpty)
        // One of the others may not have compared its tree yet.
        for differences in [[[3], [3], [1, 2]], [[3], [3], []], [[], [3], [1, 2]]] {
            let found = try findings(ofTrees: differences)
            #expect(found.map(\.severity) == [.error] && found.map(\.node) == ["n3"])
            #expect(
                found.first?.problem
                    == "shows other data in the database default than n1 and n2 since 40 s, although "
                    + "they hold the same operations")
            #expect(
                found.first?.fix
                    == "keep a copy (`hearth export / n3.json --node n3`), then stop n3 (`hearth cluster "
                    + "stop`, or systemctl), move `log.sqlite*` out of its folder, and start it again: "
                    + "it fetches the data of the others")
        }
    }

    @Test func `names the folder of a named database whose tree differs`() throws {
        let found = try findings(ofTrees: [[2], [1, 3], [2]], database: "chat")
        #expect(found.map(\.node) == ["n2"])
        #expect(found.first?.problem.contains("in the database chat than n1 and n3") == true)
        #expect(found.first?.fix.contains("--node n2 --database chat") == true)
        #expect(
            found.first?.fix.contains("move `databases/chat/log.sqlite*` out of its folder") == true
        )
    }

    @Test(arguments: [
        [[2], [1]], [[2, 3], [1, 3], [1, 2]], [[3, 4], [3, 4], [1, 2], [1, 2]],
    ])
    func `says that no majority shows the same`(differences: [[Int]]) throws {
        let found = try findings(ofTrees: differences)
        #expect(found.count == 1)
        #expect(found.first?.problem.contains("no majority shows the same") == true)
        #expect(found.first?.fix.hasPrefix("compare the data of the nodes") == true)
    }

    @Test func `names a node that accepts no writes, with the reason`() {
        let full = status(0) { $0.identity.storage = "cannot write x: the disk is full" }
        #expect(findings(full, status(1)).map(\.severity) == [.error])
        #expect(findings(full, status(1)).first?.problem.contains("the disk is full") == true)
        let evicted = status(0) { $0.membership.isEvicted = true }
        #expect(findings(evicted, status(1)).first?.problem.contains("is evicted") == true)
    }

    @Test func `warns of declared indexes that do not fit, and of listens without an index`() {
        func declaring(_ bytes: Int, unindexed: Int = 0) -> ObservedNode {
            status(0) {
                $0.clients.queries.declaredIndexBytes = bytes
                $0.clients.queries.indexByteLimit = 256 << 20
                $0.clients.queries.unindexedListens = unindexed
            }
        }
        #expect(findings(declaring(256 << 20), status(1)).isEmpty)
        let found = findings(declaring(300 << 20), status(1))
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.problem.contains("they need 300 MB, of at most 256") == true)
        #expect(findings(declaring(0, unindexed: 2), status(1)).map(\.severity) == [.warning])
    }

    @Test func `warns before a node can open no more files`() {
        func open(_ count: Int) -> ObservedNode {
            var process = NodeStatus.Process()
            process.openFiles = count
            process.openFilesLimit = 1_000
            return status(0) { $0.process = process }
        }
        #expect(findings(open(900), status(1)).isEmpty)
        #expect(findings(open(901), status(1)).map(\.severity) == [.warning])
    }

    @Test
    func `does not report lag or contact of a node with a failed disk`() {
        let full = status(1) {
            $0.identity.storage = "the disk is full"
            $0.data.lag = 10
        }
        #expect(findings(status(0, hears: false), full).map(\.node) == ["n2"])
    }

    @Test func `names the fields that a node of another version lacks`() throws {
        var answer = NodeStatus().value
        answer.set(.null, at: try Path("lag"))
        let odd = ObservedNode(
            node: cluster.nodes[0], process: nil, isLocal: false,
            answer: StatusAnswer(.message(.value(id: 1, value: answer)), showsCredential: false))
        #expect(odd.state == .unreadable)
        let found = findings(odd, status(1, hears: false)).filter { $0.node == "n1" }
        #expect(
            found.map(\.problem) == [
                "sends a status that cannot be read: the status has no \"lag\""
            ])
    }

    @Test func `puts errors before warnings`() {
        var process = NodeStatus.Process()
        process.diskFreeBytes = 1 << 20
        let full = status(0) { $0.process = process }
        let found = findings(full, status(1, hears: false))
        #expect(found.map(\.severity) == [.error, .warning])
    }
}
