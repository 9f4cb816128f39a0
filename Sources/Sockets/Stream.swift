internal import CLibrary
internal import EventLoop

/// One TCP connection on a loop: bytes in as they arrive, bytes out at the end of the turn.
///
///     stream.open { event in … }
///     stream.append(bytes)
///     stream.flush()              // once, at the end of the turn
///
/// Nothing here blocks. What the system has no room for waits; the owner bounds it by `waitingBytes`. It belongs
/// to the loop's thread.
public final class Stream {
    /// What happens to a stream.
    public enum Event {
        /// Bytes arrived, which are valid during the call.
        case received(UnsafeRawBufferPointer)
        /// All that waited is sent.
        case drained
        /// The connection is gone; nothing more happens.
        case ended
    }

    /// How much one turn reads from a connection before it serves the others.
    public static let bytesPerTurn = 64 << 10

    /// What this stream reads is counted there.
    public var readLimit: ReadLimit?
    let descriptor: Descriptor
    private let loop: Loop
    private var reading: Watcher?
    /// There while the system has no room for what waits.
    private var writing: Watcher?
    private var outgoing = OutgoingBytes()
    private var handle: (Event) -> Void = { _ in }
    private var isFinishing = false
    private var hasEnded = false

    init(_ descriptor: Descriptor, on loop: Loop) {
        self.descriptor = descriptor
        self.loop = loop
        descriptor.prepareForMessages()
    }

    deinit { close() }

    /// Begins to hand over what happens.
    ///
    /// The closure lives until the stream ends or is closed: capture the stream's owner unowned.
    public func open(_ handle: @escaping (Event) -> Void) {
        self.handle = handle
        isPaused = false
    }

    /// While paused, bytes wait in the system, and then at their sender.
    public var isPaused = true {
        didSet {
            guard isPaused != oldValue, !hasEnded else { return }
            if isPaused { return stopReading() }
            reading = try? loop.watch(descriptor.number) { [unowned self] in read() }
            if reading == nil { end() }
        }
    }

    /// The bytes that are not sent yet.
    public var waitingBytes: Int { outgoing.count }

    /// Adds bytes to those that the next `flush` sends; large ones are not copied.
    public func append(_ bytes: [UInt8]) {
        if !hasEnded { outgoing.append(bytes) }
    }

    /// Adds some `sizeHint` bytes, which `body` appends to others.
    public func append(sizeHint: Int, _ body: (inout [UInt8]) -> Void) {
        if !hasEnded { outgoing.append(sizeHint: sizeHint, body) }
    }

    /// Sends as much as the system has room for; the rest follows by itself.
    public func flush() {
        if writing == nil { write() }
    }

    /// Sends what waits, and tells the other end that nothing follows. Bytes that arrive until it closes too are
    /// handed over still.
    public func finish() {
        isFinishing = true
        flush()
    }

    /// Ends the connection at once, without an event.
    public func close() {
        hasEnded = true
        stopReading()
        writing?.cancel()
        writing = nil
        outgoing.removeAll()
        shutdown(descriptor.number, Int32(SHUT_RDWR))
        handle = { _ in }
    }

    private func end() {
        guard !hasEnded else { return }
        let handle = handle
        close()
        handle(.ended)
    }

    private func stopReading() {
        reading?.cancel()
        reading = nil
    }
}

// MARK: - The system

extension Stream {
    private func read() {
        guard readLimit?.permits(self) ?? true else { return }
        withUnsafeTemporaryAllocation(byteCount: Self.bytesPerTurn, alignment: 8) { buffer in
            let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                readLimit?.count(count)
                handle(.received(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                end()
            }
        }
    }

    private func write() {
        while !outgoing.isEmpty {
            let count = outgoing.write(to: descriptor.number)
            if count >= 0 {
                outgoing.removeFirst(count)
            } else if errno == EAGAIN {
                return awaitRoom()
            } else if errno != EINTR {
                return end()
            }
        }
        if isFinishing { shutdown(descriptor.number, Int32(SHUT_WR)) }
        guard let waited = writing else { return }
        writing = nil
        waited.cancel()
        handle(.drained)
    }

    private func awaitRoom() {
        guard writing == nil else { return }
        writing = try? loop.watchWritable(descriptor.number) { [unowned self] in write() }
        if writing == nil { end() }
    }
}
