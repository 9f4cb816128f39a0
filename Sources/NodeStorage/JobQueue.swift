internal import Threads

/// Passes jobs from any thread to the one that waits for them, in order.
final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var jobs: [Job] = []
        var unfinished = 0
        var isClosed = false
    }

    private let state = Monitor(State())

    /// The number of jobs added and not yet finished.
    var unfinished: Int { state.withLock { $0.unfinished } }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds a job; a closed queue ignores it and returns false.
    func add(_ job: Job) -> Bool {
        let isAdded = state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            state.unfinished += 1
            return true
        }
        state.signal()
        return isAdded
    }

    /// Accepts no more jobs; those that wait are still passed on.
    func close() {
        state.withLock { $0.isClosed = true }
        state.signal()
    }

    /// Counts jobs that were taken as done.
    func finish(_ count: Int) {
        state.withLock { $0.unfinished -= count }
    }

    /// Waits for jobs and returns all that wait: none once the queue is closed and empty.
    ///
    /// - Parameter isWaiting: Whether an empty queue makes the caller wait.
    func removeAll(waiting isWaiting: Bool = true) -> [Job] {
        state.wait { state in
            guard state.isClosed || !isWaiting || !state.jobs.isEmpty else { return nil }
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}
