internal import Glibc
internal import Synchronization

/// Hands jobs from any thread to one that waits for them, in order.
final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var jobs: [Job] = []
        var unfinished = 0
        var isClosed = false
        var isSignalled = false
    }

    private let state = Mutex(State())
    private let wakeup = Semaphore()

    /// The number of jobs added and not yet finished.
    var unfinished: Int { state.withLock { $0.unfinished } }

    /// Adds a job; returns false when the queue is closed, and then leaves it out.
    func add(_ job: Job) -> Bool {
        change { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            state.unfinished += 1
            return true
        }
    }

    /// Takes no more jobs; those that wait are still handed out.
    func close() {
        change { $0.isClosed = true }
    }

    func finish(_ count: Int) {
        state.withLock { $0.unfinished -= count }
    }

    /// Waits for jobs and takes all there are; nil when the queue is closed and empty.
    func take() -> [Job]? {
        while true {
            let (jobs, isClosed) = state.withLock { state in
                defer {
                    state.jobs = []
                    state.isSignalled = false
                }
                return (state.jobs, state.isClosed)
            }
            if !jobs.isEmpty { return jobs }
            if isClosed { return nil }
            wakeup.wait()
        }
    }

    /// Only the first change since the last `take` pays for a wake-up.
    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wakes) = state.withLock { state in
            let result = body(&state)
            defer { state.isSignalled = true }
            return (result, !state.isSignalled)
        }
        if wakes { wakeup.signal() }
        return result
    }
}

/// Unchecked because the system's semaphore is made to be used by several threads.
private final class Semaphore: @unchecked Sendable {
    private let handle = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(handle, 0, 0)
    }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    func signal() {
        sem_post(handle)
    }

    /// Returns after a signal, or early for none: the caller looks again.
    func wait() {
        sem_wait(handle)
    }
}
