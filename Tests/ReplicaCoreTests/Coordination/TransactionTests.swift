import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// Conditional puts at several nodes: one of them decides for all.
@Suite struct TransactionTests {
    private let place = Universe.path("a")

    private func put(
        _ value: Value, over old: Value, id: UInt64 = 1, named name: Stamp? = nil,
        isLocal: Bool = false, within milliseconds: UInt64? = nil, concern: WriteConcern? = nil
    ) -> ClientMessage {
        .put(
            id: id, path: place, value: value,
            condition: Condition(
                DataHash(of: old), isLocal: isLocal, patienceMilliseconds: milliseconds),
            concern: concern, stamp: name)
    }

    private func name(_ milliseconds: UInt64) -> Stamp {
        Stamp(time: HybridTime(milliseconds: milliseconds), writer: WriterID(bits: 77))
    }

    private func code(_ messages: [NodeMessage]) -> [ErrorCode] {
        messages.compactMap { if case .error(_, let code, _, _) = $0 { code } else { nil } }
    }

    /// Three nodes, of which n1 is the coordinator.
    private func cluster() -> TestCluster {
        let cluster = TestCluster(3)
        #expect(["n1", "n2", "n3"].map { cluster[$0].coordinatorMember } == ["n1", "n1", "n1"])
        return cluster
    }

    @Test(arguments: ["n1", "n2", "n3"])
    func `the coordinator decides requests to any node`(node: String) {
        var cluster = cluster()
        cluster.send(put(1, over: .null), to: node)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(["n1", "n2", "n3"].map { cluster[$0].counters.accepted } == [1, 0, 0])
        cluster.send(put(2, over: 1, concern: .all), to: node)
        #expect(cluster.takeReplies() == [.acknowledged(id: 1, concern: .all)])
        cluster.send(put(3, over: 1), to: node)
        let codes = code(cluster.takeReplies())
        #expect(codes == [.changed])
        #expect(cluster["n3"].value == ["a": 2])
    }

    @Test func `one of two on the same data takes place`() {
        var cluster = cluster()
        // Neither has heard of the other.
        cluster.cuts = [["n1", "n2"], ["n1", "n3"], ["n2", "n1"], ["n3", "n1"]]
        cluster.send(put(1, over: .null), by: 1, to: "n2")
        cluster.send(put(2, over: .null), by: 2, to: "n3")
        cluster.cuts = []
        cluster.quiesce(milliseconds: 4_000)
        let first = cluster.takeReplies(of: 1)
        let second = cluster.takeReplies(of: 2)
        #expect([first, second].count { $0 == [.ok(id: 1)] } == 1)
        #expect([first, second].count { code($0) == [.changed] } == 1)
        #expect(cluster["n1"].value == ["a": first == [.ok(id: 1)] ? 1 : 2])
    }

