import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// Requests of one session behind a transaction that the coordinator n1 has to decide.
@Suite struct SessionOrderTests {
    private let session = SessionID(number: 1)
    private let place: Path = "a"

    private func transaction(
        _ value: Value, over old: Value = .null, id: UInt64 = 1, at path: Path = "a",
        within milliseconds: UInt64? = nil, waitsOnceSent: Bool = false
    ) -> ClientMessage {
        .put(
            id: id, path: path, value: value,
            condition: Condition(
                DataHash(of: old), patienceMilliseconds: milliseconds, waitsOnceSent: waitsOnceSent)
        )
    }

    /// Sends requests of one session in one turn.
    private func send(
        _ messages: [ClientMessage], to node: String, _ cluster: inout TestCluster,
        by client: UInt64 = 1
    ) {
        cluster.turn(
            node, messages.map { .requested($0.frame, by: SessionID(number: client)) })
    }

    /// Sends a request in a session of values, as gateways do.
    private func ask(_ message: ClientMessage, of node: String, _ cluster: inout TestCluster) {
        cluster.turn(node, [.opened(session), .requestedMessages([message], by: session)])
    }

    /// The connections of a node to the others are cut, in both directions.
    private func cut(_ node: String, _ cluster: inout TestCluster) {
        for other in cluster.names where other != node {
            cluster.cuts.formUnion([[node, other], [other, node]])
        }
    }

    /// Which requests are answered by `ok`: the test cluster delivers what a turn asks of others before it replies, so that
    /// replies may change places.
    private func done(_ replies: [NodeMessage]) -> [UInt64] {
        replies.compactMap { if case .ok(let id) = $0 { id } else { nil } }.sorted()
    }

    private func codes(_ replies: [NodeMessage]) -> [ErrorCode] {
        replies.compactMap { if case .error(_, let code, _, _) = $0 { code } else { nil } }
    }

    private static let later: [(ClientMessage, Value)] = [
        (.put(id: 2, path: "a", value: .null), .null),
        (.put(id: 2, path: "a", value: 5), ["a": 5]),
        (.put(id: 2, path: "a/b", value: .deferred(.increment(.integer(10)))), ["a": ["b": 11]]),
        (
            .put(id: 2, path: "a/b/.priority", value: 3),
            ["a": ["b": Value.integer(1).prioritized(3)]]
        ),
        (.put(id: 2, path: .root, value: ["c": 1]), ["c": 1]),
        (
            .merge(
                id: 2, path: .root,
                writes: [Write(path: "a/c", value: 2), Write(path: "d", value: 3)]),
            ["a": ["b": 1, "c": 2], "d": 3]
        ),
        (
            .put(
                id: 2, path: "a/b", value: 4, condition: Condition(DataHash(of: 1))),
            ["a": ["b": 4]]
        ),
        (
            .put(
                id: 2, path: "a/b", value: 4, condition: Condition(DataHash(of: 1), isLocal: true)),
            ["a": ["b": 4]]
        ),
    ]

    @Test(arguments: ["n1", "n2", "n3"], later)
    func `a write behind a transaction takes effect after it, at any node`(
        node: String, later: (ClientMessage, Value)
    ) {
        var cluster = TestCluster(3)
        send([transaction(["b": 1]), later.0], to: node, &cluster)
        cluster.quiesce(milliseconds: 1_000)
        #expect(done(cluster.takeReplies()) == [1, 2])
        for name in cluster.names { #expect(cluster[name].value == later.1) }
    }

    @Test(arguments: ["n1", "n3"])
    func `a read, a listen and its end show the state after the transaction`(node: String) {
        var cluster = TestCluster(3)
        send(
            [
                transaction(7), .get(id: 2, path: place), .listen(id: 3, path: .root),
                .unlisten(id: 4, listen: 3), .children(id: 5, path: .root),
            ], to: node, &cluster)
        cluster.quiesce(milliseconds: 1_000)
        #expect(
            cluster.takeReplies() == [
                .ok(id: 1), .value(id: 2, value: 7), .ok(id: 3),
                .change(listen: 3, writes: [Write(path: .root, value: ["a": 7])]), .ok(id: 4),
                .value(id: 5, value: ["count": 1, "children": ["a": 7]]),
            ])
    }

    @Test func `requests elsewhere and those of other sessions do not wait`() {
        var cluster = TestCluster(3)
        cut("n3", &cluster)
        send(
            [
                transaction(1), .put(id: 2, path: "ab", value: 2),
                .put(id: 3, path: place, value: 3),
                .get(id: 4, path: "a/b"), .ping(id: 5),
            ], to: "n3", &cluster)
        let first = cluster.takeReplies()
        #expect(first.prefix(1) == [.ok(id: 2)])
        #expect(first.count == 2)
        send([.put(id: 1, path: place, value: 4)], to: "n3", &cluster, by: 2)
        #expect(cluster.takeReplies(of: 2) == [.ok(id: 1)])
        #expect(cluster["n3"].value == ["a": 4, "ab": 2])
    }

