internal import CEventLoop
internal import CLibrary

/// Owns libevent's base, which must outlive every watcher made from it, and knows which thread it
/// runs on.
final class EventBase {
    let pointer: OpaquePointer
    /// The watchers to run in the next turn, whether or not their source is ready. References are weak: a
    /// watcher that is released before then does not run.
    private var activated: [Activated] = []
    private var thread: pthread_t?

    init() throws(EventLoopError) {
        guard let pointer = hearth_base_new() else { throw .noRoom }
        self.pointer = pointer
    }

    deinit {
        hearth_base_free(pointer)
    }

    /// Claims the base for the current thread while `body` runs.
    func run(_ body: () -> Void) {
        precondition(thread == nil, "an event loop runs once at a time")
        thread = pthread_self()
        body()
        thread = nil
    }

    func checkThread() {
        guard let thread else { return }
        precondition(
            pthread_equal(thread, pthread_self()) != 0,
            "a running event loop is used from its own thread only; other threads post to it")
    }

    func activate(_ watcher: Watcher) {
        activated.append(Activated(watcher: watcher))
    }

    /// Runs the callbacks of all that is ready, waiting for the first unless some were activated.
    func turn() {
        let due = activated
        activated = []
        let outcome =
            due.isEmpty ? hearth_base_turn_waiting(pointer) : hearth_base_turn_at_once(pointer)
        precondition(outcome >= 0, "the event loop cannot wait for events: error \(errno)")
        for activated in due { activated.watcher?.runActivated() }
    }
}

private struct Activated {
    weak var watcher: Watcher?
}
