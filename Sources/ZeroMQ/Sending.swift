internal import CLibrary
internal import CZeroMQ

/// The outcome of a send.
public enum SendOutcome: Equatable, Sendable {
    /// ZeroMQ has taken the message, which may still get lost.
    case sent
    /// Not sent: every peer it could go to has its queue full, or there is no peer.
    case wouldBlock
    /// Not sent: the router knows no peer of that name. Only with `reportUnroutable()`.
    case unroutable
}

/// A message is sent as a whole or not at all, and never blocks. The frames are copied, which up to
/// some 10 KB is cheaper than sharing them with ZeroMQ's threads.
///
/// If an event loop watches the socket, activate the watcher after a send outside its callback.
extension Socket {
    /// Sends a message of one frame.
    @discardableResult
    public func send(_ frame: [UInt8]) -> SendOutcome {
        frame.withUnsafeBytes { send($0) }
    }

    /// Sends a message of one frame.
    @discardableResult
    public func send(_ frame: UnsafeRawBufferPointer) -> SendOutcome {
        outcome(of: trySend(frame, flags: ZMQ_DONTWAIT))
    }

    /// Sends a message of at least one frame.
    @discardableResult
    public func send(_ frames: [[UInt8]]) -> SendOutcome {
        sendFrames(count: frames.count) { index, flags in
            frames[index].withUnsafeBytes { trySend($0, flags: flags) }
        }
    }

    /// Sends a message of at least one frame.
    @discardableResult
    public func send(_ frames: [UnsafeRawBufferPointer]) -> SendOutcome {
        sendFrames(count: frames.count) { index, flags in trySend(frames[index], flags: flags) }
    }

    /// Sends all frames once the first is accepted, even if a later one is refused. Its peer has
    /// gone then, and ZeroMQ drops everything up to the last frame of the message. If sending
    /// stopped in between, the next message would become the tail of this one.
    private func sendFrames(
        count: Int, trySend: (_ index: Int, _ flags: Int32) -> Int32
    ) -> SendOutcome {
        precondition(count > 0, "a message has at least one frame")
        var result = SendOutcome.sent
        for index in 0..<count {
            let flags = index < count - 1 ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
            let outcome = outcome(of: trySend(index, flags))
            if outcome != .sent { result = outcome }
            if index == 0 && outcome != .sent { break }
        }
        return result
    }

    private func trySend(_ frame: UnsafeRawBufferPointer, flags: Int32) -> Int32 {
        retrying { zmq_send(handle, frame.baseAddress, frame.count, flags) }
    }

    private func outcome(of result: Int32) -> SendOutcome {
        if result >= 0 { return .sent }
        switch zmq_errno() {
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unroutable
        default: preconditionFailure("a \(kind) socket cannot send: error \(zmq_errno())")
        }
    }
}

/// Calls ZeroMQ again as long as a signal interrupts the call.
func retrying(_ call: () -> Int32) -> Int32 {
    while true {
        let result = call()
        if result >= 0 || zmq_errno() != EINTR { return result }
    }
}
