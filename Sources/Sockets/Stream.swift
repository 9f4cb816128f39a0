internal import CLibrary
internal import EventLoop
public import TLS

/// One TCP connection on a loop: bytes in as they arrive, bytes out at the end of the turn.
///
///     stream.open { event in … }
///     stream.append(bytes)
///     stream.flush()              // once, at the end of the turn
///
/// After `encrypt(by:)` all of it goes through TLS.
///
/// Nothing here blocks. Bytes for which the system has no room wait; the owner limits them by `waitingBytes`. A
/// stream belongs to the loop's thread.
public final class Stream {
    /// An event of a stream.
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

    /// The limit and the order of the reads of this stream and others: bytes that arrive wait for `ReadLimit.readQueued`.
    public var readLimit: ReadLimit?
    /// Whether the stream waits there.
    var isQueued = false
    let descriptor: Descriptor
    private let loop: Loop
    private var reading: Watcher?
    /// There while the system has no room for what waits.
    private var writing: Watcher?
    /// The bytes that wait to be sent.
    private var outgoing = OutgoingBytes()
    /// There once the connection has TLS.
    private var encryption: Encryption?
    /// Whether something waited, so that its end is an event.
    private var hasWaited = false
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
        didSet { if isPaused != oldValue { watch() } }
    }

    /// While held, too, until the other end closes the connection: then what it has sent before is read, and its end.
    public var isHeld = false {
        didSet { if isHeld != oldValue { watch() } }
    }

    /// Watches for what is wanted of the other end: bytes, its end alone, or nothing.
    private func watch() {
        stopReading()
        if hasEnded || isPaused { return }
        reading =
            isHeld
            ? try? loop.watchEnd(of: descriptor.number) { [unowned self] in isHeld = false }
            : try? loop.watch(descriptor.number) { [unowned self] in awaitRead() }
        if reading == nil { end() }
    }

    /// Encrypts and decrypts from here on; before anything is sent.
    ///
    /// - Parameter bytes: The bytes that have already arrived for the filter.
    public func encrypt(by filter: TLSFilter, from bytes: UnsafeRawBufferPointer? = nil) {
        precondition(encryption == nil && outgoing.isEmpty, "the stream has sent something")
        encryption = Encryption(filter)
        if let bytes { deliver(bytes) } else { flush() }
    }

    /// Whether the connection has TLS, and its ends agree on keys.
    public var isEncrypted: Bool { encryption.map { !$0.isHandshaking } ?? false }

    /// Why TLS has ended the connection; nil if something else has, or nothing.
    public var failure: TLSError? { encryption?.failure }

    /// The bytes that are not sent yet.
    public var waitingBytes: Int { outgoing.count + (encryption?.plain.count ?? 0) }

    /// Adds bytes to those that the next `flush` sends; large ones are not copied.
    public func append(_ bytes: [UInt8]) {
        if hasEnded { return }
        if let encryption { encryption.plain.append(bytes) } else { outgoing.append(bytes) }
    }

    /// Adds some `sizeHint` bytes, which `body` appends to others.
    public func append(sizeHint: Int, _ body: (inout [UInt8]) -> Void) {
        if hasEnded { return }
        guard let encryption else { return outgoing.append(sizeHint: sizeHint, body) }
        encryption.plain.append(sizeHint: sizeHint, body)
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
        encryption?.plain.removeAll()
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
    private func awaitRead() {
        if let readLimit {
            readLimit.enqueue(self)
        } else {
            _ = read(upTo: Self.bytesPerTurn)
        }
    }

    /// Whether bytes that have arrived are to be read.
    var wantsToRead: Bool { !hasEnded && !isPaused && !isHeld }

    /// Reads some bytes, and hands them over; returns how many the system had.
    func read(upTo byteCount: Int) -> Int {
        withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
            let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                readLimit?.count(count)
                deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                end()
            }
            return max(0, count)
        }
    }

    /// Hands over what arrived, decrypted if the connection has TLS.
    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        guard let encryption else { return handle(.received(bytes)) }
        if encryption.isHandshaking { readLimit?.count(Encryption.handshakeBytes) }
        let plain = encryption.filter.receive(bytes)
        // The handshake goes on, and what waited for its end leaves.
        flush()
        if !plain.isEmpty, !hasEnded { plain.withUnsafeBytes { handle(.received($0)) } }
        switch encryption.filter.state {
        case .handshaking, .open: break
        case .ended, .failed: end()
        }
    }

    private func write() {
        while let count = writeNext() {
            if count >= 0 {
                outgoing.removeFirst(count)
            } else if errno == EAGAIN {
                return awaitRoom()
            } else if errno != EINTR {
                return end()
            }
        }
        writing?.cancel()
        writing = nil
        guard waitingBytes == 0 else {
            // Until there are keys.
            hasWaited = true
            return
        }
        if isFinishing { shutdownWriting() }
        guard hasWaited, !hasEnded else { return }
        hasWaited = false
        handle(.drained)
    }

    /// Writes what the system has room for; nil if nothing waits for the wire.
    private func writeNext() -> Int? {
        if outgoing.isEmpty, let bytes = encryption?.next(), !bytes.isEmpty {
            outgoing.append(bytes)
        }
        return outgoing.isEmpty ? nil : outgoing.write(to: descriptor.number)
    }

    private func awaitRoom() {
        hasWaited = true
        guard writing == nil else { return }
        writing = try? loop.watchWritable(descriptor.number) { [unowned self] in write() }
        if writing == nil { end() }
    }

    /// Tells the other end that nothing follows.
    private func shutdownWriting() {
        if let encryption {
            encryption.filter.finish()
            outgoing.append(encryption.filter.takeOutgoing())
            // Fewer bytes than the system always has room for, if it took all others.
            if !outgoing.isEmpty { _ = outgoing.write(to: descriptor.number) }
            outgoing.removeAll()
        }
        shutdown(descriptor.number, Int32(SHUT_WR))
    }
}
