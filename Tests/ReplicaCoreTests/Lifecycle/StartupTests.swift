import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct StartupTests {
    private let own: WriterID = 1

    /// The knowledge of n1 about n2 and n3 at one time.
    private func situation(
        at milliseconds: UInt64, heartbeats: [Heartbeat], greeted: [String] = [],
        holding vector: VersionVector = [:], onDisk durable: VersionVector = [9: 1],
        isTransferring: Bool = false
    ) -> Startup.Situation {
        var peers = Peers(members: ["n2", "n3"], of: "n1", own: own)
        for heartbeat in heartbeats { _ = peers.receive(heartbeat, at: milliseconds) }
        for member in greeted { peers.greet(member, version: 1) }
        return .init(
            milliseconds: milliseconds, writer: own, vector: vector, durable: durable,
            peers: peers, isTransferring: isTransferring)
    }

    private func heartbeats(
        _ members: [String], knowing writers: [WriterID] = [], holding vector: VersionVector = [:]
    ) -> [Heartbeat] {
        members.map {
            .of($0, WriterID(bits: UInt64($0.utf8.last!)), holding: vector, writers: writers)
        }
    }

    @Test(
        arguments: [
            // Peers in contact, peers that have welcomed this replica, time since the start; whether it serves.
            (["n2", "n3"], ["n2", "n3"], 0, true), (["n2", "n3"], ["n2"], 0, false),
            (["n2", "n3"], ["n2"], 1_500, true), (["n2"], [], 1_499, false),
            (["n2"], [], 1_500, true),
            ([], [], 1_500, true),
        ] as [([String], [String], UInt64, Bool)])
    func `with its data a replica serves once it knows its peers, or after a while`(
        heard: [String], greeted: [String], milliseconds: UInt64, serves: Bool
    ) {
        var startup = Startup(disk: .whole)
        #expect(startup.isReceiving)
        _ = startup.advance(situation(at: 100, heartbeats: []))
        let later = situation(
            at: 100 + milliseconds, heartbeats: heartbeats(heard), greeted: greeted)
        #expect((startup.advance(later) == .ready) == serves)
    }

    @Test func `a replica that wakes serves once it holds what its peers announced first`() {
        let both = ["n2", "n3"]
        let ahead = heartbeats(both, holding: [9: 5])
        let table: [(UInt64, VersionVector, serves: Bool)] = [
            (0, [9: 1], false), (1_499, [9: 1], false), (1_499, [9: 5], true),
            // No operation has arrived for a while: no live member may have it.
            (1_500, [9: 1], true),
        ]
        for (milliseconds, held, serves) in table {
            var startup = Startup(disk: .whole, waking: .init(awayMembers: []))
            _ = startup.advance(
                situation(at: 0, heartbeats: ahead, greeted: both, holding: [9: 1]))
            let later = situation(
                at: milliseconds, heartbeats: ahead, greeted: both, holding: held)
            #expect((startup.advance(later) == .ready) == serves)
        }
    }

    @Test func `a replica that wakes does not wait for members that its node does not reach`() {
        var startup = Startup(disk: .whole, waking: .init(awayMembers: ["n3"]))
        #expect(startup.advance(situation(at: 0, heartbeats: [], greeted: [])) == .waiting)
        let heard = situation(at: 10, heartbeats: heartbeats(["n2"]), greeted: ["n2"])
        #expect(startup.advance(heard) == .ready)
        var lost = Startup(disk: .empty, waking: .init(awayMembers: ["n3"]))
        #expect(lost.advance(heard) == .waiting)
    }

    @Test func `without data it serves when peers know it, and it holds their operations`() {
        var startup = Startup(disk: .empty)
        let both = ["n2", "n3"]
        let target: VersionVector = [9: 5]
        let unknown = heartbeats(both, holding: target)
        let known = heartbeats(both, knowing: [own], holding: target)
        let table: [(UInt64, [Heartbeat], VersionVector, isReceiving: Bool, serves: Bool)] = [
            (0, [], [:], false, false), (10, unknown, [:], true, false),
            (20, unknown, [9: 5], true, false), (30, known, [9: 4], true, false),
            (40, known, [9: 5], true, true),
        ]
        for (milliseconds, heartbeats, vector, isReceiving, serves) in table {
            let situation = situation(
                at: milliseconds, heartbeats: heartbeats, greeted: both, holding: vector)
            #expect((startup.advance(situation) == .ready) == serves, "at \(milliseconds)")
            #expect(startup.isReceiving == isReceiving, "at \(milliseconds)")
        }
    }

    @Test func `without data and peers it waits for ever, and for missing operations a while`() {
        var startup = Startup(disk: .empty)
        #expect(startup.advance(situation(at: 0, heartbeats: [])) == .waiting)
        #expect(startup.advance(situation(at: 100_000, heartbeats: [])) == .waiting)
        let known = heartbeats(["n2"], knowing: [own], holding: [9: 5])
        // When, what it holds, whether a checkpoint comes: each step forward gives it more time.
        let table: [(UInt64, VersionVector, isTransferring: Bool, serves: Bool)] = [
            (100_010, [:], false, false), (101_000, [9: 1], false, false),
            (102_499, [9: 1], false, false), (102_499, [9: 1], true, false),
            (103_998, [9: 1], false, false), (103_999, [9: 1], false, true),
        ]
        for (milliseconds, vector, isTransferring, serves) in table {
            let situation = situation(
                at: milliseconds, heartbeats: known, greeted: ["n2"], holding: vector,
                isTransferring: isTransferring)
            #expect((startup.advance(situation) == .ready) == serves, "at \(milliseconds)")
        }
    }

    @Test func `an emptied disk is filled first, if a peer is present`() {
        let both = ["n2", "n3"]
        let target = heartbeats(both, knowing: [own], holding: [9: 5])
        var startup = Startup(disk: .whole)
        let table: [(VersionVector, serves: Bool)] = [
            ([:], false), ([9: 4], false), ([9: 5], true),
        ]
        for (vector, serves) in table {
            let situation = situation(
                at: 0, heartbeats: target, greeted: both, holding: vector, onDisk: [:])
            #expect((startup.advance(situation) == .ready) == serves)
        }
        var alone = Startup(disk: .whole)
        #expect(alone.advance(situation(at: 0, heartbeats: [], onDisk: [:])) == .waiting)
        #expect(alone.advance(situation(at: 1_500, heartbeats: [], onDisk: [:])) == .ready)
    }

    // MARK: Old disks

    /// A peer's memory of this replica's member: whether it knows a predecessor, and has a whole disk itself.
    private struct Answer {
        var member: String
        var hasServed = true
        var isWhole = true
    }

    /// The knowledge of n1 about peers that have answered its statement and know its writer.
    private func situation(
        of count: Int = 3, answers: [Answer], holding vector: VersionVector = [:],
        shown: VersionVector = [:], at milliseconds: UInt64 = 0
    ) -> Startup.Situation {
        var peers = Peers(members: (2...count).map { "n\($0)" }, of: "n1", own: own)
        let heard = heartbeats(answers.map(\.member), knowing: [own], holding: shown)
        let statement = DiskStatement(member: "n1", writer: own, floor: .zero, isWhole: false)
        for (answer, heartbeat) in zip(answers, heard) {
            peers.greet(answer.member, version: 2)
            _ = peers.receive(heartbeat, at: milliseconds)
            let memory = DiskMemory(
                member: answer.member, writer: heartbeat.writer, answering: statement,
                predecessor: nil, sequence: 0, closed: .zero, stable: .zero,
                hasServed: answer.hasServed, isWhole: answer.isWhole)
            _ = peers.changeDisk(of: answer.member) { $0.record(memory) }
        }
        return .init(
            milliseconds: milliseconds, writer: own, vector: vector, durable: vector, peers: peers,
            isTransferring: false)
    }

    @Test(
        arguments: [
            (3, 1, 0, false), (3, 2, 0, true), (4, 1, 0, false), (4, 2, 0, true), (5, 2, 0, false),
            (5, 3, 0, true), (5, 1, 2, false), (5, 0, 4, true), (3, 0, 2, true), (3, 0, 1, false),
        ] as [(Int, Int, Int, Bool)])
    func `an old disk waits for whole ones that meet every majority, or for all`(
        count: Int, whole: Int, others: Int, serves: Bool
    ) {
        let answers = (0..<whole + others).map { Answer(member: "n\($0 + 2)", isWhole: $0 < whole) }
        var startup = Startup(disk: .old)
        let situation = situation(of: count, answers: answers)
        #expect(startup.advance(situation) == (serves ? .ready : .waiting))
        #expect(startup.awaited.count == count - 1 - whole - others)
    }

    @Test func `an empty disk is a new one until a peer remembers the member`() {
        var new = Startup(disk: .empty)
        let stranger = situation(answers: [Answer(member: "n2", hasServed: false)])
        #expect(new.advance(stranger) == .waiting)
        let later = situation(
            answers: [Answer(member: "n2", hasServed: false)],
            at: Startup.patienceMilliseconds)
        #expect(new.advance(later) == .ready)
        var lost = Startup(disk: .empty)
        for milliseconds in [0, 100_000] as [UInt64] {
            let known = situation(answers: [Answer(member: "n2")], at: milliseconds)
            #expect(lost.advance(known) == .waiting)
            #expect(lost.awaited == ["n3"])
            #expect(!lost.isReceiving)
        }
    }

    @Test func `an old disk with operations that no peer holds must rejoin`() {
        let both = [Answer(member: "n2"), Answer(member: "n3")]
        var startup = Startup(disk: .old)
        let first = situation(answers: both, holding: [9: 2, own: 3], shown: [9: 1])
        #expect(startup.advance(first) == .waiting)
        #expect(!startup.isReceiving && !startup.announcesHoldings)
        var other = startup
        let later = situation(
            answers: both, holding: [9: 2], shown: [9: 1], at: Startup.patienceMilliseconds)
        #expect(startup.advance(later) == .mustRejoin)
        // A heartbeat comes late.
        #expect(other.advance(situation(answers: both, holding: [9: 2], shown: [9: 2])) == .ready)
    }

    @Test func `nodes on old disks alone announce what they hold once all have met`() {
        var startup = Startup(disk: .old)
        let others = [Answer(member: "n2", isWhole: false), Answer(member: "n3", isWhole: false)]
        #expect(startup.advance(situation(answers: others, holding: [9: 2])) == .ready)
        #expect(startup.announcesHoldings)
    }
}
