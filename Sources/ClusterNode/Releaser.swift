internal import Convergence
internal import Threads

/// A thread that frees large parts of the tree once nothing else refers to them, so that the loop serves clients meanwhile.
final class Releaser {
    private struct Queue: Sendable {
        var parts = DroppedParts()
        var isClosed = false
    }

    /// How often the thread looks at parts to which something else refers, such as an answer that is still being sent.
    private static let interval = Duration.milliseconds(200)

    private let queue = Monitor(Queue())
    private let thread: SystemThread?

    init() {
        thread = SystemThread { [queue] in
            var parts = DroppedParts()
            while let added = Releaser.next(of: queue, isIdle: parts.isEmpty) {
                parts.append(added)
                parts.freeUnshared()
            }
        }
    }

    /// Frees parts, at once if the system has refused a thread.
    func free(_ parts: consuming DroppedParts) {
        guard thread != nil else { return }
        queue.withLock { $0.parts.append(parts) }
        queue.signal()
    }

    /// Ends the thread once it has freed what it frees at the moment.
    func close() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
        thread?.join()
    }

    /// Waits for parts, an idle thread as long as it takes; returns nil once the queue is closed.
    private static func next(of queue: Monitor<Queue>, isIdle: Bool) -> DroppedParts? {
        let take: (inout Queue) -> DroppedParts?? = { queue in
            if queue.isClosed { return .some(nil) }
            if queue.parts.isEmpty { return nil }
            defer { queue.parts = DroppedParts() }
            return queue.parts
        }
        if isIdle { return queue.wait(for: take) }
        return queue.wait(upTo: interval, for: take) ?? DroppedParts()
    }
}
