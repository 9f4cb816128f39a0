import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// The rules of a cluster: where they are, and where they are not.
@Suite struct RulesRecordTests {
    private static let open = RuledReplica.document(#"{".read": true, ".write": true}"#)
    private static let closed = RuledReplica.document("{}")

    private func report(at name: String, of cluster: inout TestCluster) -> RulesReport? {
        _ = cluster.takeReplies()
        cluster.send(.rules(id: 1), to: name)
        guard case .value(_, let value)? = cluster.takeReplies().first else { return nil }
        return RulesReport(value)
    }

    /// Whether a node permits an anonymous client to read.
    private func permits(at name: String, in cluster: inout TestCluster) -> Bool {
        let guest = SessionID(number: 3)
        _ = cluster.takeReplies(of: 3)
        cluster.turn(
            name,
            [
                .identified(guest, .anonymous),
                .requested(ClientMessage.get(id: 1, path: .root).frame, by: guest),
            ])
        return cluster.takeReplies(of: 3).first?.code == nil
    }

    @Test func `rules reach every node, and count there`() {
        var cluster = TestCluster(3)
        #expect(permits(at: "n1", in: &cluster) == false)
        cluster.send(.setRules(id: 1, source: Self.open), to: "n1")
        cluster.quiesce()
        for name in cluster.names {
            #expect(permits(at: name, in: &cluster) == true, "\(name)")
            #expect(report(at: name, of: &cluster)?.source == Self.open, "\(name)")
        }
    }

    /// The members that have the rules, as far as a node knows.
    private func members(at name: String, of cluster: inout TestCluster) -> [String: Bool]? {
        _ = cluster.takeReplies()
        cluster.send(.status(id: 1), to: name)
        guard case .value(_, let value)? = cluster.takeReplies().first else { return nil }
        return (try? NodeStatus(value))?.rules?.members
    }

    @Test func `each node knows which members have them`() {
        var cluster = TestCluster(3)
        cluster.quiesce()
        #expect(members(at: "n1", of: &cluster) == nil)
        cluster.cuts = [["n1", "n3"], ["n2", "n3"]]
        cluster.send(.setRules(id: 1, source: Self.open), to: "n1")
        cluster.quiesce()
        for name in ["n1", "n2"] {
            #expect(
                members(at: name, of: &cluster) == ["n1": true, "n2": true, "n3": false], "\(name)")
        }
        // Other operations of n1 say nothing of the rules.
        #expect(members(at: "n3", of: &cluster) == nil)
        cluster.cuts = []
        cluster.send(.setRules(id: 2, source: "{"), to: "n3")
        cluster.quiesce()
        for name in cluster.names {
            #expect(
                members(at: name, of: &cluster) == ["n1": true, "n2": true, "n3": true], "\(name)")
        }
    }

    @Test(arguments: [1, 16 << 20])
    func `a node that has started again knows which members have them`(checkpointBytes: Int) {
        var cluster = TestCluster(2)
        cluster.checkpointBytes = checkpointBytes
        for name in cluster.names {
            cluster.stop(name)
            cluster.start(name)
        }
        cluster.send(.setRules(id: 1, source: Self.open), to: "n1")
        cluster.quiesce(milliseconds: 20_000)
        cluster.stop("n1")
        cluster.start("n1")
        cluster.quiesce()
        #expect(members(at: "n1", of: &cluster) == ["n1": true, "n2": true])
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        cluster.stop("n1")
        cluster.start("n1")
        cluster.quiesce()
        #expect(members(at: "n1", of: &cluster) == ["n1": true, "n2": false])
    }

    @Test(
        arguments: [
            (nil, 3_000), (500, 500), (9_000, 9_000), (.max, 900_000),
        ] as [(UInt64?, UInt64)])
    func `their author waits for other nodes as long as it says, a quarter of an hour at most`(
        patience: UInt64?, milliseconds: UInt64
    ) {
        var cluster = TestCluster(2)
        cluster.quiesce()
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        let request = ClientMessage.setRules(
            id: 1, source: Self.open, concern: .all, patienceMilliseconds: patience)
        _ = cluster.takeReplies()
        cluster.send(request, to: "n1")
        cluster.quiesce(milliseconds: milliseconds - 300)
        #expect(cluster.takeReplies() == [])
        cluster.quiesce(milliseconds: 600)
        #expect(cluster.takeReplies() == [.acknowledged(id: 1, concern: .local)])
    }

    @Test func `no tree shows them, and nothing that is written removes them`() {
        var cluster = TestCluster(2)
        cluster.send(.setRules(id: 1, source: Self.open), to: "n1")
        cluster.send(.put(id: 2, path: .root, value: ["a": 1]), to: "n2")
        cluster.send(.put(id: 3, path: .root, value: .null), to: "n1")
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].value == .null)
            #expect(report(at: name, of: &cluster)?.source == Self.open, "\(name)")
        }
    }

    @Test(arguments: [1, 16 << 20])
    func `they outlive a restart, from the log and from a checkpoint`(checkpointBytes: Int) {
        var cluster = TestCluster(1)
        cluster.stop("n1")
        cluster.checkpointBytes = checkpointBytes
        cluster.start("n1")
        cluster.quiesce()
        cluster.send(.setRules(id: 1, source: Self.closed), to: "n1")
        cluster.send(.setRules(id: 2, source: Self.open), to: "n1")
        cluster.quiesce(milliseconds: 20_000)
        cluster.stop("n1")
        cluster.start("n1")
        cluster.quiesce()
        let report = report(at: "n1", of: &cluster)
        #expect(report?.source == Self.open)
        #expect(report?.previous == RulesRecord.digest(of: Self.closed))
        #expect(permits(at: "n1", in: &cluster) == true)
    }

    @Test func `a node that lost its disk refuses users until it has them again`() {
        var cluster = TestCluster(2)
        cluster.checkpointBytes = 1
        cluster.send(.setRules(id: 1, source: Self.open), to: "n1")
        cluster.quiesce(milliseconds: 20_000)
        cluster.wipe("n2")
        cluster.start("n2")
        #expect(permits(at: "n2", in: &cluster) == false)
        cluster.quiesce(milliseconds: 20_000)
        #expect(permits(at: "n2", in: &cluster) == true)
    }

    @Test func `of rules that two nodes were given at once, all nodes have the same`() {
        var cluster = TestCluster(2)
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        cluster.send(.setRules(id: 1, source: Self.open), to: "n1")
        cluster.send(.setRules(id: 1, source: Self.closed), to: "n2")
        cluster.cuts = []
        cluster.quiesce()
        let reports = cluster.names.map { report(at: $0, of: &cluster) }
        #expect(reports[0] != nil)
        #expect(reports[0] == reports[1])
    }

    @Test func `errors have line and column, and the rules stay unchanged`() {
        var node = RuledReplica(#"{".read": true}"#)
        let bad = "{\"rules\": {\n  \".read\": \"auth.x\", \".write\": \"y\"}}"
        guard
            case .error(1, .invalid, let problem, _)? = node.ask(.setRules(id: 1, source: bad))
                .first
        else {
            Issue.record("bad rules are taken")
            return
        }
        #expect(
            problem == "2:13: Expression must evaluate to a boolean.\n2:33: Unknown variable 'y'.")
        #expect(node.permits(.get(id: 1, path: "a")) == true)
    }

    @Test func `rules are replaced only if they are those that their author has seen`() {
        var node = RuledReplica(nil)
        let first = ClientMessage.setRules(
            id: 1, source: Self.open, replaced: DataHash(text: ""))
        #expect(node.ask(first) == [.ok(id: 1)])
        #expect(node.ask(first).first?.code == .changed)
        let digest = DataHash(text: RulesRecord.digest(of: Self.open))
        #expect(
            node.ask(.setRules(id: 2, source: Self.closed, replaced: digest)) == [.ok(id: 2)])
    }

    @Test func `a document can be checked without counting`() {
        var node = RuledReplica(#"{".read": true}"#)
        let check = ClientMessage.setRules(id: 1, source: Self.closed, isCheck: true)
        #expect(node.ask(check) == [.ok(id: 1)])
        #expect(node.permits(.get(id: 1, path: "a")) == true)
    }

    @Test(arguments: [".settings/rules", "/.settings", "a/.settings"])
    func `no client can name their place`(text: String) {
        #expect(throws: DataError.self) { try Path(text) }
    }

    @Test func `an administrator learns why an operation is denied, and nothing is done`() throws {
        let rules = #"{"a": {".write": "auth.uid == 'u1'", ".validate": "newData.isNumber()"}}"#
        var node = RuledReplica(rules)
        func reasons(_ statement: String) -> [String]? {
            guard case .value(_, let value)? = node.ask(.explain(id: 1, statement: statement)).first
            else { return nil }
            return RulesVerdict(value).reasons
        }
        #expect(reasons("write /a 5 as {uid: 'u1'}") == [])
        #expect(
            reasons("write /a 'x' as {uid: 'u1'}") == [
                "the data at /a is not valid",
                ".validate of /a, line 1, at /a: newData.isNumber() is false, as newData is \"x\"",
            ])
        #expect(
            reasons("delete /a as none") == [
                "no .write holds at or above /a",
                ".write of /a, line 1, at /a: auth.uid == 'u1' is false, as auth.uid is null",
            ])
        #expect(node.ask(.explain(id: 1, statement: "walk /a")).first?.code == .invalid)
        #expect(
            node.ask(
                .explain(
                    id: 1, statement: "delete /a as none", source: #"{"rules": {".write": true}}"#))
                == [.value(id: 1, value: RulesVerdict(reasons: []).value)])
        let wrong = ClientMessage.explain(id: 1, statement: "read /a as none", source: "{")
        #expect(node.ask(wrong).first?.code == .invalid)
        #expect(node.permits(.get(id: 1, path: "a")) == false)
        #expect(node.value == .null)
    }
}
