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
        for member in greeted { peers.greet(member) }
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
        var startup = Startup(hasRecovered: true)
        #expect(startup.isReceiving)
        _ = startup.advance(situation(at: 100, heartbeats: []))
        let later = situation(
            at: 100 + milliseconds, heartbeats: heartbeats(heard), greeted: greeted)
        #expect(startup.advance(later) == serves)
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
            var startup = Startup(hasRecovered: true, waking: .init(awayMembers: []))
            _ = startup.advance(
                situation(at: 0, heartbeats: ahead, greeted: both, holding: [9: 1]))
            let later = situation(
                at: milliseconds, heartbeats: ahead, greeted: both, holding: held)
            #expect(startup.advance(later) == serves)
        }
    }

    @Test func `a replica that wakes does not wait for members that its node does not reach`() {
        var startup = Startup(hasRecovered: true, waking: .init(awayMembers: ["n3"]))
        #expect(startup.advance(situation(at: 0, heartbeats: [], greeted: [])) == false)
        let heard = situation(at: 10, heartbeats: heartbeats(["n2"]), greeted: ["n2"])
        #expect(startup.advance(heard) == true)
        var lost = Startup(hasRecovered: false, waking: .init(awayMembers: ["n3"]))
        #expect(lost.advance(heard) == false)
    }

    @Test func `without data it serves when peers know it, and it holds their operations`() {
        var startup = Startup(hasRecovered: false)
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
            #expect(startup.advance(situation) == serves, "at \(milliseconds)")
            #expect(startup.isReceiving == isReceiving, "at \(milliseconds)")
        }
    }

    @Test func `without data and peers it waits for ever, and for missing operations a while`() {
        var startup = Startup(hasRecovered: false)
        #expect(startup.advance(situation(at: 0, heartbeats: [])) == false)
        #expect(startup.advance(situation(at: 100_000, heartbeats: [])) == false)
        let known = heartbeats(["n2"], knowing: [own], holding: [9: 5])
        // When, what it holds, whether a checkpoint comes: each step forward gives it more time.
        let table: [(UInt64, VersionVector, isTransferring: Bool, serves: Bool)] = [
            (100_010, [:], false, false), (101_000, [9: 1], false, false),
            (102_499, [9: 1], false, false), (102_499, [9: 1], true, false),
            (103_998, [9: 1], false, false), (103_999, [9: 1], false, true),
        ]
        for (milliseconds, vector, isTransferring, serves) in table {
            let situation = situation(
                at: milliseconds, heartbeats: known, holding: vector, isTransferring: isTransferring
            )
            #expect(startup.advance(situation) == serves, "at \(milliseconds)")
        }
    }

    @Test func `an emptied disk is filled first, if a peer is present`() {
        let both = ["n2", "n3"]
        let target = heartbeats(both, knowing: [own], holding: [9: 5])
        var startup = Startup(hasRecovered: true)
        let table: [(VersionVector, serves: Bool)] = [
            ([:], false), ([9: 4], false), ([9: 5], true),
        ]
        for (vector, serves) in table {
            let situation = situation(
                at: 0, heartbeats: target, greeted: both, holding: vector, onDisk: [:])
            #expect(startup.advance(situation) == serves)
        }
        var alone = Startup(hasRecovered: true)
        #expect(alone.advance(situation(at: 0, heartbeats: [], onDisk: [:])) == false)
        #expect(alone.advance(situation(at: 1_500, heartbeats: [], onDisk: [:])) == true)
    }
}
