import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

/// Messages that a faulty member, or a process in its place, may send.
@Suite struct `A replica among liars` {
    private let list = Universe.path("list")

    private func batch(
        of origin: WriterID, from first: UInt64, at time: HybridTime, count: Int = 1,
        value: Value = .string("lie")
    ) -> Input {
        let operations = (0..<count).map { _ in
            Operation(
                stamp: Stamp(time: time, writer: origin), writes: [Write(path: list, value: value)])
        }
        let batch = Batch(
            origin: origin, first: first, wallMilliseconds: 0, dependencies: VersionVector(),
            operations: operations)
        return .published(PeerMessage.batch(BatchCoding.encode(batch)).frame)
    }

    private func heartbeat(
        _ vector: VersionVector, of member: String = "n2", writer: WriterID = WriterID(bits: 9),
        time: HybridTime? = nil, closedTimestamp: HybridTime, evictions: [Eviction] = [],
        lease: Lease? = nil
    ) -> Input {
        let heartbeat = Heartbeat(
            cluster: "test", member: member, writer: writer, vector: vector,
            time: time ?? closedTimestamp, closedTimestamp: closedTimestamp, writers: [],
            evictions: evictions, wallMilliseconds: 0, lease: lease)
        return .published(PeerMessage.heartbeat(heartbeat).frame)
    }

