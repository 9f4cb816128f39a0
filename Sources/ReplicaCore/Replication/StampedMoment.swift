import Marks
import SyncProtocol

/// When a client has made a write: the stamp under which it is done once, and the time of its server timestamps.
///
/// The two are separate. A stamp exceeds all that its client has seen, and so may be ahead of every clock after a failover or
/// beside a node with a wrong clock. The time comes from the wall clock of the client's node, and rules see it as `now`.
struct StampedMoment: Sendable {
    /// Nil if the node stamps the write.
    var stamp: Stamp?
    /// In milliseconds; nil if the node's clock decides.
    var now: UInt64?
}

extension Replication {
    /// How much older than the retry window a time may be: closed timestamps follow the clock that far behind.
    private static let slackMilliseconds: UInt64 = 1_000

    /// Why a write may not have this time; nil if it may.
    ///
    /// Rules never see a time that this node's clock has not reached, so that no client gets ahead of a deadline. They see one
    /// that has passed for as long as a client may still send what it stamped then.
    func problem(withNow time: UInt64, at node: String) -> String? {
        let wall = now.wallMilliseconds
        let window = configuration.retryWindowMilliseconds + Replication.slackMilliseconds
        if time > wall {
            sometimes(.serverTimeIsAhead)
        } else if time + window < wall {
            sometimes(.serverTimeIsOld)
        } else {
            return nil
        }
        return
            "its server timestamps have the time \(time) ms, but the clock of \(node) shows \(wall) ms"
    }
}

extension [Write] {
    /// The writes with one time in place of every server timestamp; the same writes without a time.
    func resolvingTimestamps(at milliseconds: UInt64?) -> [Write] {
        guard let milliseconds else { return self }
        return map { $0.resolvingTimestamps(at: milliseconds) }
    }
}
