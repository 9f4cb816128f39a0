import DataTree
import Marks
import Store
import SyncProtocol

// The eviction of a member that does not return.
//
// A node that receives the request to evict a member, or another node's vote, stores its own vote for the end of
// that member's incarnation. Heartbeats announce it. The votes of more than half of all members decide the
// eviction, and each node that knows this announces it. The writer is then closed, and no node waits for the
// member. Source: `convergence.md`, section 6.

extension Replication {
    /// Votes for the end of a member's incarnation.
    mutating func evict(_ member: String) throws(RequestFailure) {
        guard let peer = peers.all.first(where: { $0.member == member }) else {
            throw RequestFailure(
                .invalid, "\(configuration.member) has no peer \(member)",
                fix: "check the name, or use another node")
        }
        if peers.isOut(peer) { return }
        guard peers.canSpare(member) else {
            throw RequestFailure(
                .unavailable,
                "without \(member), half of the \(peers.all.count + 1) nodes or more would be evicted",
                fix: "wait until the evicted nodes have rejoined")
        }
        guard peers.canVoteOut(member, at: now.elapsedMilliseconds) else {
            throw noMajority(against: member)
        }
        guard let writer = peer.heartbeat?.writer ?? peer.disk.memory?.writer else {
            throw RequestFailure(
                .unavailable,
                "\(configuration.member) has never had contact with \(member)",
                fix: "use another node, or remove \(member) from the list "
                    + "of nodes")
        }
        guard peers.evictions.hasRoom else {
            throw RequestFailure(
                .unavailable, "this cluster remembers \(Eviction.limit) evictions and has no room",
                fix: "restore a backup as a new cluster, which remembers none")
        }
        peers.want(Eviction(member: member, writer: writer))
        closeEvicted()
    }

    /// Why this node refuses to vote: the vote could not take effect now, and might take effect when it is no
    /// longer wanted.
    private func noMajority(against member: String) -> RequestFailure {
        sometimes(.evictionLacksMajority)
        let others = peers.voters(against: member, at: now.elapsedMilliseconds).map(\.member)
        let reached = others.isEmpty ? "no other node" : "only " + others.joined(separator: ", ")
        return RequestFailure(
            .unavailable,
            "\(configuration.member) cannot evict \(member): more than half of the "
                + "\(peers.all.count + 1) nodes must vote for it, and \(configuration.member) "
                + "reaches \(reached)",
            fix: "start more nodes, or use a node that reaches more of them")
    }

    /// Learns a member's knowledge of evictions.
    mutating func follow(_ heartbeat: Heartbeat) {
        // One that knows the same may bring the vote that is missing.
        let isNews = heartbeat.evictions != peers.evictions.all
        guard isNews || !peers.evictions.votes.isEmpty else { return }
        peers.follow(heartbeat)
        closeEvicted()
    }

    /// Closes the writers of members that are now evicted.
    private mutating func closeEvicted() {
        if peers.closeEvicted() {
            sometimes(.evictionIsDecided)
            dropClosed()
        }
    }

    /// Stores what this turn has learnt of evictions.
    mutating func storeEvictions() {
        guard let evictions = peers.evictions.takeChange() else { return }
        var writer = MessagePackWriter()
        writer.append(evictions)
        turn.properties.append(Property(.evictions, bytes: writer.bytes))
    }
}
