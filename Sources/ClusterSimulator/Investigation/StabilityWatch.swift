import ReplicaCore
import SyncProtocol

/// Finds out at which moment a stamp became stable at a node, and which heartbeats made it so.
struct StabilityWatch {
    private struct Heard {
        var heartbeat: Heartbeat
        var time: Microseconds
    }

    private let stamp: Stamp
    private let node: Int
    /// By member: the first heartbeat that closes the stamp, and the last one before.
    private var closing: [String: Heard] = [:]
    private var last: [String: Heard] = [:]
    private var since: Microseconds?

    /// Watches a stamp at a node, counted from 0.
    init(of stamp: Stamp, at node: Int) {
        self.stamp = stamp
        self.node = node
    }

    /// An event was executed.
    mutating func observe(_ event: Event, in run: SimulatedRun) {
        switch event {
        case .published(let frame) where frame.to == node: read(frame.bytes, at: run.now)
        case .answered(let frame) where frame.to == node: read(frame.bytes, at: run.now)
        case .turn(node, _):
            guard let replica = run.nodes[node].replica else { return }
            // Another process, or one with another checkpoint, may know less.
            if replica.stableTime < stamp.time {
                since = nil
            } else if since == nil {
                since = run.now
            }
        default: break
        }
    }

    private mutating func read(_ frame: [UInt8], at now: Microseconds) {
        let messages = (try? FrameReader<PeerMessage>.messages(in: frame)) ?? []
        for case .message(.heartbeat(let heartbeat)) in messages {
            let heard = Heard(heartbeat: heartbeat, time: now)
            last[heartbeat.member] = heard
            if heartbeat.closedTimestamp >= stamp.time, closing[heartbeat.member] == nil {
                closing[heartbeat.member] = heard
            }
        }
    }

    /// The lines for a run that is over.
    func lines(_ run: SimulatedRun) -> [String] {
        guard let replica = run.nodes[node].replica else { return [] }
        let head =
            since.map { "\(stamp) is stable at \(node.nodeName) since \($0.description)" }
            ?? "\(stamp) is not stable at \(node.nodeName): its stable time is "
            + "\(replica.stableTime.milliseconds), and that stamp's \(stamp.time.milliseconds)"
        let peers = run.nodes.filter { $0.index != node && $0.belongs }.map { line(of: $0.name) }
        return [head + ":"] + (peers + agreement).map { "    " + $0 }
    }

    private func line(of member: String) -> String {
        if let heard = closing[member] {
            return "\(member) closed it by its heartbeat of \(heard.time.description): closed "
                + "timestamp \(heard.heartbeat.closedTimestamp.milliseconds), holds "
                + heard.heartbeat.vector.line
        }
        guard let heard = last[member] else { return "\(member) was never heard" }
        return "\(member) has not closed it: its last heartbeat is of \(heard.time.description), "
            + "closed timestamp \(heard.heartbeat.closedTimestamp.milliseconds)"
    }

    /// Which writers and evictions the heartbeats name that closed the stamp.
    private var agreement: [String] {
        let heard = closing.isEmpty ? last : closing
        let agreements = heard.sorted { $0.key < $1.key }.map { member, heard in
            let evicted = heard.heartbeat.evictions.filter { $0.stage == .out }.map(\.member)
            return "\(member) names the writers "
                + heard.heartbeat.writers.map(\.description).joined(separator: " ")
                + (evicted.isEmpty ? "" : " and the evicted " + evicted.joined(separator: " "))
        }
        return agreements
    }
}
