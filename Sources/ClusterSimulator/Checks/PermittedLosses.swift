import ReplicaCore
import SyncProtocol

/// The acknowledged operations that may be missing: at some time no node may have held them, since disks were lost or
/// crashed unsynced.
///
/// A node holds an operation from the time at which its disk had it, or at which the node acknowledged
/// it, until it loses what it had then.
struct PermittedLosses {
    /// Losses, in the order of their ends.
    private let losses: [Loss]
    /// The vectors of each disk, ascending.
    private let durable: [[Recording.Holding]]

    init(_ recording: Recording, losses: [Loss], crashes: [UnsyncedEnd]) {
        durable = recording.durable
        let crashes = crashes.compactMap { crash in
            crash.unsyncedSince.map {
                Loss(node: crash.node, since: $0, until: crash.time, kind: .dataAlone)
            }
        }
        self.losses = (losses + crashes).sorted { $0.until < $1.until }
    }

    /// Whether all nodes may have lost an acknowledged operation.
    func mayBeLost(_ operation: ClientOperation) -> Bool {
        guard let node = operation.node, let completed = operation.completed,
            let last = losses.last, last.until >= completed
        else { return false }
        let moments = moments(of: operation) + [(node, completed)]
        return losses.contains { loss in
            loss.until >= completed
                && !moments.contains { isHeld(by: $0.node, since: $0.time, at: loss.until) }
        }
    }

    /// Whether all nodes may have lost an operation after `count` of them had it on their disks.
    func mayBeLost(_ dot: Dot, heldBy count: Int) -> Bool {
        let moments = moments { $0.covers(dot) }.sorted { $0.time < $1.time }
        guard moments.count >= count else { return false }
        let held = moments[count - 1].time
        return losses.contains { loss in
            loss.until >= held
                && !moments.contains { isHeld(by: $0.node, since: $0.time, at: loss.until) }
        }
    }

    /// Whether a node that held something at one time still holds it at another.
    private func isHeld(by node: Int, since time: Microseconds, at end: Microseconds) -> Bool {
        time <= end
            && !losses.contains {
                $0.node == node && $0.since <= time && time <= $0.until && $0.until <= end
            }
    }

    /// When each node's disk held a write, or all that a read showed: first, and again after each loss.
    private func moments(of operation: ClientOperation) -> [(node: Int, time: Microseconds)] {
        guard let serving = operation.acknowledged else { return [] }
        if operation.isRead { return moments { $0.covers(serving.vector) } }
        guard let dot = serving.dot else { return [] }
        return moments { $0.covers(dot) }
    }

    private func moments(
        where holds: (VersionVector) -> Bool
    ) -> [(node: Int, time: Microseconds)] {
        var moments: [(node: Int, time: Microseconds)] = []
        for (node, holdings) in durable.enumerated() {
            var rest = holdings[...]
            for loss in losses where loss.node == node {
                let next = rest.split { $0.time >= loss.until }
                moments += first(in: next.before, by: node, where: holds)
                rest = next.after
            }
            moments += first(in: rest, by: node, where: holds)
        }
        return moments
    }

    private func first(
        in holdings: ArraySlice<Recording.Holding>, by node: Int,
        where holds: (VersionVector) -> Bool
    ) -> [(node: Int, time: Microseconds)] {
        holdings.split { holds($0.vector) }.after.prefix(1).map { (node, $0.time) }
    }
}

extension ClusterSettings {
    /// How long a process may have run since it acknowledged an operation that a crash loses; nil if none is lost.
    var unsyncedWindow: Microseconds? {
        switch durability {
        case .commit: nil
        case .interval: .milliseconds(1_100) + sync.longest
        case .memory: .max
        }
    }
}
