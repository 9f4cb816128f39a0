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

    public init(_ state: State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
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
}
