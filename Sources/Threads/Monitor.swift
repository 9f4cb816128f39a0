internal import CLibrary

/// Guards a state that several threads change, and lets them wait for each other's changes.
///
/// Stands on the system's mutex and condition, which the thread sanitizer understands: a contended
/// `Synchronization.Mutex` is locked inside the standard library, out of its sight, and is reported
/// as a race.
///
/// `@unchecked` because `state` is touched only while `mutex` is held.
public final class Monitor<State: Sendable>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            // Waits with a limit go by the monotonic clock.
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` while no other thread has the state.
    public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Wakes one thread in `wait(for:)`, if there is any, to look at the state again.
    public func signal() {
        pthread_cond_signal(condition)
    }

    /// Runs `body` as `withLock(_:)` does, now and after each signal, until it returns a result.
    public func wait<Result>(for body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// The same, with a time limit; returns nil when the limit has passed.
    public func wait<Result>(
        upTo limit: Duration, for body: (inout State) -> Result?
    ) -> Result? {
        let deadline = ContinuousClock.now + limit
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { return nil }
            awaitSignal(upTo: rest)
        }
    }

    private func awaitSignal(upTo limit: Duration) {
        #if canImport(Darwin)
            var limit = timespec(limit)
            pthread_cond_timedwait_relative_np(condition, mutex, &limit)
        #else
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            var end = timespec(.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) + limit)
            pthread_cond_timedwait(condition, mutex, &end)
        #endif
    }
}

extension timespec {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
