internal import ClientCore
package import Dispatch
internal import Synchronization

/// Calls the application back, in order, on a queue of its choice: all of a turn at once.
package final class Callbacks: Sendable {
    /// The number of calls that may wait for the application before the connection stops reading from the node.
    private static let limit = 100_000

    private let target: Mutex<DispatchQueue>
    private let failure = Mutex<HearthError?>(nil)
    private let expiry = Mutex<(@Sendable () -> Void)?>(nil)
    private let waitingCount = Atomic<Int>(0)

    package init(on queue: DispatchQueue) { target = Mutex(queue) }

    var queue: DispatchQueue {
        get { target.withLock { $0 } }
        set { target.withLock { $0 = newValue } }
    }

    /// Why persistence has failed; nil while it works.
    var persistenceFailure: HearthError? {
        get { failure.withLock { $0 } }
        set { failure.withLock { $0 = newValue } }
    }

    /// The block to call when a token has expired.
    package var tokenExpired: (@Sendable () -> Void)? {
        get { expiry.withLock { $0 } }
        set { expiry.withLock { $0 = newValue } }
    }

    /// Whether the application is far behind.
    var isFull: Bool { waitingCount.load(ordering: .relaxed) > Callbacks.limit }

    package func addWaiting(_ count: Int) { waitingCount.add(count, ordering: .relaxed) }

    package func removeWaiting(_ count: Int) { waitingCount.subtract(count, ordering: .relaxed) }

    func run(_ calls: [@Sendable () -> Void]) {
        if calls.isEmpty { return }
        addWaiting(calls.count)
        queue.async { [self] in
            for call in calls {
                call()
                removeWaiting(1)
            }
        }
    }
}
