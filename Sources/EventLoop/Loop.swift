/// Runs callbacks on one thread, in turns: waits until descriptors, timers, signals or posted jobs
/// are ready, runs the callbacks of all that are, and then ends the turn.
///
///     let loop = try Loop()
///     let heartbeat = try loop.timer(every: .milliseconds(250)) { node.tick() }
///     loop.atEndOfTurn = { node.commitTurn() }
///     loop.run()
///
/// Everything belongs to the thread that calls `run()`, except `post(_:)`, `stop()`, a mailbox's
/// `post(_:)` and the clocks, which are for any thread. While the loop does not run, it belongs to the
/// thread that has the reference, one thread at a time. A call from a wrong thread during `run()` traps.
///
/// Creating a loop makes the process ignore SIGPIPE, which a peer that hangs up would raise.
///
/// `@unchecked` because its state is confined to that one thread; `Inbox` guards what is not.
public final class Loop: @unchecked Sendable {
    /// Runs after every turn, once all that was ready has run: the place to commit the turn.
    ///
    /// The closure lives as long as the loop: capture the loop's owner unowned.
    public var atEndOfTurn: () -> Void = {} {
        willSet { base.checkThread() }
    }

    let base: EventBase
    private let inbox: Inbox
    private let inboxWatcher: Watcher
    private var isStopping = false

    /// Makes a loop that watches nothing yet.
    ///
    /// - Throws: when the process has no file descriptors left.
    public init() throws(EventLoopError) {
        let base = try EventBase()
        let inbox = try Inbox()
        self.base = base
        self.inbox = inbox
        inboxWatcher = try Watcher.ofLevel(inbox.descriptor, in: base) { inbox.runWaiting() }
    }

    /// Runs turns on the calling thread until `stop()`.
    public func run() {
        base.run {
            while !isStopping {
                base.turn()
                atEndOfTurn()
            }
            isStopping = false
        }
    }

    /// Runs `job` on the loop's thread, after all posted before it. For any thread.
    public func post(_ job: @escaping @Sendable () -> Void) {
        inbox.add(job)
    }

    /// Makes a way for other threads to hand values to `handler`, which runs on the loop's thread.
    public func mailbox<Message>(
        handler: @escaping (Message) -> Void
    ) -> Mailbox<Message> where Message: Sendable {
        base.checkThread()
        return Mailbox(on: self, handler: handler)
    }

    /// Makes `run()` return at the end of the turn in which all jobs posted so far have run. For
    /// any thread.
    ///
    /// A loop that is not running returns from its next `run()` after one turn.
    public func stop() {
        post { [weak self] in self?.isStopping = true }
    }
}
