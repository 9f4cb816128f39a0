internal import CZeroMQ

/// Owns the threads that move the bytes of its sockets; one per process is enough.
///
/// Sockets keep their context alive. They discard what is not yet sent when they close, unless
/// their `linger` says otherwise, so that releasing a context never waits for a dead peer.
///
/// `@unchecked` because ZeroMQ's contexts are made to be shared by threads.
public final class Context: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer

    /// Starts a context; one thread moves about a gigabyte a second.
    public init(ioThreads: Int = 1) {
        precondition(ioThreads > 0, "a context has at least one thread, got \(ioThreads)")
        guard let handle = zmq_ctx_new() else {
            preconditionFailure("ZeroMQ has no memory for a context: error \(zmq_errno())")
        }
        zmq_ctx_set(handle, ZMQ_IO_THREADS, Int32(ioThreads))
        zmq_ctx_set(handle, ZMQ_BLOCKY, 0)
        self.handle = handle
    }

    deinit {
        zmq_ctx_term(handle)
    }
}
