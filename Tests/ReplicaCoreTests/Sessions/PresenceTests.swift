import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol
import Testing

/// On-disconnect writes outlive the node that their client was connected to.
@Suite struct PresenceTests {
    private let client = SessionID(number: 1)

    /// Three nodes, and a client of n1 that has said that it is there.
    private static func cluster(
        versions: ClosedRange<UInt64> = 1...2, presence: Value = false
    ) -> TestCluster {
        var cluster = TestCluster(3, versions: versions)
        cluster.send(.onDisconnect(id: 1, path: "online/ann", value: presence), to: "n1")
        cluster.send(.put(id: 2, path: "online/ann", value: true), to: "n1")
        cluster.quiesce()
        return cluster
    }

    @Test func `a node that starts again does what clients of its last incarnation have left`() {
        var cluster = Self.cluster()
        cluster.crash("n1")
        cluster.quiesce()
        #expect(cluster["n2"].value == ["online": ["ann": true]])
        cluster.start("n1")
        cluster.quiesce(milliseconds: 1_000)
        for name in cluster.names {
            #expect(cluster[name].value == ["online": ["ann": false]])
        }
    }

    @Test func `a node alone does it, too`() {
        var cluster = TestCluster(1)
        cluster.send(
            .onDisconnect(id: 1, path: "a", value: .deferred(.increment(.integer(1)))), to: "n1")
        for _ in 0..<3 {
            cluster.crash("n1")
            cluster.start("n1")
            cluster.quiesce()
        }
        #expect(cluster["n1"].value == ["a": 1])
    }

    @Test func `the others do it for a node that stays away, and once`() {
        var cluster = Self.cluster(presence: .deferred(.increment(.integer(1))))
        cluster.crash("n1")
        cluster.quiesce(milliseconds: 29_000)
        #expect(cluster["n2"].value == ["online": ["ann": true]])
        // A database must not sleep meanwhile.
        #expect(cluster["n2"].awaitsDisconnects)
        cluster.quiesce(milliseconds: 3_000)
        #expect(cluster["n2"].value == ["online": ["ann": 1]])
        #expect(cluster["n3"].value == ["online": ["ann": 1]])
        cluster.start("n1")
        cluster.quiesce(milliseconds: 40_000)
        for name in cluster.names {
            #expect(cluster[name].value == ["online": ["ann": 1]])
        }
    }

