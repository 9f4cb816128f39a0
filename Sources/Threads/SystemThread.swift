internal import CLibrary
internal import Synchronization

/// Is one thread of the operating system, for work that blocks: it borrows no thread of Swift's
/// own pool.
///
/// A thread that is released without `join()` runs on to its end by itself.
public final class SystemThread: Sendable {
    private let handle: pthread_t
    private let isJoined = Atomic(false)

    /// Starts a thread that runs `body` once.
    ///
    /// `body` may own values that are not `Sendable`: the caller gives them up. Returns nil when
    /// the system has no room for another thread.
    public init?(running body: sending @escaping () -> Void) {
        let start = Unmanaged.passRetained(Start(body))
        var handle = pthread_t()
        let refusal = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        guard refusal == 0 else {
            start.release()
            return nil
        }
        self.handle = handle
    }

    deinit {
        if marksJoined() { pthread_detach(handle) }
    }

    /// Waits until the thread has ended; from the second call on, returns at once.
    ///
    /// Must not be called by the thread itself.
    public func join() {
        precondition(pthread_equal(handle, pthread_self()) == 0, "a thread cannot join itself")
        if marksJoined() { pthread_join(handle, nil) }
    }

    /// Whether this call is the first: the system takes back a thread's handle only once.
    private func marksJoined() -> Bool {
        !isJoined.exchange(true, ordering: .acquiringAndReleasing)
    }
}

/// Carries the body from the creating thread to the new one.
private final class Start {
    let body: () -> Void

    init(_ body: @escaping () -> Void) {
        self.body = body
    }
}
