import Marks
import SyncProtocol

// The state that a client saves for the application's next process, and restores from the previous
// one.

extension Client {
    /// Queues the writes that an earlier process has left behind; their outcomes are not reported.
    mutating func restore(_ writes: [KeptWrite]) {
        for kept in writes.sorted(by: { $0.number < $1.number }) {
            guard let restored = persistence.restore(kept) else { continue }
            sometimes(.keptWriteIsRestored)
            let id = RequestID(number: 1 << 63 | kept.number)
            let request = Request(id, restored.work)
            write(request, record: kept.number, stamp: restored.stamp, time: restored.now)
        }
    }

    /// Takes the value that an earlier process kept of a listen, unless a node has sent one already.
    mutating func recall(_ frame: [UInt8]?, at key: String) {
        guard let (value, listen) = persistence.receive(frame, at: key),
            subscriptions.contains(listen), tree.heldValue(for: listen) == nil
        else { return }
        apply(tree.receive([(.root, value)], for: listen))
    }

    /// Keeps the values of listens that changed since the last time, at most once a second.
    mutating func keepValues() {
        guard configuration.isPersistent, persistence.isDue(at: now) else { return }
        keepAllValues()
        persistence.rest(from: now)
    }

    mutating func keepAllValues() {
        for listen in subscriptions.takeTold() {
            guard let value = tree.heldValue(for: listen) else { continue }
            persistence.keep(value, of: listen)
        }
    }
}