    @Test func `nothing is done for a node that stays away where that is turned off`() {
        var cluster = TestCluster(3)
        cluster.presenceMilliseconds = 0
        for name in cluster.names {
            cluster.crash(name)
            cluster.start(name)
        }
        cluster.quiesce()
        cluster.send(.onDisconnect(id: 1, path: "a", value: 1), to: "n1")
        cluster.crash("n1")
        cluster.quiesce(milliseconds: 60_000)
        #expect(cluster["n2"].value == .null)
        cluster.start("n1")
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster["n2"].value == ["a": 1])
    }

    @Test func `a presence that the user has set elsewhere meanwhile stays`() {
        for pause in [UInt64(100), 1_000, 10_000] {
            var cluster = Self.cluster()
            cluster.crash("n1")
            cluster.quiesce(milliseconds: pause)
            cluster.send(.put(id: 1, path: "online/ann", value: .string("again")), by: 2, to: "n2")
            cluster.quiesce(milliseconds: 40_000)
            #expect(cluster["n3"].value == ["online": ["ann": .string("again")]])
            cluster.start("n1")
            cluster.quiesce()
            #expect(cluster["n1"].value == ["online": ["ann": .string("again")]])
        }
    }

    @Test func `a later registration elsewhere cancels what waits`() {
        var cluster = Self.cluster()
        cluster.crash("n1")
        cluster.send(
            .onDisconnect(id: 1, path: "online/ann", value: .string("left")), by: 2, to: "n2")
        for _ in 0..<8 {
            cluster.quiesce(milliseconds: 5_000)
            cluster.send(.ping(id: 2), by: 2, to: "n2")
        }
        #expect(cluster["n3"].value == ["online": ["ann": true]])
        cluster.turn("n2", [.closed(SessionID(number: 2))])
        #expect(cluster["n3"].value == ["online": ["ann": .string("left")]])
    }

    @Test func `a session that has registered a shared location before goes on`() {
        var cluster = TestCluster(3)
        let one = Value.deferred(.increment(.integer(1)))
        cluster.send(.onDisconnect(id: 1, path: "gone", value: one), by: 2, to: "n2")
        cluster.quiesce()
        cluster.send(.onDisconnect(id: 1, path: "gone", value: one), to: "n1")
        cluster.quiesce()
        _ = cluster.takeReplies(of: 2)
        cluster.crash("n1")
        for _ in 0..<8 {
            cluster.quiesce(milliseconds: 5_000)
            cluster.send(.ping(id: 2), by: 2, to: "n2")
        }
        #expect(cluster["n2"].value == ["gone": 1])
        #expect(!cluster["n2"].isToConnectAgain(SessionID(number: 2)))
        cluster.turn("n2", [.closed(SessionID(number: 2))])
        #expect(cluster["n2"].value == ["gone": 2] && !cluster["n2"].awaitsDisconnects)
    }

    @Test func `many sessions that end at once share turns`() {
        var cluster = TestCluster(1)
        let clients = (1...4).map { UInt64($0) }
        let gone: Path = "gone"
        for client in clients {
            let text = Value.string(String(repeating: "x", count: 900_000))
            let path = gone.appending(Key(unchecked: "c\(client)"))
            cluster.send(.onDisconnect(id: 1, path: path, value: text), by: client, to: "n1")
        }
        cluster.turn("n1", clients.map { .closed(SessionID(number: $0)) })
        #expect(cluster["n1"].hasDueWork && cluster["n1"].value["gone"].children.count < 4)
        cluster.quiesce()
        #expect(cluster["n1"].value["gone"].children.count == 4)
        #expect(!cluster["n1"].awaitsDisconnects)
    }

    @Test func `what is cancelled, or done at the end of the connection, is not done again`() {
        var cluster = Self.cluster(presence: .deferred(.increment(.integer(1))))
        cluster.send(.onDisconnect(id: 1, path: "b", value: 1), by: 2, to: "n1")
        cluster.send(.onDisconnectCancel(id: 2, path: "b"), by: 2, to: "n1")
        cluster.turn("n1", [.closed(client)])
        cluster.crash("n1")
        cluster.quiesce(milliseconds: 40_000)
        cluster.start("n1")
        cluster.quiesce()
        #expect(cluster["n1"].value == ["online": ["ann": 1]])
    }

    @Test func `a checkpoint keeps what clients have left`() {
        var cluster = TestCluster(3, checkpointBytes: 500)
        cluster.send(.onDisconnect(id: 1, path: "online/ann", value: false), to: "n1")
        for id in UInt64(2)...40 {
            cluster.send(.put(id: id, path: "x", value: .integer(Int64(id))), to: "n1")
            cluster.quiesce(milliseconds: 200)
        }
        cluster.crash("n1")
        cluster.start("n1")
        cluster.quiesce()
        #expect(cluster["n3"].value["online"] == ["ann": false])
    }

    @Test func `a node that was cut off ends the sessions whose writes others have done`() {
        var cluster = Self.cluster()
        _ = cluster.takeReplies()
        cluster.send(.listen(id: 3, path: "online", query: Query()), to: "n1")
        cluster.cuts = [["n1", "n2"], ["n1", "n3"], ["n2", "n1"], ["n3", "n1"]]
        for _ in 0..<7 {
            cluster.quiesce(milliseconds: 5_000)
            cluster.send(.ping(id: 4), to: "n1")
        }
        #expect(cluster["n2"].value == ["online": ["ann": false]])
        #expect(cluster["n1"].value == ["online": ["ann": true]])
        _ = cluster.takeReplies()
        cluster.cuts = []
        cluster.quiesce(milliseconds: 2_000)
        #expect(cluster["n1"].value == ["online": ["ann": false]])
        let told = cluster.takeReplies()
        #expect(
            told.contains {
                if case .error(id: 0, code: .unavailable, _, _) = $0 { true } else { false }
            })
        #expect(
            !told.contains {
                if case .change = $0 { true } else { false }
            })
    }

    @Test
    func `the end of a session at a node that was cut off does not replace a presence elsewhere`() {
        var cluster = Self.cluster()
        cluster.cuts = [["n1", "n2"], ["n1", "n3"], ["n2", "n1"], ["n3", "n1"]]
        cluster.quiesce(milliseconds: 5_000)
        cluster.send(.put(id: 1, path: "online/ann", value: .string("again")), by: 2, to: "n2")
        cluster.quiesce(milliseconds: 1_000)
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n1"].value == ["online": ["ann": false]])
        cluster.cuts = []
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].value == ["online": ["ann": .string("again")]])
        }
    }

    @Test func `beside a node of an earlier version, on-disconnect writes are not recorded`() {
        var cluster = Self.cluster(versions: 1...1)
        let before = cluster["n1"].vector.total
        cluster.send(.onDisconnect(id: 3, path: "b", value: 1), to: "n1")
        #expect(cluster["n1"].vector.total == before)
        cluster.turn("n1", [.closed(client)])
        #expect(cluster["n2"].value == ["b": 1, "online": ["ann": false]])
    }
}
