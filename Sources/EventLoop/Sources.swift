internal import CEventLoop
internal import CLibrary

/// Is a signal by which the system or a user speaks to the process.
public enum Signal: Sendable {
    /// SIGHUP: the terminal is gone, or the configuration has changed.
    case hangup
    /// SIGINT: Ctrl-C.
    case interrupt
    /// SIGTERM: please stop.
    case terminate

    var number: Int32 {
        switch self {
        case .hangup: SIGHUP
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        }
    }
}

extension Loop {
    /// Calls back in every turn in which `descriptor` has something to read.
    ///
    /// - Throws: when the descriptor is closed, or a plain file.
    public func watch(
        _ descriptor: Int32, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try .ofLevel(descriptor, in: base, callback: callback)
    }

    /// Calls back in every turn in which `descriptor` has room for something to write: to be watched only while
    /// something waits for that.
    ///
    /// - Throws: when the descriptor is closed, or a plain file.
    public func watchWritable(
        _ descriptor: Int32, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try Watcher(of: "descriptor \(descriptor)", in: base, callback: callback) {
            base, run, context in
            hearth_event_on_writable(base, descriptor, run, context)
        }
    }

    /// Calls back in every turn in which the other end of a connection has closed it, whatever can be read before that.
    ///
    /// - Throws: when the descriptor is closed, or a plain file.
    public func watchEnd(
        of descriptor: Int32, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try Watcher(of: "descriptor \(descriptor)", in: base, callback: callback) {
            base, run, context in
            hearth_event_on_end(base, descriptor, run, context)
        }
    }

    /// Calls back when something more to read arrives at `descriptor`, and not again until more
    /// does: a callback that leaves bytes unread has to call `Watcher.activate()`.
    ///
    /// The descriptor of a ZeroMQ socket is to be watched so.
    ///
    /// - Throws: when the descriptor is closed, or a plain file.
    public func watchEdges(
        of descriptor: Int32, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try Watcher(of: "descriptor \(descriptor)", in: base, callback: callback) {
            base, run, context in
            hearth_event_on_edge(base, descriptor, run, context)
        }
    }

    /// Calls back once, after `delay`.
    ///
    /// Timers keep time to some 5 ms, and fire early as well as late by that much.
    public func timer(
        after delay: Duration, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try Watcher(of: "a timer", in: base, callback: callback) { base, run, context in
            hearth_event_after(base, delay.microseconds, run, context)
        }
    }

    /// Calls back each `period`, first when one has passed; a late call delays none after it.
    public func timer(
        every period: Duration, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        precondition(period > .zero, "the period of a timer is positive, got \(period)")
        return try Watcher(of: "a timer", in: base, callback: callback) { base, run, context in
            hearth_event_every(base, period.microseconds, run, context)
        }
    }

    /// Calls back in the turn after the process was sent `signal`, in place of what the signal does
    /// otherwise.
    ///
    /// One loop of a process may watch signals at a time.
    public func watch(
        _ signal: Signal, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try Watcher(of: "signal \(signal)", in: base, callback: callback) { base, run, context in
            hearth_event_on_signal(base, signal.number, run, context)
        }
    }
}

extension Watcher {
    static func ofLevel(
        _ descriptor: Int32, in base: EventBase, callback: @escaping () -> Void
    ) throws(EventLoopError) -> Watcher {
        try Watcher(of: "descriptor \(descriptor)", in: base, callback: callback) {
            base, run, context in
            hearth_event_on_level(base, descriptor, run, context)
        }
    }
}

extension Duration {
    /// The whole microseconds, at least zero: a time that has passed is due at once.
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
