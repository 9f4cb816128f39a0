import SyncProtocol
import Testing

@testable import ReplicaCore

@Suite struct PeersTests {
    private func peers() -> Peers {
        var peers = Peers(members: ["n3", "n2"], of: "n1", own: 1)
        for member in ["n2", "n3"] { peers.greet(member, version: 1) }
        return peers
    }

    @Test func `heartbeats become known, late, or those of a new incarnation`() {
        var peers = peers()
        let table: [(Heartbeat, Peers.Reception, writers: [WriterID])] = [
            (.of("n2", 2, at: 100), .newWriter, [1, 2]),
            (.of("n2", 2, at: 100), .known, [1, 2]),
            (.of("n2", 2, at: 99), .late, [1, 2]),
            (.of("n9", 9), .unknownPeer, [1, 2]),
            // Another incarnation needs a later time: incarnations are ordered by time.
            (.of("n2", 4, at: 100), .late, [1, 2]),
            (.of("n2", 4, at: 101), .newWriter, [1, 4]),
            (.of("n3", 3, at: 1), .newWriter, [1, 3, 4]),
        ]
        for (heartbeat, expected, writers) in table {
            #expect(peers.receive(heartbeat, at: 10) == expected)
            #expect(peers.writers == writers)
        }
        #expect(peers.all.map(\.member) == ["n2", "n3"])
    }

    @Test func `a member is live for two seconds, or until it says goodbye`() {
        var peers = peers()
        _ = peers.receive(.of("n2", 2), at: 1_000)
        #expect([2_999, 3_000].map { peers.liveCount(at: $0) } == [1, 0])
        #expect(peers.silentMembers(at: 2_999) == ["n3"])
        peers.leave("n2", 5)
        #expect(peers.liveCount(at: 1_001) == 1, "an earlier incarnation has left")
        peers.leave("n2", 2)
        #expect(peers.liveCount(at: 1_001) == 0)
    }

    @Test func `time is stable as far as all members have closed it and their operations are here`()
    {
        var peers = peers()
        let writers: [WriterID] = [1, 2, 3]
        func receive(_ heartbeat: Heartbeat, holding vector: VersionVector) -> HybridTime? {
            _ = peers.receive(heartbeat, at: 10)
            peers.advanceStability(holding: vector)
            return peers.stableTime(own: 90)
        }
        #expect(receive(.of("n2", 2, at: 1, closed: 50, writers: writers), holding: [:]) == nil)
        #expect(peers.notStable(through: 50) == ["n2", "n3"])
        let third = Heartbeat.of("n3", 3, at: 1, holding: [3: 4], closed: 70, writers: writers)
        #expect(receive(third, holding: [3: 3]) == nil, "an operation of n3 is missing")
        #expect(receive(third, holding: [3: 4]) == 50)
        #expect(peers.notStable(through: 60) == ["n2"])
        let second = Heartbeat.of("n2", 2, at: 2, closed: 95, writers: [1, 2])
        #expect(receive(second, holding: [3: 4]) == 50, "what it has not agreed on does not count")
        #expect(receive(.of("n2", 2, at: 3, closed: 95, writers: writers), holding: [3: 4]) == 70)
        #expect(receive(.of("n3", 3, at: 2, closed: 99, writers: writers), holding: [3: 4]) == 90)
        peers.resetStability()
        #expect(peers.stableTime(own: 90) == nil)
    }

    @Test func `of a closed writer only shown operations are accepted`() {
        var peers = peers()
        _ = peers.receive(.of("n2", 2, holding: [7: 3]), at: 10)
        let table: [(WriterID, UInt64, Bool)] = [(2, 9, true), (7, 3, true), (7, 4, false)]
        for (origin, sequence, isTaken) in table {
            #expect(peers.mayTake(origin, through: sequence) == isTaken)
        }
        #expect(peers.holdings(of: 7, own: 5) == [5, 3, 0])
        #expect(peers.holdings(of: 7, own: 2) == [2, 2, 0])
    }

