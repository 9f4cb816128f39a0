import DataTree
import Rules
import SyncProtocol
import Testing

@testable import ReplicaCore

/// The log names the user of each write and the rules that permitted it.
@Suite struct AttributionTests {
    private static let rules = RuledReplica.document(#"{"open": {".write": true, ".read": true}}"#)
    private static let others = RuledReplica.document(#"{".write": true}"#)
    private static let ada = SessionID(number: 11)
    private static let guest = SessionID(number: 12)
    /// An administrator without a credential, as in a cluster without secrets.
    private static let administrator: UInt64 = 13
    private static let owner = SessionID(number: 14)
    private static let ownerName = "secret:5f0c96a1"

    /// Nodes with rules. Each has a signed-in user, an anonymous client, and two administrators.
    private func cluster(_ count: Int = 3) -> TestCluster {
        var cluster = TestCluster(count)
        cluster.send(
            .setRules(id: 1, source: AttributionTests.rules), by: AttributionTests.administrator,
            to: "n1")
        cluster.quiesce()
        for name in cluster.names { introduce(name, &cluster) }
        return cluster
    }

    private func introduce(_ name: String, _ cluster: inout TestCluster) {
        cluster.turn(
            name,
            [
                .identified(AttributionTests.ada, .user(.user("ada"))),
                .identified(AttributionTests.guest, .anonymous),
                .identified(
                    AttributionTests.owner, .administrator(name: AttributionTests.ownerName)),
            ])
    }

    /// The attribution of the operation that last wrote a location, in the log of a node.
    private func attribution(
        of path: Path, at name: String, in cluster: TestCluster
    ) -> Attribution?? {
        operations(at: name, in: cluster).filter { $0.writes.contains { $0.path == path } }
            .max { $0.stamp < $1.stamp }?.attribution
    }

    private func operations(at name: String, in cluster: TestCluster) -> [SyncProtocol.Operation] {
        // Each node has a disk, and what is there a replica has written.
        cluster.disks[name]!.entries.flatMap { try! BatchCoding.decode($0.bytes).operations }
    }

    private func by(_ user: String?, _ rules: String = rules) -> Attribution? {
        Attribution(user: user, rules: RulesRecord.digest(of: rules))
    }

    @Test func `each write is attributed to its user and rules, on each node`() {
        var cluster = cluster()
        let requests: [(ClientMessage, Path)] = [
            (.put(id: 1, path: "open/put", value: 1), "open/put"),
            (
                .merge(id: 2, path: "open", writes: [Write(path: "merge", value: 1)]), "open/merge"
            ),
            (
                .put(
                    id: 3, path: "open/transaction", value: 1,
                    condition: Condition(DataHash(of: .null))), "open/transaction"
            ),
            (
                .put(
                    id: 4, path: "open/local", value: 1,
                    condition: Condition(DataHash(of: .null), isLocal: true)), "open/local"
            ),
        ]
        for node in ["n1", "n2"] {
            for (client, expected) in [
                (UInt64(11), by("ada")), (12, by(nil)), (13, nil),
                (14, Attribution(administrator: Self.ownerName)),
            ] {
                for (request, path) in requests {
                    cluster.send(request, by: client, to: node)
                    cluster.quiesce(milliseconds: 200)
                    for name in cluster.names {
                        #expect(
                            attribution(of: path, at: name, in: cluster) == .some(expected),
                            "\(node) \(client) \(path)")
                    }
                    cluster.send(
                        .put(id: 9, path: path, value: .null), by: AttributionTests.administrator,
                        to: node)
                    cluster.quiesce(milliseconds: 200)
                }
            }
        }
        #expect(operations(at: "n3", in: cluster).filter { $0.term != nil }.count == 8)
    }

    @Test func `pushes, on-disconnect writes and rules of an administrator are attributed`() {
        var cluster = cluster(1)
        cluster.send(.setRules(id: 1, source: AttributionTests.others), by: 14, to: "n1")
        cluster.send(.push(id: 2, path: "open", value: 1), by: 14, to: "n1")
        cluster.send(.onDisconnect(id: 3, path: "open/gone", value: 1), by: 14, to: "n1")
        cluster.turn("n1", [.closed(AttributionTests.owner)])
        // The registration writes nothing.
        let last = operations(at: "n1", in: cluster).filter { !$0.writes.isEmpty }.suffix(3)
        let expected = Attribution(administrator: AttributionTests.ownerName)
        #expect(last.map(\.attribution) == [expected, expected, expected])
        #expect(expected.rules == nil && expected.user == "secret:5f0c96a1")
    }

    @Test func `an emulator without rules attributes nothing`() {
        var access = Access(unidentified: .anonymous, isOpenWithoutRules: true)
        _ = access.identify(AttributionTests.owner, as: .administrator(name: "owner"))
        #expect(access.attribution(of: AttributionTests.owner) == nil)
        var closed = Access(unidentified: .anonymous)
        _ = closed.identify(AttributionTests.owner, as: .administrator(name: "owner"))
        #expect(
            closed.attribution(of: AttributionTests.owner) == Attribution(administrator: "owner"))
    }

