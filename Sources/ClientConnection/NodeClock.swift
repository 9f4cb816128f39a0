internal import EventLoop
internal import Synchronization

/// The node's wall clock, as far as it is known; for any thread.
final class NodeClock: Sendable {
    private let aheadMilliseconds = Atomic<Int64>(0)

    /// Milliseconds since 1970.
    var milliseconds: UInt64 {
        let own = Int64(Loop.wallClockMilliseconds)
        return UInt64(max(0, own + aheadMilliseconds.load(ordering: .relaxed)))
    }

    /// Sets how far it is ahead of this machine's clock.
    func set(aheadMilliseconds: Int64) {
        self.aheadMilliseconds.store(aheadMilliseconds, ordering: .relaxed)
    }
}
