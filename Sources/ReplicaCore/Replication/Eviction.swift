import DataTree
import SyncProtocol

// How a cluster goes on without a member that is gone.
//
// Each node that is asked, or hears that another one wants it, notes durably that it wants an incarnation of a
// member to be over; heartbeats tell. Where more than half of all members want it, it is so, and who knows that
// tells it: the writer is closed and the member is not waited for. Source: `convergence.md`, section 6.

extension Replica {
    mutating func evict(_ member: String, _ id: UInt64, _ session: SessionID) {
        guard let peer = peers.all.first(where: { $0.member == member }) else {
            return refuse(
                .invalid, "\(configuration.member) has no peer \(member)",
                fix: "ask another node for it, or look at the name", id, session)
        }
        if rejoin != nil { return refuseWhileRejoining(id, session) }
        if peers.isOut(peer) { return outbox.append(.ok(id: id), to: session) }
        guard peers.canSpare(member) else {
            return refuse(
                .unavailable,
                "without \(member), half of the \(peers.all.count + 1) nodes or more would be out",
                fix: "wait until those that are out, or are to be, are back", id, session)
        }
        guard peers.canVoteOut(member, at: now.elapsedMilliseconds) else {
            return refuseWithoutMajority(against: member, id, session)
        }
        guard let writer = peer.heartbeat?.writer else {
            return refuse(
                .unavailable, "\(configuration.member) has not heard \(member) since it started",
                fix: "ask a node that has been running for longer, or take \(member) off the list "
                    + "of nodes", id, session)
        }
        guard peers.evictions.hasRoom else {
            return refuse(
                .unavailable, "this cluster remembers \(Eviction.limit) evictions and has no room",
                fix: "restore a backup as a new cluster, which remembers none", id, session)
        }
        peers.want(Eviction(member: member, writer: writer))
        noteEvictions()
        outbox.append(.ok(id: id), to: session)
    }

    /// Refuses a vote that could not take effect now, and might when nobody wants it any more.
    private mutating func refuseWithoutMajority(
        against member: String, _ id: UInt64, _ session: SessionID
    ) {
        let others = peers.voters(against: member, at: now.elapsedMilliseconds).map(\.member)
        let reached = others.isEmpty ? "no other node" : "only " + others.joined(separator: ", ")
        refuse(
            .unavailable,
            "\(configuration.member) cannot evict \(member): more than half of the "
                + "\(peers.all.count + 1) nodes must vote for it, and \(configuration.member) "
                + "reaches \(reached)",
            fix: "start more nodes, or ask a node that reaches more of them", id, session)
    }

    /// Follows what a member tells of evictions.
    mutating func follow(_ heartbeat: Heartbeat) {
        guard heartbeat.evictions != peers.evictions.all else { return }
        peers.follow(heartbeat)
        noteEvictions()
        noteEnd(peers.evictions.news(in: heartbeat.evictions))
    }

    /// Closes the writers that are out by now.
    private mutating func noteEvictions() {
        if peers.closeEvicted() { dropClosed() }
    }

    /// Keeps on disk what this turn has learnt.
    mutating func storeEvictions() {
        guard let evictions = peers.evictions.takeChange() else { return }
        var writer = MessagePackWriter()
        writer.append(evictions)
        turn.properties.append(Property(.evictions, bytes: writer.bytes))
    }
}