    @Test func `pushes and on-disconnect writes are attributed, too`() {
        var cluster = cluster(1)
        cluster.send(.push(id: 1, path: "open", value: 1), by: 11, to: "n1")
        cluster.send(.onDisconnect(id: 2, path: "open/gone", value: 1), by: 11, to: "n1")
        cluster.turn("n1", [.closed(AttributionTests.ada)])
        let last = operations(at: "n1", in: cluster).filter { !$0.writes.isEmpty }.suffix(2)
        #expect(last.map(\.attribution) == [by("ada"), by("ada")])
        #expect(last.last?.writes.map(\.path) == ["open/gone"])
    }

    @Test func `the attribution has the user and the rules of that moment`() {
        var cluster = cluster(1)
        func write(_ client: UInt64) -> Attribution?? {
            cluster.send(.put(id: 1, path: "open/a", value: 1), by: client, to: "n1")
            return attribution(of: "open/a", at: "n1", in: cluster)
        }
        #expect(write(11) == .some(by("ada")))
        cluster.turn("n1", [.identified(AttributionTests.ada, .override(.user("bob")))])
        #expect(write(11) == .some(by("bob")))
        cluster.send(
            .setRules(id: 1, source: AttributionTests.others), by: AttributionTests.administrator,
            to: "n1")
        #expect(write(11) == .some(by("bob", AttributionTests.others)))
        #expect(write(12) == .some(by(nil, AttributionTests.others)))
        cluster.turn("n1", [.identified(AttributionTests.ada, .administrator(name: nil))])
        #expect(write(11) == .some(nil))
    }

    @Test(arguments: [OrphanPolicy.replay, .keep])
    func `a replayed operation keeps its attribution`(policy: OrphanPolicy) {
        var cluster = TestCluster(3)
        cluster.orphanPolicy = policy
        for name in cluster.names {
            cluster.stop(name)
            cluster.start(name)
        }
        cluster.quiesce()
        cluster.send(.setRules(id: 1, source: AttributionTests.rules), by: 13, to: "n1")
        cluster.quiesce()
        introduce("n3", &cluster)
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
        cluster.quiesce()
        let child = Path("open").appending(Key(unchecked: "-Oabcdefghijklmnopqr"))
        cluster.send(.put(id: 1, path: child, value: 3), by: 11, to: "n3")
        cluster.send(.onDisconnect(id: 2, path: "open/gone", value: 1), by: 12, to: "n3")
        cluster.quiesce()
        cluster.send(.evict(id: 6, member: "n3"), by: 13, to: "n1")
        cluster.quiesce()
        cluster.cuts = []
        cluster.turn("n3", [])
        while !cluster["n3"].isOut { cluster.quiesce(milliseconds: 50) }
        cluster.turn("n3", [.closed(AttributionTests.guest)])
        cluster.quiesce(milliseconds: 6_000)
        let again = operations(at: "n1", in: cluster).filter { $0.attribution != nil }
        #expect(again.map(\.attribution).contains(by("ada")))
        #expect(again.contains { $0.attribution == by(nil) && $0.writes[0].path == "open/gone" })
        #expect(again.count == 2)
    }