    @Test func `server timestamps have the time of the check at the client's node`() {
        var cluster = cluster()
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        let asked = cluster.milliseconds
        cluster.send(put(.deferred(.timestamp), over: .null), to: "n2")
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster.takeReplies().isEmpty)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 4_000)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster["n1"].value == ["a": .integer(Int64(asked))])
    }

    @Test func `a refusal arrives once the node holds its basis`() {
        var cluster = cluster()
        cluster.cuts = [["n1", "n3"]]
        cluster.send(.put(id: 9, path: place, value: 7), by: 9, to: "n1")
        cluster.send(.listen(id: 5, path: place), to: "n3")
        _ = cluster.takeReplies()
        cluster.send(put(1, over: .null), to: "n3")
        #expect(cluster.takeReplies().isEmpty)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 2_000)
        let told = cluster.takeReplies()
        #expect(told.first == .change(listen: 5, writes: [Write(path: .root, value: 7)]))
        #expect(code(told) == [.changed])
    }

    @Test func `the coordinator decides once it holds the operations of the client's node`() {
        var cluster = cluster()
        cluster.cuts = [["n3", "n1"], ["n3", "n2"]]
        cluster.send(.put(id: 9, path: place, value: 7), by: 9, to: "n3")
        cluster.send(put(8, over: 7), to: "n3")
        cluster.cuts = []
        cluster.quiesce(milliseconds: 3_000)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster["n1"].value == ["a": 8])
    }

    @Test func `it is answered once most members hold it`() {
        var cluster = cluster()
        cluster.stuckDisks = ["n2", "n3"]
        cluster.send(put(1, over: .null), to: "n1")
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster.takeReplies().isEmpty)
        cluster.stuckDisks = ["n3"]
        cluster.syncDisks()
        cluster.quiesce(milliseconds: 500)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
    }

    @Test func `asked for again under its name, it is done once`() {
        var cluster = cluster()
        cluster.send(put(1, over: .null, named: name(5)), to: "n2")
        cluster.send(put(2, over: 1, named: name(6)), to: "n2")
        // Its condition holds no more, and it is known all the same, at whatever node.
        cluster.send(put(1, over: .null, id: 3, named: name(5)), to: "n3")
        cluster.send(put(1, over: .null, id: 4, named: name(5), isLocal: true), to: "n3")
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 1), .ok(id: 3), .ok(id: 4)])
        #expect(cluster["n1"].value == ["a": 2])
    }

    @Test func `another coordinator follows, and forgets nothing`() {
        var cluster = cluster()
        cluster.send(put(1, over: .null), to: "n1")
        cluster.crash("n1")
        cluster.send(put(2, over: 1, id: 2), to: "n3")
        cluster.quiesce(milliseconds: 4_000)
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2)])
        #expect(cluster["n3"].coordinatorMember == "n2")
        cluster.start("n1")
        cluster.quiesce()
        cluster.send(put(3, over: 2, id: 3), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 3)])
        #expect(cluster["n1"].coordinatorMember == "n2")
    }

    @Test func `a coordinator that stops in order is followed at once`() {
        var cluster = cluster()
        cluster.stop("n1")
        cluster.quiesce(milliseconds: 600)
        #expect(cluster["n2"].coordinatorMember == "n2")
    }

    @Test func `after all nodes were killed, the next coordinator decides at once`() {
        var cluster = cluster()
        cluster.send(put(1, over: .null), to: "n2")
        for name in cluster.names { cluster.crash(name) }
        for name in cluster.names { cluster.start(name) }
        cluster.quiesce(milliseconds: 600)
        cluster.send(put(2, over: 1, id: 2), to: "n2")
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2)])
        #expect(cluster["n3"].coordinatorMember == "n1")
    }

    @Test func `in the mode interval disks are synced as soon as a transaction waits for them`() {
        var cluster = TestCluster(3, durability: .interval)
        let before = cluster.syncCounts
        cluster.send(put(1, over: .null), to: "n2")
        // The disk's report leads to a turn.
        cluster.quiesce(milliseconds: 50)
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster.names.allSatisfy { cluster.syncCounts[$0]! > before[$0]! })
    }

    @Test func `a partitioned coordinator decides nothing, and learns later decisions`() {
        var cluster = cluster()
        let ends = [["n1", "n2"], ["n1", "n3"], ["n2", "n1"], ["n3", "n1"]]
        cluster.cuts = Set(ends)
        cluster.quiesce(milliseconds: 5_000)
        #expect(cluster["n2"].coordinatorMember == "n2")
        cluster.send(put(1, over: .null), by: 1, to: "n1")
        cluster.send(put(2, over: .null), by: 2, to: "n3")
        #expect(cluster.takeReplies(of: 1).isEmpty)
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 1)])
        cluster.cuts = []
        cluster.quiesce(milliseconds: 3_000)
        let codes = code(cluster.takeReplies(of: 1))
        #expect(codes == [.changed])
        #expect(cluster["n1"].value == ["a": 2])
    }

    @Test func `without a majority it waits, and names the missing nodes`() {
        var cluster = cluster()
        cluster.crash("n2")
        cluster.crash("n3")
        cluster.quiesce(milliseconds: 5_000)
        cluster.send(put(1, over: .null, within: 1_000), to: "n1")
        cluster.quiesce(milliseconds: 950)
        #expect(cluster.takeReplies().isEmpty)
        cluster.quiesce(milliseconds: 100)
        guard case .error(1, .noMajority, let problem, _)? = cluster.takeReplies().first else {
            Issue.record("expected a refusal")
            return
        }
        #expect(
            problem
                == "n1 has contact with 0 of the 2 other nodes, and transactions need more than half "
                + "of all nodes")
        cluster.send(put(2, over: .null, id: 2, isLocal: true), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 2)])
        #expect(cluster["n1"].value == ["a": 2])
        // Without a limit it waits for the others.
        cluster.send(put(3, over: 2, id: 3), to: "n1")
        cluster.quiesce(milliseconds: 8_000)
        #expect(cluster.takeReplies().isEmpty)
        cluster.start("n2")
        cluster.quiesce(milliseconds: 5_000)
        #expect(cluster.takeReplies() == [.ok(id: 3)])
    }

    @Test func `the outcome at a failed coordinator is unknown`() {
        var cluster = cluster()
        cluster.cuts = [["n1", "n2"], ["n1", "n3"]]
        cluster.send(put(1, over: .null, within: 500), to: "n2")
        cluster.quiesce(milliseconds: 600)
        let codes = code(cluster.takeReplies())
        #expect(codes == [.undecided])
    }

    @Test(arguments: [ErrorCode.noMajority, .undecided])
    func `a user with an undecided transaction learns nothing about nodes`(code: ErrorCode) throws {
        var cluster = cluster()
        let rules = RuledReplica.document(#"{".write": true}"#)
        cluster.send(.setRules(id: 1, source: rules), to: "n2")
        cluster.quiesce()
        _ = cluster.takeReplies()
        if code == .noMajority {
            cluster.crash("n1")
            cluster.crash("n3")
            cluster.quiesce(milliseconds: 5_000)
        } else {
            cluster.cuts = [["n1", "n2"], ["n1", "n3"]]
        }
        cluster.turn("n2", [.identified(SessionID(number: 1), .user(.user("ada")))])
        cluster.send(put(1, over: .null, within: 500), to: "n2")
        cluster.quiesce(milliseconds: 600)
        guard case .error(_, code, let problem, let fix)? = cluster.takeReplies().first else {
            Issue.record("it is not refused as \(code)")
            return
        }
        let words = (problem + " " + fix).split { !$0.isLetter && !$0.isNumber }
        let telling = ["n1", "n2", "n3", "nodes", "cluster", "coordinator", "1", "2", "3"]
        #expect(words.allSatisfy { !telling.contains(String($0)) }, "\(problem); \(fix)")
    }

    @Test(arguments: 0..<3)
    func `a member that lost its disk votes after contact with all others`(restarts: Int) {
        var cluster = cluster()
        cluster.send(put(1, over: .null), to: "n1")
        cluster.crash("n1")
        cluster.wipe("n2")
        cluster.quiesce(milliseconds: 3_000)
        cluster.start("n2")
        cluster.quiesce(milliseconds: 6_000)
        for _ in 0..<restarts {
            cluster.stop("n2")
            cluster.start("n2")
            cluster.quiesce(milliseconds: 6_000)
        }
        cluster.send(put(2, over: 1, id: 2, within: 1_000), to: "n3")
        cluster.quiesce(milliseconds: 1_500)
        let codes = code(cluster.takeReplies())
        #expect(codes.last == .noMajority)
        cluster.start("n1")
        cluster.quiesce(milliseconds: 6_000)
        cluster.send(put(2, over: 1, id: 3), to: "n3")
        #expect(cluster.takeReplies() == [.ok(id: 3)])
    }

    @Test func `a name that is a node's is refused, and a value that cannot be`() {
        var cluster = cluster()
        let bad = Stamp(time: HybridTime(milliseconds: 5), writer: cluster["n1"].writer)
        cluster.send(put(1, over: .null, named: bad), to: "n2")
        let bottomless = Value.string(String(repeating: "x", count: 11 << 20))
        cluster.send(put(bottomless, over: .null, id: 2), to: "n2")
        let codes = code(cluster.takeReplies())
        #expect(codes == [.invalid, .invalid])
    }
}
