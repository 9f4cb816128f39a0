internal import CEventLoop
internal import CLibrary
internal import Threads

/// Holds what other threads gave the loop to do, in order, and wakes the loop for it.
///
/// Only the first job of a turn pays for a wake-up: until the loop takes the jobs, later ones find
/// it already signalled.
final class Inbox: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Waiting {
        var jobs: [Job] = []
        var isSignalled = false
    }

    private let waiting = Monitor(Waiting())
    /// Becomes readable when there are jobs to take.
    let descriptor: Int32

    init() throws(EventLoopError) {
        descriptor = hearth_wakeup_new()
        guard descriptor >= 0 else { throw .noRoom }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func add(_ job: @escaping Job) {
        let wakes = waiting.withLock { waiting in
            waiting.jobs.append(job)
            let wasSignalled = waiting.isSignalled
            waiting.isSignalled = true
            return !wasSignalled
        }
        if wakes { hearth_wakeup_signal(descriptor) }
    }

    /// Runs the jobs that wait now; jobs that these add wait for the next turn.
    func runWaiting() {
        // Cleared before the jobs are taken: a job added in between is among those taken.
        hearth_wakeup_clear(descriptor)
        let jobs = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting.jobs
        }
        for job in jobs { job() }
    }
}
