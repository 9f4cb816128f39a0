public import DataTree
import SyncProtocol

/// The statuses of the other nodes, as they have answered requests for them.
///
/// Pages of the console show them: a browser may not reach all nodes, and the node of the page does.
struct PeerStatuses {
    /// Peers are asked so often at most.
    private static let intervalMilliseconds: UInt64 = 900
    /// An older answer says nothing about the present.
    private static let ageLimitMilliseconds: UInt64 = 3_000

    private var answers: [String: (status: Value, milliseconds: UInt64)] = [:]
    private var dueMilliseconds: UInt64 = 0

    /// Records the answer of a peer.
    mutating func record(_ status: Value, of member: String, at milliseconds: UInt64) {
        answers[member] = (status, milliseconds)
    }

    /// The statuses that are not too old, ascending by name.
    func present(at milliseconds: UInt64) -> [PeerStatus] {
        answers.sorted { $0.key < $1.key }.compactMap { member, answer in
            let age = milliseconds - min(milliseconds, answer.milliseconds)
            guard age <= PeerStatuses.ageLimitMilliseconds else { return nil }
            return PeerStatus(member: member, status: answer.status, ageMilliseconds: age)
        }
    }

    /// Whether to ask the peers; then the next request is due later.
    mutating func takeDue(at milliseconds: UInt64) -> Bool {
        guard milliseconds >= dueMilliseconds else { return false }
        dueMilliseconds = milliseconds + PeerStatuses.intervalMilliseconds
        return true
    }
}

/// The status of another node.
public struct PeerStatus: Equatable, Sendable {
    /// The node.
    public let member: String
    /// A `NodeStatus`, which another version of Hearth may have made.
    public let status: Value
    /// The time since the answer came.
    public let ageMilliseconds: UInt64
}

extension Replica {
    /// Returns the present statuses of the other nodes, and requests the next ones. Nodes of version 0.4 are not asked.
    public mutating func observePeers() -> [PeerStatus] {
        let time = now.elapsedMilliseconds
        if peerStatuses.takeDue(at: time) {
            let frame = PeerMessage.requestStatus(member: configuration.member).frame
            for peer in replication.peers.all
            where peer.disk.isStated && replication.peers.isLive(peer, at: time) {
                replication.turn.immediate.append(.ask(peer.member, frame))
            }
        }
        return peerStatuses.present(at: time)
    }

    /// Answers the request of a peer. Locations of indexes are for administrators, and so are left out.
    mutating func sendStatus(to member: String) {
        var status = status
        status.clients.queries.indexes = []
        let message = PeerMessage.status(member: configuration.member, status: status.value)
        replication.turn.immediate.append(.answer(member, message.frame))
    }

    mutating func receive(status: Value, from member: String) {
        guard configuration.peers.contains(member), !status.containsDeferred else {
            replication.counters.malformedFrames += 1
            return
        }
        peerStatuses.record(status, of: member, at: now.elapsedMilliseconds)
    }
}