    @Test func `a request that overlaps a waiting one waits behind it`() {
        var cluster = TestCluster(3)
        cut("n3", &cluster)
        send(
            [
                transaction(1), .put(id: 2, path: .root, value: ["b": 2]),
                .put(id: 3, path: "b", value: 3),
            ], to: "n3", &cluster)
        #expect(cluster.takeReplies().isEmpty)
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2), .ok(id: 3)])
        #expect(cluster["n1"].value == ["b": 3])
    }

    @Test func `a refused transaction lets the requests behind it go on`() {
        var cluster = TestCluster(3)
        send(
            [transaction(1, over: 9), transaction(2, id: 2), .put(id: 3, path: "a/b", value: 3)],
            to: "n3", &cluster)
        cluster.quiesce(milliseconds: 1_000)
        let replies = cluster.takeReplies()
        #expect(codes(replies) == [.changed])
        #expect(done(replies) == [2, 3])
        #expect(cluster["n2"].value == ["a": ["b": 3]])
    }

    @Test func `beyond the limit a request is refused with the reason`() {
        var cluster = TestCluster(3)
        cluster.limits.waitingRequests = 1
        cluster.stop("n3")
        cluster.start("n3")
        cluster.quiesce()
        cut("n3", &cluster)
        let put = ClientMessage.put(id: 3, path: place, value: 3)
        send([transaction(1), .put(id: 2, path: place, value: 2), put], to: "n3", &cluster)
        guard case .error(3, .tooBig, let problem, _)? = cluster.takeReplies().first else {
            Issue.record("expected a refusal")
            return
        }
        #expect(problem.hasPrefix("1 requests, or 64 MB of them, already wait at this node"))
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 2)])
        // There is room again.
        send([transaction(3, over: 2), put], to: "n3", &cluster)
        #expect(cluster.takeReplies() == [.ok(id: 1), .ok(id: 3)])
    }

    @Test func `beyond the limit a listen begins and ends at once`() {
        var cluster = TestCluster(3)
        cluster.limits.waitingRequests = 1
        cluster.stop("n3")
        cluster.start("n3")
        cluster.quiesce()
        cut("n3", &cluster)
        let put = ClientMessage.put(id: 2, path: place, value: 2)
        send([transaction(1), put, .listen(id: 3, path: place)], to: "n3", &cluster)
        #expect(done(cluster.takeReplies()) == [3])
        send([.unlisten(id: 4, listen: 3)], to: "n3", &cluster)
        #expect(done(cluster.takeReplies()) == [4])
    }

    // MARK: Stamps

    private func stamp(_ milliseconds: UInt64) -> Stamp {
        Stamp(time: HybridTime(milliseconds: milliseconds), writer: WriterID(bits: 77))
    }

    @Test func `a stamp that is older than the decision is refused, and so are later writes`() {
        var cluster = TestCluster(3)
        let now: UInt64 = 1_700_000_003_000
        send([.hello(id: 9, seen: VersionVector())], to: "n3", &cluster)
        _ = cluster.takeReplies()
        send(
            [
                transaction(1), .put(id: 2, path: place, value: 2, stamp: stamp(now)),
                .put(id: 3, path: "b", value: 3, stamp: stamp(now + 1)),
            ], to: "n3", &cluster)
        let replies = cluster.takeReplies()
        #expect(replies.contains(.ok(id: 1)))
        #expect(codes(replies) == [.undecided, .undecided])
        #expect(cluster["n1"].value == ["a": 1])
        send(
            [
                .hello(id: 9, seen: VersionVector()),
                .put(id: 2, path: place, value: 2, stamp: stamp(now + 100)),
            ], to: "n3", &cluster)
        #expect(cluster.takeReplies().contains(.ok(id: 2)))
        #expect(cluster["n1"].value == ["a": 2])
    }

    @Test func `behind a refused transaction a stamp is taken`() {
        var cluster = TestCluster(3)
        let put = ClientMessage.put(
            id: 2, path: place, value: 2, stamp: stamp(1_700_000_003_000))
        send([transaction(1, over: 9), put], to: "n3", &cluster)
        #expect(cluster.takeReplies().suffix(1) == [.ok(id: 2)])
        #expect(cluster["n1"].value == ["a": 2])
    }

    // MARK: Who asks

    @Test func `a waiting request is checked as the user that sent it`() {
        var cluster = TestCluster(3)
        let rules = #"{"rules": {".read": "auth != null", ".write": "auth != null"}}"#
        send([.setRules(id: 1, source: rules)], to: "n3", &cluster, by: 9)
        cluster.quiesce()
        let user = Principal.user(.user("u1"))
        cluster.turn(
            "n3",
            [
                .identified(session, user), .requested(transaction(1).frame, by: session),
                .requested(ClientMessage.put(id: 2, path: place, value: 2).frame, by: session),
                .requested(ClientMessage.listen(id: 3, path: place).frame, by: session),
                .identified(session, .anonymous),
                .requested(ClientMessage.put(id: 4, path: place, value: 4).frame, by: session),
            ])
        cluster.quiesce(milliseconds: 1_000)
        let replies = cluster.takeReplies()
        #expect(replies.contains(.ok(id: 1)) && replies.contains(.ok(id: 2)))
        #expect(
            replies.contains {
                if case .ended(3, .permissionDenied, _, _) = $0 { true } else { false }
            })
        #expect(codes(replies) == [.permissionDenied])
        #expect(cluster["n1"].value == ["a": 2])
    }

    // MARK: The end of a session

    @Test func `the on-disconnect writes of a client that is gone follow its transaction`() {
        var cluster = TestCluster(3)
        send([.onDisconnect(id: 9, path: "a/b", value: .string("gone"))], to: "n3", &cluster)
        cluster.turn(
            "n3",
            [
                .requested(transaction(["b": 1]).frame, by: session),
                .requested(ClientMessage.put(id: 2, path: "a/c", value: 2).frame, by: session),
                .closed(session),
            ])
        cluster.quiesce(milliseconds: 1_000)
        for name in cluster.names {
            #expect(cluster[name].value == ["a": ["b": .string("gone"), "c": 2]])
        }
        #expect(cluster["n3"].status.queues.waitingTransactions == 0)
    }

    @Test func `on-disconnect writes elsewhere do not wait for it`() {
        var cluster = TestCluster(3)
        cut("n3", &cluster)
        send(
            [.onDisconnect(id: 9, path: "b", value: .string("gone")), transaction(1)], to: "n3",
            &cluster)
        cluster.turn("n3", [.closed(session)])
        #expect(cluster["n3"].value == ["b": .string("gone")])
    }

    @Test
    func
        `without a decision they are executed after five seconds, and waiting requests are dropped`()
    {
        var cluster = TestCluster(3)
        cut("n3", &cluster)
        send(
            [
                .onDisconnect(id: 9, path: "a/c", value: .string("gone")), transaction(1),
                .put(id: 2, path: "a/b", value: 2),
            ], to: "n3", &cluster)
        cluster.turn("n3", [.closed(session)])
        cluster.quiesce(milliseconds: 4_900)
        #expect(cluster["n3"].value == .null)
        cluster.quiesce(milliseconds: 200)
        #expect(cluster["n3"].value == ["a": ["c": .string("gone")]])
        #expect(cluster["n3"].status.queues.waitingTransactions == 0)
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster["n1"].value == ["a": ["c": .string("gone")]])
    }

    @Test func `a driver may use the number of a session again`() {
        var cluster = TestCluster(3)
        cut("n3", &cluster)
        send(
            [.onDisconnect(id: 9, path: place, value: .string("gone")), transaction(1)], to: "n3",
            &cluster)
        cluster.turn(
            "n3",
            [
                .closed(session), .opened(session),
                .requestedMessages([.put(id: 1, path: "a/b", value: 2)], by: session),
            ])
        #expect(cluster.takeReplies().suffix(1) == [.ok(id: 1)])
        #expect(cluster["n3"].value == ["a": ["b": 2]])
    }

    // MARK: Decisions

    @Test func `a client that treats errors as a refusal is not answered before the decision`() {
        var cluster = TestCluster(3)
        // The coordinator alone has the transaction.
        cluster.cuts = [["n1", "n2"], ["n1", "n3"]]
        ask(transaction(1, within: 1_000, waitsOnceSent: true), of: "n1", &cluster)
        send([transaction(2, id: 2, at: "b", within: 1_000)], to: "n1", &cluster, by: 2)
        cluster.quiesce(milliseconds: 2_000)
        #expect(cluster.takeReplies().isEmpty)
        #expect(codes(cluster.takeReplies(of: 2)) == [.undecided])
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster["n3"].value == ["a": 1, "b": 2])
    }

    @Test func `such a client is refused in time while no coordinator has its transaction`() {
        var cluster = TestCluster(3)
        cut("n3", &cluster)
        cluster.quiesce(milliseconds: 5_000)
        ask(transaction(1, within: 1_000, waitsOnceSent: true), of: "n3", &cluster)
        cluster.quiesce(milliseconds: 1_100)
        #expect(codes(cluster.takeReplies()) == [.noMajority])
    }

    @Test(arguments: [1, 3])
    func `a hash that no value has is refused at once`(count: Int) {
        var cluster = TestCluster(count)
        let put = ClientMessage.put(
            id: 1, path: place, value: 1, condition: Condition(DataHash(text: "foobar")))
        ask(put, of: "n\(count)", &cluster)
        #expect(codes(cluster.takeReplies()) == [.changed])
    }
}
