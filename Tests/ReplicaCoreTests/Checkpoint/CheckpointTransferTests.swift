import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

/// Nodes that come late, or come back with less than they had.
@Suite struct CheckpointTransferTests {
    private let list = Universe.path("list")

    /// Three nodes that make checkpoints often, and have logs that begin late.
    private func cluster() -> TestCluster { TestCluster(3, checkpointBytes: 500) }

    private func push(_ count: Int, to name: String, of cluster: inout TestCluster) {
        for number in 0..<count {
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: name)
        }
    }

    private func logCount(_ name: String, of cluster: TestCluster) -> Int {
        cluster.disks[name]!.entries.count
    }

    @Test func `logs begin where the checkpoint and all members are`() {
        var cluster = cluster()
        push(100, to: "n1", of: &cluster)
        cluster.quiesce()
        for name in cluster.names { #expect(logCount(name, of: cluster) < 30) }
        cluster.crash("n3")
        push(100, to: "n1", of: &cluster)
        cluster.quiesce()
        #expect(logCount("n1", of: cluster) >= 100, "n3 may ask for them")
        cluster.start("n3")
        cluster.quiesce()
        #expect(cluster["n3"].value[list].children.count == 200)
        #expect(cluster["n3"].counters.installed == 0)
        #expect(logCount("n1", of: cluster) < 30)
    }

    @Test func `a damaged part of a log is replaced by a checkpoint`() {
        var cluster = TestCluster(3)
        cluster.cuts = [["n1", "n2"], ["n1", "n3"]]
        push(20, to: "n1", of: &cluster)
        cluster.quiesce()
        for row in cluster.disks["n1"]!.tables.allRows(in: .batch) {
            cluster.disks["n1"]!.tables.damage(row, in: .batch, to: row.bytes.reversed())
        }
        cluster.cuts = []
        cluster.quiesce(milliseconds: 10_000)
        for name in cluster.names {
            #expect(cluster[name].value[list].children.count == 20)
            #expect(cluster[name].vector == cluster["n1"].vector)
        }
    }

    @Test func `a node without data installs a checkpoint and the log after it`() {
        var cluster = cluster()
        push(150, to: "n1", of: &cluster)
        push(150, to: "n2", of: &cluster)
        cluster.quiesce()
        cluster.wipe("n3")
        push(5, to: "n1", of: &cluster)
        cluster.start("n3")
        cluster.quiesce()
        #expect(cluster["n3"].counters.installed == 1)
        #expect(cluster["n3"].value == cluster["n1"].value)
        #expect(cluster["n3"].vector == cluster["n1"].vector)
        cluster.crash("n3")
        cluster.start("n3")
        #expect(cluster["n3"].value == cluster["n1"].value, "it is on its disk")
        push(5, to: "n3", of: &cluster)
        cluster.quiesce()
        #expect(cluster["n1"].value == cluster["n3"].value)
        #expect(cluster["n1"].value[list].children.count == 310)
    }

    @Test func `rows under wrong IDs, and heads that are none, are not kept`() {
        let tamperings: [(inout CheckpointChunk) -> Void] = [
            { part in part.rows += part.rows.suffix(1) },
            { part in part.rows.reverse() },
            { part in
                part.rows = part.rows.map { CheckpointRow(id: $0.id + 1_000_000, bytes: $0.bytes) }
            },
            { part in part.rows = [] },
            { part in part.head = [] },
            { part in part.head[part.head.count / 2] ^= 1 },
        ]
        for tamper in tamperings {
            var cluster = cluster()
            push(150, to: "n1", of: &cluster)
            cluster.quiesce()
            cluster.wipe("n3")
            cluster.tamper = tamper
            cluster.start("n3")
            cluster.quiesce(milliseconds: 1_000)
            #expect(cluster["n3"].counters.installed == 0)
            let ids = cluster.disks["n3"]?.tables.allRows(in: .received).map(\.number) ?? []
            #expect(
                ids == ids.sorted() && Set(ids).count == ids.count && (ids.last ?? 0) < 1_000_000)
            cluster.tamper = nil
            cluster.quiesce(milliseconds: 10_000)
            #expect(cluster["n3"].value == cluster["n1"].value)
        }
    }

    @Test(arguments: [0, 1, 2])
    func `a node that finds its checkpoint damaged when a peer needs it writes it anew`(
        damage: Int
    ) throws {
        var cluster = cluster()
        push(150, to: "n1", of: &cluster)
        cluster.quiesce()
        for name in ["n1", "n2"] {
            var tables = cluster.disks[name]!.tables
            let rows = tables.allRows(in: .row)
            switch damage {
            case 0: tables.damage(rows[0], in: .row, to: rows[1].bytes)
            case 1: tables.damage(rows[rows.count / 2], in: .row, to: nil)
            default:
                var head = try #require(tables.property("checkpoint"))
                head[head.count / 2] ^= 1
                tables.damageProperty("checkpoint", to: head)
            }
            cluster.disks[name]!.tables = tables
        }
        cluster.wipe("n3")
        cluster.start("n3")
        cluster.quiesce(milliseconds: 15_000)
        #expect(cluster["n3"].counters.installed == 1)
        #expect(cluster["n3"].value == cluster["n1"].value)
        #expect(cluster["n3"].value[list].children.count == 150)
        let disks = ["n1", "n2"].map { cluster.disks[$0]! }
        #expect(disks.contains { $0.isReadable })
    }

    @Test func `a node behind truncated logs keeps its own operations`() {
        var cluster = clusterWithShortLogs()
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
        push(7, to: "n3", of: &cluster)
        push(200, to: "n1", of: &cluster)
        cluster.quiesce()
        #expect(logCount("n1", of: cluster) < 100)
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].counters.installed == 1)
        for name in cluster.names { #expect(cluster[name].value[list].children.count == 207) }
    }

    private func clusterWithShortLogs() -> TestCluster {
        var cluster = cluster()
        cluster.logLimit = 20
        for name in cluster.names {
            cluster.crash(name)
            cluster.start(name)
        }
        cluster.quiesce()
        return cluster
    }

    /// Three nodes of which n1 and the others have truncated what the other side misses, since n3 has lost its disk.
    private func stuckCluster() -> TestCluster {
        var cluster = clusterWithShortLogs()
        cluster.crash("n2")
        push(70, to: "n1", of: &cluster)
        cluster.quiesce()
        cluster.crash("n1")
        cluster.wipe("n3")
        cluster.start("n2")
        cluster.start("n3")
        cluster.quiesce()
        cluster.crash("n3")
        // An operator has accepted the loss: n3 does not wait for n1.
        _ = try? cluster.disks["n3"]?.acceptLoss()
        cluster.start("n3")
        cluster.quiesce(milliseconds: 6_000)
        push(70, to: "n2", of: &cluster)
        cluster.quiesce(milliseconds: 6_000)
        cluster.start("n1")
        cluster.quiesce(milliseconds: 6_000)
        return cluster
    }

    @Test func `nodes that refuse each other's checkpoints say so, until one of them is evicted`() {
        var cluster = stuckCluster()
        let children = cluster.names.map { cluster[$0].value[list].children.count }
        #expect(children == [70, 70, 70])
        let refused = ["n1", "n2"].map { cluster[$0].refusedCheckpoints }
        #expect(refused[0].keys.sorted() == ["n2", "n3"])
        #expect(refused[1].keys.sorted() == ["n1"])
        let lost = cluster.status(of: "n1").exchange.refusedCheckpoints["n2"] ?? 0
        #expect((50...70).contains(lost), "all but the end of its log")
        cluster.send(.evict(id: 1, member: "n1"), to: "n2")
        cluster.quiesce(milliseconds: 12_000)
        #expect(cluster.copied == ["n1"])
        for name in cluster.names {
            #expect(cluster.status(of: name).exchange.refusedCheckpoints == [:])
            #expect(cluster[name].value[list].children.count == 140 - lost)
        }
    }

    /// Otherwise, peers would send the batches after a permanent gap again and again.
    @Test func `a node without room behind a gap installs a checkpoint`() {
        var cluster = TestCluster(3)
        cluster.checkpointBytes = 500
        cluster.logLimit = 20
        cluster.limits.waitingBatches = 0
        for name in cluster.names {
            cluster.crash(name)
            cluster.start(name)
        }
        cluster.quiesce()
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
        push(200, to: "n1", of: &cluster)
        cluster.quiesce()
        #expect((1..<100).contains(logCount("n1", of: cluster)))
        cluster.cuts = []
        cluster.quiesce(milliseconds: 6_000)
        #expect(cluster["n3"].counters.installed == 1)
        for name in cluster.names { #expect(cluster[name].value[list].children.count == 200) }
    }

    @Test func `no member installs the checkpoint of an evicted node`() {
        var cluster = cluster()
        push(5, to: "n3", of: &cluster)
        cluster.quiesce()
        let writer = cluster["n3"].writer
        /// The node from which n1 requests a checkpoint, if n3 says that only its checkpoint has the next operations.
        func source() -> String? {
            var replica = cluster["n1"]
            let answer = PeerMessage.compacted(origin: writer, through: 1_000).frame
            let outputs = [.answered(answer, from: "n3"), .turnEnded].flatMap { replica.step($0) }
            for case .ask(let member, let frame) in outputs {
                // The replica itself has written it.
                let messages = try! FrameReader<PeerMessage>.messages(in: frame)
                if case .message(.requestCheckpoint)? = messages.first { return member }
            }
            return nil
        }
        #expect(source() == "n3")
        cluster.cuts = [["n1", "n3"], ["n2", "n3"], ["n3", "n1"], ["n3", "n2"]]
        cluster.send(.evict(id: 9, member: "n3"), to: "n1")
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster["n2"].evictions.map(\.member) == ["n3"])
        #expect(source() == nil)
    }

    @Test func `an older copy of the data continues as another writer`() {
        var cluster = cluster()
        push(3, to: "n2", of: &cluster)
        let copy = cluster.disks["n2"]
        let writer = cluster["n2"].writer
        push(3, to: "n2", of: &cluster)
        cluster.crash("n2")
        cluster.disks["n2"] = copy
        cluster.start("n2")
        cluster.quiesce()
        #expect(cluster["n2"].writer != writer)
        push(3, to: "n2", of: &cluster)
        cluster.quiesce()
        for name in cluster.names { #expect(cluster[name].value[list].children.count == 9) }
    }

    @Test func `listeners receive the changes of a checkpoint`() {
        var cluster = cluster()
        push(100, to: "n1", of: &cluster)
        cluster.quiesce()
        cluster.wipe("n3")
        cluster.start("n3")
        cluster.send(.listen(id: 1, path: list), by: 5, to: "n3")
        cluster.quiesce()
        var copy = Value.null
        for case .change(1, let writes) in cluster.takeReplies(of: 5) {
            for write in writes { copy.set(write.value, at: write.path) }
        }
        #expect(copy == cluster["n1"].value[list])
    }

    @Test func `a second node with the same name ends, and names the address of the first`() {
        var cluster = TestCluster(2)
        cluster.endpoints = ["n1": "tcp://a:1", "n2": "tcp://a:2"]
        for name in cluster.names {
            cluster.crash(name)
            cluster.start(name)
        }
        cluster.quiesce()
        #expect(cluster.refusals.isEmpty)
        cluster.endpoints["n2"] = "tcp://b:2"
        cluster.crash("n2")
        cluster.start("n2")
        cluster.quiesce()
        #expect(
            cluster.refusals["n2"]
                == "two nodes have the name n2: n1 knows it at tcp://a:2, and this one is at tcp://b:2"
        )
        let told = cluster.status(of: "n1").exchange.refusedNodes["secondOfAName"]
        #expect(told?.member == "n2" && told?.endpoint == "tcp://b:2")
    }

    @Test func `the status shows the reason of a refusal until the node is welcome`() {
        var cluster = TestCluster(2)
        cluster.endpoints = ["n1": "tcp://a:1", "n2": "tcp://a:2"]
        cluster.crash("n1")
        cluster.start("n1")
        func hello(_ name: String, in group: String = "test", at endpoint: String) -> Input {
            let hello = Hello(
                cluster: group, member: name, writer: WriterID(bits: 9), endpoint: endpoint,
                members: [.init("n1", at: "tcp://a:1"), .init("n2", at: "tcp://a:2")])
            return .asked(PeerMessage.hello(hello).frame, by: name)
        }
        let long = String(repeating: "x\u{1B}", count: 10_000)
        cluster.turn(
            "n1",
            [
                hello("n9", at: "tcp://a:8"), hello("n9", at: "tcp://a:9"),
                hello("n9", at: "tcp://a:9"), hello(long, in: long, at: long),
                hello("n2", in: "other", at: "tcp://a:2"),
            ])
        let told = cluster.status(of: "n1").exchange.refusedNodes
        #expect(told.keys.sorted() == ["otherCluster", "unknownMember"])
        #expect(told["unknownMember"]?.endpoint == "tcp://a:9")
        #expect(told["unknownMember"]?.count == 2)
        #expect(told["otherCluster"]?.member == "n2")
        cluster.turn("n1", [hello(long, in: long, at: long)])
        let name = String(repeating: "x?", count: 50)
        let renamed = cluster.status(of: "n1").exchange.refusedNodes
        #expect(renamed["otherCluster"]?.member == name)
        cluster.turn("n1", [hello("n2", in: "other", at: "tcp://a:2")])
        cluster.turn("n1", [hello("n2", at: "tcp://a:2")])
        let left = cluster.status(of: "n1").exchange.refusedNodes
        #expect(left.keys.sorted() == ["unknownMember"])
    }

    @Test func `a node with another list of nodes ends, and names the difference`() {
        func refusal(of places: [String: String]) -> String? {
            var cluster = TestCluster(2)
            cluster.endpoints = ["n1": "tcp://a:1", "n2": "tcp://a:2"]
            cluster.crash("n1")
            cluster.start("n1")
            cluster.endpoints = places
            cluster.crash("n2")
            cluster.start("n2")
            cluster.quiesce()
            return cluster.refusals["n2"]
        }
        #expect(refusal(of: ["n1": "tcp://a:1", "n2": "tcp://a:2"]) == nil)
        #expect(
            refusal(of: ["n1": "tcp://c:1", "n2": "tcp://a:2"])
                == "the configurations of n1 and n2 differ: n1 is at tcp://a:1 for n1, and at "
                + "tcp://c:1 for n2")
    }

    @Test func `a node that says goodbye is not waited for`() {
        var cluster = TestCluster(3)
        #expect(cluster["n1"].livePeers == ["n2", "n3"])
        cluster.stop("n3")
        #expect(cluster["n1"].livePeers == ["n2"])
    }
}