    /// Those that a node has noted durably.
    private func evictions(at disk: TestCluster.Disk?) throws -> [Eviction] {
        guard let bytes = disk?.tables.property(Property.Name.evictions.rawValue) else {
            return []
        }
        return try bytes.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            return try reader.evictions()
        }
    }

    private let present = HybridTime(milliseconds: 1_700_000_000_000)
    private let end = HybridTime(bits: 1 << 63)

    @Test func `a push is refused where its new key makes the path too long for peers`() {
        var cluster = TestCluster(2)
        let long = Path([Key(unchecked: String(repeating: "k", count: 760))])
        cluster.send(.push(id: 1, path: long, value: 1), to: "n1")
        cluster.send(.put(id: 2, path: list, value: 2), to: "n1")
        guard case .error(id: 1, code: .invalid, _, _)? = cluster.takeReplies().first else {
            Issue.record("expected a refusal")
            return
        }
        #expect(cluster["n2"].value == ["list": 2])
    }

    @Test func `follows no time that would leave none after it`() {
        var cluster = TestCluster(2)
        cluster.turn("n1", [batch(of: WriterID(bits: 8), from: 1, at: end)])
        cluster.turn("n1", [heartbeat(VersionVector(), closedTimestamp: end)])
        #expect(cluster["n1"].counters.unknownPeers == 2)
        cluster.send(.put(id: 1, path: list, value: 1), to: "n1")
        #expect(cluster["n2"].value == ["list": 1])
        cluster.crash("n1")
        cluster.start("n1")
        cluster.quiesce()
        cluster.send(.put(id: 2, path: list, value: 2), to: "n1")
        #expect(cluster["n2"].value == ["list": 2])
    }

    @Test func `follows no ceiling of a vote that would leave no time after it`() throws {
        var cluster = TestCluster(3)
        let holder = cluster["n1"].writer
        let term = UInt64(cluster.status(of: "n1").coordination.term)
        let time = HybridTime(milliseconds: cluster.milliseconds + 1)
        for name in ["n2", "n3"] {
            // As if from the coordinator; its voters remember the ceiling.
            let lease = Lease(
                term: term, holder: holder, renewedMilliseconds: 0, ceiling: end,
                formerCeiling: .zero, stage: .deciding)
            cluster.turn(
                name,
                [
                    heartbeat(
                        [:], of: "n1", writer: holder, time: time, closedTimestamp: .zero,
                        lease: lease)
                ])
        }
        cluster.crash("n1")
        cluster.quiesce(milliseconds: 10_000)
        // The next coordinator stamps above that ceiling.
        let coordinator = try #require(cluster["n2"].coordinatorMember)
        let other = coordinator == "n2" ? "n3" : "n2"
        cluster.send(.put(id: 1, path: list, value: 1), to: coordinator)
        #expect(cluster[other].value == ["list": 1])
    }

    @Test(arguments: [1_000, 86_400_000, 36_000 * 86_400_000] as [UInt64], [true, false])
    func `has contact with a member again after a false heartbeat with a later time`(
        ahead: UInt64, hasWriter: Bool
    ) {
        var cluster = TestCluster(3)
        let writer = hasWriter ? cluster["n1"].writer : WriterID(bits: 9)
        let time = HybridTime(milliseconds: cluster.milliseconds + ahead)
        cluster.turn(
            "n2", [heartbeat([:], of: "n1", writer: writer, time: time, closedTimestamp: .zero)])
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster["n2"].livePeers == ["n1", "n3"])
        cluster.send(.put(id: 1, path: list, value: 1), to: "n1")
        #expect(cluster["n2"].value == ["list": 1])
        cluster.quiesce(milliseconds: 1_000)
        #expect(cluster["n2"].livePeers == ["n1", "n3"])
    }

    @Test func `makes nothing stable up to a time that would leave none after it`() {
        var cluster = TestCluster(2)
        cluster.turn("n1", [heartbeat([:], time: present, closedTimestamp: end)])
        #expect(cluster["n1"].counters.unknownPeers == 1)
    }

    @Test(arguments: [Lease.Stage.given, .asking, .deciding])
    func `still elects a coordinator after a vote in the last term`(stage: Lease.Stage) {
        var cluster = TestCluster(3)
        cluster.crash("n1")
        for name in ["n2", "n3"] {
            let time = HybridTime(milliseconds: cluster.milliseconds + 10)
            let lease = Lease(
                term: Lease.lastTerm, holder: WriterID(bits: 9), renewedMilliseconds: 0,
                ceiling: time, formerCeiling: .zero, stage: stage)
            cluster.turn(
                name, [heartbeat([:], of: "n1", time: time, closedTimestamp: .zero, lease: lease)])
        }
        cluster.quiesce(milliseconds: 8_000)
        #expect(cluster["n2"].coordinatorMember != nil)
    }

    @Test func `accepts no foreign operations as its own`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: list, value: 1), to: "n1")
        let writer = cluster["n1"].writer
        let request = ClientMessage.put(id: 2, path: list, value: 2).frame
        cluster.turn(
            "n1",
            [
                .requested(request, by: SessionID(number: 1)),
                batch(of: writer, from: 3, at: present),
            ])
        #expect(cluster["n1"].counters.unknownPeers == 1)
        #expect(cluster["n1"].vector[writer] == 2)
        #expect(cluster["n2"].value == ["list": 2])
    }

    @Test func `repairs an origin of which a contradiction waits`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: list, value: 1), to: "n2")
        let writer = cluster["n2"].writer
        cluster.turn("n1", [batch(of: writer, from: 1, at: present, count: 4)])
        cluster.turn("n1", [batch(of: writer, from: 3, at: present, count: 4)])
        cluster.cuts = [["n2", "n1"]]
        let requests = (2...4).map { number in
            ClientMessage.put(id: 1, path: list, value: .integer(Int64(number))).frame
        }
        cluster.turn("n2", requests.map { .requested($0, by: SessionID(number: 1)) })
        cluster.cuts = []
        cluster.quiesce()
        #expect(cluster["n1"].value == ["list": 4])
    }

    @Test func `bounds its queues, and reports its status in any case`() {
        var cluster = TestCluster(2, versions: 1...1)
        var inputs: [Input] = []
        for origin in 1...300 as ClosedRange<UInt64> {
            inputs.append(batch(of: WriterID(bits: origin), from: 5, at: present))
        }
        for first in 6...11_000 as ClosedRange<UInt64> {
            inputs.append(batch(of: WriterID(bits: 1), from: first, at: present))
        }
        var vector = VersionVector()
        for origin in 1...300 as ClosedRange<UInt64> {
            vector[WriterID(bits: origin)] = 1 << 48
        }
        let later = HybridTime(milliseconds: present.milliseconds + 60_000)
        cluster.turn("n1", [heartbeat(vector, closedTimestamp: later)] + inputs)
        #expect(cluster["n1"].counters.dropped == 200 + 1_095)
        #expect(cluster.status(of: "n1").queues.waitingBatches == 10_000)
        cluster.send(.put(id: 2, path: list, value: 1), to: "n2")
        cluster.quiesce()
        #expect(cluster["n1"].value == ["list": 1])
    }

    @Test func `keeps nothing waiting that rests on too much`() {
        var cluster = TestCluster(2, versions: 1...1)
        for count in [100, 101] as [UInt64] {
            var dependencies = VersionVector()
            var shown = VersionVector()
            shown[WriterID(bits: count)] = 1
            for origin in 1...count { dependencies[WriterID(bits: 1_000 + origin)] = 1 }
            let waiting = Batch(
                origin: WriterID(bits: count), first: 1, wallMilliseconds: 0,
                dependencies: dependencies,
                operations: [
                    Operation(
                        stamp: Stamp(time: present, writer: WriterID(bits: count)),
                        writes: [Write(path: list, value: 1)])
                ])
            let told = heartbeat(
                shown,
                closedTimestamp: HybridTime(milliseconds: present.milliseconds + 60_000 + count))
            let frame = PeerMessage.batch(BatchCoding.encode(waiting)).frame
            cluster.turn("n1", [told, .published(frame)])
        }
        #expect(cluster["n1"].counters.dropped == 1)
    }

    @Test func `ends if another process has continued its log`() {
        var cluster = TestCluster(2)
        cluster.send(.put(id: 1, path: list, value: 1), to: "n2")
        let writer = cluster["n2"].writer
        cluster.turn("n1", [batch(of: writer, from: 2, at: present)])
        #expect(cluster["n1"].vector[writer] == 2)
        cluster.quiesce()
        #expect(cluster.refusals["n2"]?.contains("more operations of this process") == true)
    }

    @Test func `remembers a bounded number of evictions, only of members`() throws {
        var cluster = TestCluster(2, versions: 1...1)
        let unknownPeers = [Eviction(member: "\u{19}ody", writer: WriterID(bits: 1))]
        let time = HybridTime(milliseconds: present.milliseconds + 60_000)
        cluster.turn(
            "n1", [heartbeat(VersionVector(), closedTimestamp: time, evictions: unknownPeers)])
        #expect(try evictions(at: cluster.disks["n1"]) == [])
        for (number, count) in [600, 1_000, 1_000].enumerated() {
            let incarnations = (1..<count).map(UInt64.init) + [UInt64(count + number)]
            let evictions = incarnations.map {
                Eviction(member: "n2", writer: WriterID(bits: $0 + 10_000), stage: .out)
            }
            let time = HybridTime(milliseconds: time.milliseconds + UInt64(number) + 1)
            cluster.turn(
                "n1", [heartbeat(VersionVector(), closedTimestamp: time, evictions: evictions)])
        }
        #expect(try evictions(at: cluster.disks["n1"]).count == 1_000)
        cluster.send(.evict(id: 1, member: "n2"), to: "n1")
        guard case .error(1, .unavailable, _, _) = cluster.takeReplies().last else {
            Issue.record("expected a refusal")
            return
        }
        cluster.send(.status(id: 2), to: "n1")
        guard case .value(2, _) = cluster.takeReplies().last else {
            Issue.record("no status")
            return
        }
    }

    @Test func `refuses a node with another protocol version, with the reason`() {
        for newest in [1, 3] as [UInt64] {
            var cluster = TestCluster(2)
            cluster.crash("n2")
            cluster.start("n2")
            let hello = Hello(
                cluster: "test", member: "n2", writer: cluster["n2"].writer, endpoint: "",
                members: [.init("n1", at: ""), .init("n2", at: "")], oldestVersion: newest,
                newestVersion: newest)
            var frame = PeerMessage.hello(hello).frame
            frame[0] = 3
            cluster.turn("n1", [.asked(frame, by: "n2")])
            #expect(cluster["n1"].counters.malformedFrames == 0)
            #expect((cluster.refusals["n2"] != nil) == (newest == 3))
            frame = PeerMessage.requestHeartbeat.frame
            frame[0] = 3
            cluster.turn("n1", [.asked(frame, by: "n2")])
            #expect(cluster["n1"].counters.malformedFrames == 1)
        }
    }

    @Test func `answers no unknownPeer`() {
        var cluster = TestCluster(2)
        let want = PeerMessage.requestBatches(
            member: "n2", origin: cluster["n1"].writer, from: 1, through: 9)
        cluster.turn("n1", [.asked(want.frame, by: "nobody")])
        #expect(cluster["n1"].counters.unknownPeers == 1)
    }
}

