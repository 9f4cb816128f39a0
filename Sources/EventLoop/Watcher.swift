internal import CEventLoop

/// Calls back when a descriptor, a timer or a signal is ready, until it is cancelled or released.
///
/// Keep it as long as the callback is wanted. It belongs to the loop's thread, its release too.
public final class Watcher {
    private let base: EventBase
    private var event: OpaquePointer?
    private var callback: () -> Void
    private var isActivated = false

    /// Creates libevent's event of one kind, from its base, the C callback and that one's context.
    typealias Arm = (OpaquePointer, hearth_event_callback, UnsafeMutableRawPointer) ->
        OpaquePointer?

    init(
        of subject: @autoclosure () -> String, in base: EventBase,
        callback: @escaping () -> Void, arm: Arm
    ) throws(EventLoopError) {
        self.base = base
        self.callback = callback
        base.checkThread()
        event = arm(base.pointer, runWatcher, Unmanaged.passUnretained(self).toOpaque())
        guard event != nil else { throw .cannotWatch(subject()) }
    }

    deinit {
        cancel()
    }

    /// Runs the callback again in the next turn, whether or not its source is ready; more calls
    /// before that turn change nothing.
    ///
    /// For a callback that stopped early, and for an edge that something else may have used up.
    public func activate() {
        base.checkThread()
        guard event != nil, !isActivated else { return }
        isActivated = true
        base.activate(self)
    }

    /// Ends the watch and releases what the callback captured; allowed within the callback.
    public func cancel() {
        base.checkThread()
        guard let event else { return }
        hearth_event_free(event)
        self.event = nil
        callback = {}
    }

    func runActivated() {
        isActivated = false
        callback()
    }

    fileprivate func runReady() {
        callback()
    }
}

/// Is what libevent calls; `context` is a watcher, alive because its release frees the event.
private func runWatcher(source: Int32, flags: Int16, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<Watcher>.fromOpaque(context).takeUnretainedValue().runReady()
}
