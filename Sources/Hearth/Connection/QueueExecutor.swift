internal import Dispatch
internal import Synchronization

/// Runs blocks without an actor of their own on a queue, which may change.
final class QueueExecutor: TaskExecutor {
    private let target: Mutex<DispatchQueue>

    init(_ queue: DispatchQueue) { target = Mutex(queue) }

    var queue: DispatchQueue {
        get { target.withLock { $0 } }
        set { target.withLock { $0 = newValue } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