/// Requests of few bytes that a client repeats.
@Suite struct `A replica with a greedy client` {
    private let list = Universe.path("list")

    private func ask(_ messages: [ClientMessage]) -> Input {
        var frame = FrameWriter()
        for message in messages { frame.append(message) }
        return .requested(frame.bytes, by: SessionID(number: 1))
    }

    /// Runs a turn with requests, and further ones until all requests are served; returns each turn's replies.
    private func serve(_ messages: [ClientMessage], in cluster: inout TestCluster)
        -> [[NodeMessage]]
    {
        cluster.turn("n1", [ask(messages)])
        var replies = [cluster.takeReplies()]
        while cluster["n1"].hasDueWork {
            cluster.turn("n1", [])
            replies.append(cluster.takeReplies())
        }
        return replies
    }

    @Test func `receives some megabytes in each turn`() {
        var cluster = TestCluster(1)
        let text = Value.string(String(repeating: "x", count: 1 << 20))
        cluster.send(.put(id: 1, path: list, value: text), to: "n1")
        _ = cluster.takeReplies()
        let replies = serve((1...50).map { .get(id: $0, path: list) }, in: &cluster)
        #expect(replies.allSatisfy { (1...16).contains($0.count) })
        #expect(replies.flatMap(\.self) == (1...50).map { .value(id: $0, value: text) })
    }