    @Test func `an administrator reads the log in parts, with nodes and users`()
        throws
    {
        var cluster = cluster()
        let text = Value.string(String(repeating: "x", count: 100_000))
        for number in 0..<9 {
            let node = cluster.names[number % 3]
            cluster.send(
                .put(id: 1, path: Universe.path("open/p\(number)"), value: text),
                by: [11, 12, 14][number / 3], to: node)
            cluster.quiesce(milliseconds: 100)
        }
        var (held, found, parts) = (VersionVector?([:]), [LoggedWrite](), 0)
        _ = cluster.takeReplies(of: 13)
        while let beyond = held {
            cluster.send(.writes(id: 7, beyond: beyond), by: 13, to: "n2")
            guard case .value(7, let value)? = cluster.takeReplies(of: 13).first else {
                Issue.record("no answer")
                return
            }
            let part = try LoggedWrites(value)
            found += part.writes
            held = part.next
            parts += 1
        }
        #expect(parts > 3)
        let data = found.filter { $0.paths != ["/.settings/rules"] }
        #expect(data.map(\.paths) == (0..<9).map { ["/open/p\($0)"] })
        #expect(data.map(\.member) == (0..<9).map { cluster.names[$0 % 3] })
        #expect(
            data.map(\.rules)
                == (0..<9).map { [by("ada")?.rules, by(nil)?.rules, nil][$0 / 3] })
        #expect(data.map(\.user) == (0..<9).map { ["ada", nil, Self.ownerName][$0 / 3] })
        #expect(data.map(\.administrator) == (0..<9).map { $0 < 6 ? nil : Self.ownerName })
        #expect(Set(data.map { "\($0.origin) \($0.sequence)" }).count == 9)
        #expect(found.count == 10)
    }

    @Test func `an administrator learns the visible write at a location, and the author of each`()
        throws
    {
        var cluster = cluster()
        let writes: [(client: UInt64, node: String, path: String, value: Value)] = [
            (11, "n1", "open/x", 1), (12, "n3", "open/x/y", 2), (14, "n2", "open/x", 3),
            (11, "n1", "open/other", 4),
        ]
        for write in writes {
            cluster.send(
                .put(id: 1, path: Universe.path(write.path), value: write.value),
                by: write.client, to: write.node)
            cluster.quiesce(milliseconds: 100)
        }
        _ = cluster.takeReplies(of: 13)
        cluster.send(.why(id: 7, path: "open/x", beyond: [:]), by: 13, to: "n2")
        guard case .value(7, let value)? = cluster.takeReplies(of: 13).first else {
            Issue.record("no answer")
            return
        }
        let report = try LocationReport(value)
        #expect(report.node == "n2" && report.shown == "3" && report.next == nil)
        #expect(
            report.operations.map { $0.writes.map(\.path) } == [
                ["/open/x"], ["/open/x/y"], ["/open/x"],
            ])
        #expect(report.operations.map { $0.writes.map(\.text) } == [["1"], ["2"], ["3"]])
        #expect(report.operations.map(\.member) == ["n1", "n3", "n2"])
        #expect(report.operations.map(\.user) == ["ada", nil, Self.ownerName])
        #expect(report.operations.map(\.rules) == [by("ada")?.rules, by(nil)?.rules, nil])
        let last = try #require(report.operations.last)
        let register = try #require(report.registers.first { $0.name == "write" })
        #expect(register.path == "/open/x" && register.stamp == "\(last.stamp)")
    }

    @Test(arguments: [
        ClientMessage.writes(id: 1, beyond: [:]), .why(id: 1, path: "a", beyond: [:]),
    ])
    func `few clients read the log at once`(request: ClientMessage) {
        var node = RuledReplica(#"{".read": true}"#)
        for _ in 0..<4 { #expect(node.ask(request).isEmpty) }
        #expect(node.ask(request).first?.code == .unavailable)
        #expect(node.ask(request, by: RuledReplica.user).first?.code == .permissionDenied)
    }
}