    @Test func `a vote counts against the incarnation that a member may still be in`() {
        // Of n2 this node knows an incarnation, of n3 none; n9 is no member.
        let table: [(Eviction, isRecorded: Bool)] = [
            (Eviction(member: "n2", writer: 2), true), (Eviction(member: "n2", writer: 9), false),
            (Eviction(member: "n3", writer: 9), true), (Eviction(member: "n9", writer: 9), false),
        ]
        for (vote, isRecorded) in table {
            var peers = peers()
            _ = peers.receive(.of("n2", 2), at: 10)
            peers.want(vote)
            #expect(peers.evictions.stage(of: vote) == (isRecorded ? .wanted : nil), "\(vote)")
        }
    }

    @Test func `a vote is dropped once the incarnation that it is against has ended`() {
        var peers = peers()
        _ = peers.receive(.of("n2", 2, at: 10), at: 10)
        peers.want(Eviction(member: "n2", writer: 2))
        _ = peers.evictions.takeChange()
        _ = peers.receive(.of("n2", 2, at: 20), at: 20)
        #expect(peers.evictions.takeChange() == nil)
        _ = peers.receive(.of("n2", 4, at: 30), at: 30)
        #expect(peers.evictions.votes == [])
        #expect(peers.evictions.takeChange() == [], "what is on disk would be counted again")
        peers.want(Eviction(member: "n3", writer: 3))
        _ = peers.receive(.of("n2", 5, at: 40), at: 40)
        #expect(peers.evictions.votes == [Eviction(member: "n3", writer: 3)])
        peers.evictions.noteRemoval(of: "n3")
        #expect(peers.evictions.votes == [], "it is no member any more")
    }

    @Test func `of votes that exclude each other, the one against the first name stays`() {
        let votes = [Eviction(member: "n3", writer: 3), Eviction(member: "n4", writer: 4)]
        for (own, heard) in [(votes[1], votes[0]), (votes[0], votes[1])] {
            var peers = Peers(members: ["n2", "n3", "n4"], of: "n1", own: 1)
            peers.want(own)
            peers.want(heard)
            #expect(peers.evictions.votes == [own], "an operator is refused")
            peers.follow(.of("n2", 2, evictions: [heard]))
            #expect(peers.evictions.votes == [votes[0]])
            // A decision of the majority needs no further vote.
            peers.follow(.of("n2", 2, evictions: [Eviction(member: "n4", writer: 4, stage: .out)]))
            #expect(peers.evictions.stage(of: votes[1]) == .out)
        }
        // Five can spare two: of three votes, the one against the last name goes.
        var peers = Peers(members: ["n2", "n3", "n4", "n5"], of: "n1", own: 1)
        peers.want(Eviction(member: "n5", writer: 5))
        peers.want(votes[1])
        peers.follow(.of("n2", 2, evictions: [votes[0]]))
        #expect(peers.evictions.votes == votes)
    }

    @Test func `most members vote an incarnation out, and no half can`() {
        var peers = peers()
        _ = peers.receive(.of("n3", 3), at: 10)
        let vote = Eviction(member: "n3", writer: 3)
        #expect(!peers.canVoteOut("n3", at: 10), "n2 is silent")
        peers.want(vote)
        #expect(peers.closeEvicted() == false, "one vote of three")
        #expect(peers.evictions.votes == [vote])
        _ = peers.receive(.of("n2", 2, evictions: [vote]), at: 10)
        #expect(peers.canVoteOut("n3", at: 10))
        #expect(peers.closeEvicted() == true)
        #expect(peers.remaining.map(\.member) == ["n2"])
        #expect(peers.writers == [1, 2])
        #expect(!peers.canSpare("n2"), "half of the members would be out")
        // A heartbeat of the incarnation that is out says nothing any more; one of the next says that it is back.
        #expect(peers.receive(.of("n3", 3, at: 9_000), at: 20) == .evicted)
        let known = Eviction(member: "n3", writer: 3, stage: .out)
        #expect(peers.receive(.of("n3", 5, at: 9_000, evictions: [known]), at: 20) == .newWriter)
        #expect(peers.evictions.stage(of: vote) == .back)
        #expect(peers.remaining.map(\.member) == ["n2", "n3"])
    }
}