    @Test func `is greeted some times in each turn`() {
        var cluster = TestCluster(1)
        let hellos = (1...60_000).map { ClientMessage.hello(id: $0, seen: VersionVector()) }
        let replies = serve(hellos, in: &cluster)
        #expect(replies.allSatisfy { $0.count < 6_000 })
        let greetings = replies.joined().count { if case .ready = $0 { true } else { false } }
        #expect(greetings == 60_000)
    }

    @Test func `writes one backup at a time`() throws {
        var cluster = TestCluster(1)
        cluster.turn("n1", [ask((1...3).map { .backup(id: $0, name: "monday") })])
        let busy = cluster.takeReplies()
        #expect(busy.count == 2)
        guard case .error(2, .unavailable, _, _) = busy.first else {
            Issue.record("a second backup was begun")
            return
        }
        let client = SessionID(number: 1)
        cluster.turn("n1", [.backedUp(.success("monday.sqlite"), id: 1, for: client)])
        #expect(cluster.takeReplies() == [.value(id: 1, value: .string("monday.sqlite"))])
        cluster.turn("n1", [ask([.backup(id: 4, name: "tuesday")])])
        #expect(cluster.takeReplies().isEmpty, "it is under way")
    }

    @Test func `has a limit of listens`() {
        var cluster = TestCluster(1)
        let replies = serve((1...10_001).map { .listen(id: $0, path: list) }, in: &cluster)
        guard case .error(10_001, .tooBig, _, _) = replies.last?.last else {
            Issue.record("the last listen was not refused")
            return
        }
        cluster.turn("n1", [.closed(SessionID(number: 1))])
    }

    // The limit counts the time in which other tests have all threads, too: it is minutes where this takes a second.
    @Test(.timeLimit(.minutes(5)))
    func `may remove a list with a priority child by child`() {
        var cluster = TestCluster(1)
        let keys = (0..<20_000).map { Key(unchecked: "k\($0)") }
        var children = Children()
        for key in keys { children[key] = 1 }
        let whole = Value(children).prioritized(7)
        cluster.send(.put(id: 1, path: list, value: whole), to: "n1")
        let writes = keys.map { Write(path: Path([$0]), value: .null) }
        cluster.send(.merge(id: 2, path: list, writes: writes), to: "n1")
        while cluster["n1"].hasDueWork { cluster.turn("n1", []) }
        #expect(cluster.takeReplies().last == .ok(id: 2))
        #expect(cluster["n1"].value == .null)
    }
}
