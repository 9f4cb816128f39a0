import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct RepairTests {
    private func peers(_ heartbeats: [Heartbeat], at milliseconds: UInt64 = 100) -> Peers {
        var peers = Peers(members: ["n2", "n3"], of: "n1", own: 1)
        for heartbeat in heartbeats { _ = peers.receive(heartbeat, at: milliseconds) }
        return peers
    }

    private func requests(
        _ repair: inout Repair, holding vector: VersionVector, _ peers: Peers,
        behind buffer: ReorderBuffer = ReorderBuffer(within: ReplicaLimits()),
        at milliseconds: UInt64 = 100
    ) -> [Repair.Request] {
        repair.requests(holding: vector, reorderBuffer: buffer, peers: peers, at: milliseconds)
    }

    @Test func `missing operations that heartbeats show are requested from a holder`() {
        var repair = Repair(within: ReplicaLimits())
        let peers = peers([.of("n2", 2, holding: [2: 5]), .of("n3", 3, holding: [2: 9, 3: 1])])
        #expect(
            requests(&repair, holding: [2: 2], peers) == [
                .init(member: "n2", origin: 2, from: 3, through: 9),
                .init(member: "n3", origin: 3, from: 1, through: 1),
            ])
        #expect(requests(&repair, holding: [2: 9, 3: 1], peers) == [])
    }

    @Test func `only the gap before a batch that waits is requested`() {
        var repair = Repair(within: ReplicaLimits())
        var buffer = ReorderBuffer(within: ReplicaLimits())
        _ = buffer.insert(.of(2, first: 5), [0], after: [:])
        let peers = peers([.of("n2", 2, holding: [2: 5])])
        #expect(
            requests(&repair, holding: [2: 2], peers, behind: buffer) == [
                .init(member: "n2", origin: 2, from: 3, through: 4)
            ])
        // The next batch is here, and waits for what it depends on.
        #expect(requests(&repair, holding: [2: 4], peers, behind: buffer, at: 1_000) == [])
    }

    @Test func `a request is repeated to another holder, and at once after a useful answer`() {
        var repair = Repair(within: ReplicaLimits())
        let peers = peers([.of("n2", 2, holding: [9: 8]), .of("n3", 3, holding: [9: 8])])
        // The time, the previous answer, and the node that is asked.
        let table: [(UInt64, wasUseful: Bool?, asked: String?)] = [
            (100, nil, "n2"), (200, nil, nil), (600, nil, "n3"), (601, true, "n3"),
            (602, false, nil), (1_101, nil, "n2"),
        ]
        for (milliseconds, wasUseful, asked) in table {
            if let wasUseful { repair.answered(9, wasUseful: wasUseful) }
            let found = requests(&repair, holding: [:], peers, at: milliseconds)
            #expect(found.first?.member == asked, "at \(milliseconds)")
        }
    }

    @Test func `the member with the last useful answer is asked first if it has the operations`() {
        var repair = Repair(within: ReplicaLimits())
        let last = peers([.of("n2", 2, holding: [9: 8]), .of("n3", 3, holding: [9: 8])])
        _ = requests(&repair, holding: [:], last)
        _ = requests(&repair, holding: [:], last, at: 600)
        repair.answered(9, wasUseful: true)
        #expect(requests(&repair, holding: [9: 8], last, at: 610) == [])
        let next = peers([.of("n2", 2, holding: [9: 9]), .of("n3", 3, holding: [9: 9])])
        #expect(requests(&repair, holding: [9: 8], next, at: 620).first?.member == "n3")
        #expect(requests(&repair, holding: [9: 8], next, at: 1_120).first?.member == "n2")
        let other = peers([.of("n2", 2, holding: [8: 1])])
        #expect(requests(&repair, holding: [:], other, at: 1_200).first?.member == "n2")
    }

    @Test func `a member that is silent is asked once no live one answers`() {
        var repair = Repair(within: ReplicaLimits())
        var peers = peers([.of("n2", 2, holding: [2: 5])])
        #expect(requests(&repair, holding: [:], peers, at: 2_100) == [])
        #expect(requests(&repair, holding: [:], peers, at: 2_099).count == 1)
        _ = peers.receive(.of("n3", 3, holding: [2: 7]), at: 2_100)
        let asked = [2_600, 3_100, 3_600].map {
            requests(&repair, holding: [:], peers, at: $0).first?.member
        }
        #expect(asked == ["n2", "n3", "n2"])
    }

    @Test func `an answer of which a batch only waits is useful`() {
        let cluster = TestCluster(2)
        var replica = cluster["n1"]
        let writer = cluster["n2"].writer
        func asked(after input: Input) -> [PeerMessage] {
            [input, .turnEnded].flatMap { replica.step($0) }.compactMap { output in
                guard case .ask("n2", let frame) = output,
                    case .message(let message)? =
                        try? FrameReader<PeerMessage>.messages(in: frame).first
                else { return nil }
                return message
            }
        }
        func request(through last: UInt64) -> PeerMessage {
            .requestBatches(member: "n1", origin: writer, from: 1, through: last)
        }
        let heartbeat = Heartbeat.of(
            "n2", writer, at: HybridTime(milliseconds: 1_700_000_010_000), holding: [writer: 5])
        let batch = BatchCoding.encode(.of(writer, first: 3))
        let answer = PeerMessage.batches(origin: writer, batches: [batch])
        #expect(
            asked(after: .published(PeerMessage.heartbeat(heartbeat).frame)) == [
                request(through: 5)
            ])
        // The rest is requested at once.
        #expect(asked(after: .answered(answer.frame, from: "n2")) == [request(through: 2)])
        // The same answer again is useless: its operations wait already.
        #expect(asked(after: .answered(answer.frame, from: "n2")) == [])
    }

    @Test func `one turn asks for so much that its frames fit into a queue`() {
        var repair = Repair(within: ReplicaLimits())
        var vector = VersionVector()
        for number in 0..<500 { vector[WriterID(bits: UInt64(number + 10))] = 1 }
        let peers = peers([.of("n2", 2, holding: vector)])
        #expect(requests(&repair, holding: [:], peers).count == ReplicaLimits().repairRequests)
    }
}
