import DataTree
import ReplicaCore
import SyncProtocol
import Testing

@Suite struct ReplicaTests {
    private let list = Universe.path("list")

    @Test func `a write on one node shows on all, and is acknowledged`() {
        var cluster = TestCluster(3)
        cluster.send(.put(id: 7, path: list, value: ["a": 1]), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 7)])
        for name in cluster.names { #expect(cluster[name].value == ["list": ["a": 1]]) }
    }

    @Test func `nothing leaves a node before its turn is on disk`() {
        var cluster = TestCluster(2)
        cluster.disksAreStuck = true
        cluster.send(.put(id: 1, path: list, value: 1), to: "n1")
        cluster.send(.get(id: 2, path: list), by: 2, to: "n1")
        #expect(cluster.takeReplies().isEmpty)
        #expect(cluster.takeReplies(of: 2).isEmpty, "a read must not show what could be lost")
        #expect(cluster["n2"].value == .null)

        cluster.disksAreStuck = false
        cluster.syncDisks()
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster.takeReplies(of: 2) == [.value(id: 2, value: 1)])
        #expect(cluster["n2"].value == ["list": 1])
    }

    @Test func `in interval mode the acknowledgement does not wait for the disk`() {
        var cluster = TestCluster(2, durability: .interval)
        cluster.disksAreStuck = true
        cluster.send(.put(id: 1, path: list, value: 1), to: "n1")
        #expect(cluster.takeReplies() == [.ok(id: 1)])
        #expect(cluster["n2"].value == ["list": 1])
    }

    @Test func `operations lost in a partition are repaired when it heals`() {
        var cluster = TestCluster(3)
        cluster.cuts = [["n1", "n2"], ["n2", "n1"], ["n2", "n3"], ["n3", "n2"]]
        for number in 1...20 {
            let name = ["n1", "n2", "n3"][number % 3]
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: name)
        }
        #expect(cluster["n2"].value != cluster["n1"].value)
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster["n1"].value[list].children.count == 20)
        #expect(cluster["n2"].value == cluster["n1"].value)
        #expect(cluster["n3"].value == cluster["n1"].value)
        #expect(cluster["n2"].counters.repaired > 0)
    }

    @Test func `a third node repairs operations of a partitioned writer`() {
        var cluster = TestCluster(3)
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        cluster.send(.put(id: 1, path: list, value: 1), to: "n1")
        cluster.quiesce()
        #expect(cluster["n2"].value == ["list": 1])
    }

    @Test func `a crashed node has its data, and receives the rest`() {
        var cluster = TestCluster(3)
        cluster.send(.put(id: 1, path: list.appending(Universe.path("a")), value: 1), to: "n2")
        let writer = cluster["n2"].writer
        cluster.crash("n2")
        cluster.send(.put(id: 2, path: list.appending(Universe.path("b")), value: 2), to: "n1")
        cluster.start("n2")
        #expect(cluster["n2"].value == ["list": ["a": 1]])
        #expect(
            cluster["n2"].writer != writer, "its data may be older than what it told the others")
        cluster.quiesce()
        #expect(cluster["n2"].value == ["list": ["a": 1, "b": 2]])
    }

    @Test(arguments: [Durability.interval, .memory])
    func `a node that lost announced operations receives them as another writer`(mode: Durability) {
        var cluster = TestCluster(3, durability: mode)
        cluster.send(.put(id: 1, path: list, value: 1), to: "n2")
        cluster.disksAreStuck = true
        cluster.send(.put(id: 2, path: list, value: 2), to: "n2")
        let writer = cluster["n2"].writer
        cluster.crash("n2")
        cluster.disksAreStuck = false
        cluster.syncDisks()
        cluster.start("n2")
        #expect(cluster["n2"].writer != writer)
        cluster.send(.put(id: 3, path: Universe.path("other"), value: 3), to: "n2")
        cluster.quiesce()
        for name in cluster.names {
            #expect(cluster[name].value == ["list": 2, "other": 3])
        }
    }

    @Test func `a listener receives the whole value, then each operation as one change`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: list, value: ["a": 1]), to: "n1")
        cluster.send(.listen(id: 9, path: list), by: 5, to: "n2")
        let first = Write(path: .root, value: ["a": 1])
        #expect(
            cluster.takeReplies(of: 5) == [.ok(id: 9), .change(listen: 9, writes: [first])])

        let writes = [
            Write(path: Universe.path("b"), value: 2),
            Write(path: Universe.path("a"), value: .null),
        ]
        cluster.send(.merge(id: 2, path: list, writes: writes), to: "n1")
        #expect(cluster.takeReplies(of: 5) == [.change(listen: 9, writes: writes)])

        cluster.send(.put(id: 3, path: list, value: ["b": 2]), to: "n1")
        #expect(cluster.takeReplies(of: 5).isEmpty, "the same data again is no change")

        cluster.send(.unlisten(id: 10, listen: 9), by: 5, to: "n2")
        cluster.send(.put(id: 4, path: list, value: .null), to: "n1")
        #expect(cluster.takeReplies(of: 5) == [.ok(id: 10)])
    }

    @Test func `a listener below a replaced place sees its part only when it changes`() {
        var cluster = TestCluster(1)
        cluster.send(.put(id: 1, path: list, value: ["a": ["x": 1], "b": 2]), to: "n1")
        cluster.send(.listen(id: 9, path: Universe.path("list/a/x")), by: 5, to: "n1")
        _ = cluster.takeReplies(of: 5)
        cluster.send(.put(id: 2, path: list, value: ["a": ["x": 1], "b": 3]), to: "n1")
        #expect(cluster.takeReplies(of: 5).isEmpty)
        cluster.send(.put(id: 3, path: list, value: 5), to: "n1")
        let gone = Write(path: .root, value: .null)
        #expect(cluster.takeReplies(of: 5) == [.change(listen: 9, writes: [gone])])
    }

    @Test func `a priority needs a value, and goes with the last child`() {
        var cluster = TestCluster(1)
        cluster.send(.put(id: 1, path: Universe.path("a/.priority"), value: 3), to: "n1")
        cluster.send(.put(id: 2, path: Universe.path("a/x"), value: 1), to: "n1")
        #expect(cluster["n1"].value == ["a": ["x": 1]])
        cluster.send(.put(id: 3, path: Universe.path("a/.priority"), value: 3), to: "n1")
        #expect(cluster["n1"].value == ["a": (["x": 1] as Value).prioritized(3)])
        cluster.send(.put(id: 4, path: Universe.path("a/x"), value: .null), to: "n1")
        cluster.send(.put(id: 5, path: Universe.path("a/y"), value: 1), to: "n1")
        #expect(cluster["n1"].value == ["a": ["y": 1]])
    }

    @Test func `a priority stays as a child gets children`() {
        var cluster = TestCluster(1)
        cluster.send(.put(id: 1, path: Universe.path("a/x"), value: 1), to: "n1")
        cluster.send(.put(id: 2, path: Universe.path("a/.priority"), value: 3), to: "n1")
        cluster.send(.put(id: 3, path: Universe.path("a/b/c"), value: 1), to: "n1")
        #expect(cluster["n1"].value == ["a": (["x": 1, "b": ["c": 1]] as Value).prioritized(3)])
    }

    @Test func `a priority that goes with the last child goes for all writers`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: Universe.path("a/x"), value: 1), to: "n1")
        cluster.send(.put(id: 2, path: Universe.path("a/.priority"), value: 3), to: "n1")
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        cluster.send(.put(id: 3, path: Universe.path("a/x"), value: .null), to: "n1")
        cluster.quiesce(milliseconds: 20)
        cluster.send(.put(id: 4, path: Universe.path("a/y"), value: 1), to: "n2")
        cluster.cuts = []
        cluster.quiesce()
        for name in cluster.names { #expect(cluster[name].value == ["a": ["y": 1]]) }
    }

    @Test func `a timestamp is the accepting node's wall time, everywhere the same`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: list, value: .deferred(.timestamp)), to: "n1")
        guard case .integer(let time) = cluster["n1"].value[list] else {
            Issue.record("no number: \(cluster["n1"].value)")
            return
        }
        #expect(time > 1_700_000_000_000)
        #expect(cluster["n2"].value == cluster["n1"].value)
    }

    @Test func `bad requests and frames are answered and counted, and change nothing`() {
        var cluster = TestCluster(2)
        let session = SessionID(number: 1)
        cluster.turn("n1", [.requested([1, 0x93, 0xA3, 0x70, 0x75], by: session)])
        cluster.turn("n1", [.requested([9], by: session), .requested([], by: session)])
        cluster.turn("n1", [.published([0xFF, 0, 0]), .asked([1, 2], by: "n2")])
        let replies = cluster.takeReplies()
        #expect(replies.count == 3)
        for reply in replies {
            guard case .error(_, _, let problem, let fix) = reply else {
                Issue.record("not an error: \(reply)")
                continue
            }
            #expect(!problem.isEmpty && !fix.isEmpty)
        }
        #expect(cluster["n1"].counters.malformedFrames == 2)
        #expect(cluster["n1"].value == .null)
    }

    @Test(arguments: [Durability.interval, .memory])
    func `registers are forgotten again after a incarnation was lost`(mode: Durability) {
        var cluster = TestCluster(3, durability: mode)
        cluster.send(.push(id: 1, path: list, value: 1), to: "n2")
        cluster.crash("n2")
        cluster.send(.push(id: 2, path: list, value: 1), to: "n1")
        cluster.quiesce()
        #expect(cluster.status(of: "n3").data.registers > 0)
        cluster.start("n2")
        cluster.quiesce()
        for name in cluster.names { #expect(cluster.status(of: name).data.registers == 0) }
    }

    @Test func `members accept of a lost incarnation only operations that one shows`() {
        var cluster = TestCluster(3, durability: .memory)
        cluster.send(.put(id: 1, path: list, value: 1), to: "n2")
        let lost = cluster["n2"].writer
        cluster.crash("n2")
        cluster.start("n2")
        cluster.quiesce()
        let operation = Operation(
            stamp: Stamp(time: HybridTime(milliseconds: 1_700_000_000_001), writer: lost),
            writes: [Write(path: list, value: 2)])
        let batch = Batch(
            origin: lost, first: 2, wallMilliseconds: 0, dependencies: VersionVector(),
            operations: [operation])
        cluster.turn("n1", [.published(PeerMessage.batch(BatchCoding.encode(batch)).frame)])
        cluster.quiesce()
        for name in cluster.names { #expect(cluster[name].vector[lost] == 1) }
    }

    @Test func `registers are forgotten once all members hold an operation`() {
        var cluster = TestCluster(3)
        for number in 1...50 {
            cluster.send(.push(id: UInt64(number + 1), path: list, value: 1), to: "n1")
        }
        #expect(cluster.status(of: "n3").data.registers > 0)
        cluster.quiesce()
        #expect(cluster.status(of: "n3").data.registers == 0)
        cluster.crash("n2")
        cluster.send(.push(id: 99, path: list, value: 1), to: "n1")
        cluster.quiesce()
        #expect(cluster.status(of: "n3").data.registers > 0, "a silent member stops the stableTime")
    }
}
