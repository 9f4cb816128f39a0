internal import CLibrary
public import TLS

/// One TCP connection whose owner waits by itself, without a loop. It does not block, but where it says so.
public final class PolledSocket {
    private let address: HTTPAddress
    private var places: ArraySlice<SocketAddress>
    private let source: SocketAddress?
    private var descriptor: Descriptor
    /// Whether the connection is there.
    public private(set) var isOpen = false
    /// There for an address with TLS.
    private let filter: TLSFilter?

    /// Begins to connect; `finishConnecting` returns when it has connected.
    ///
    /// - Parameter source: An address of this machine in numbers. Each has ports of its own, of which the system has some 28,000.
    /// - Throws: If the host is unknown, or refuses connections.
    public init(to address: HTTPAddress, from source: String? = nil) throws(SocketError) {
        self.address = address
        self.source = source.flatMap(SocketAddress.init(numeric:))
        filter = try address.context()?.filter()
        places = try address.resolved()[...]
        descriptor = try PolledSocket.next(of: &places, for: address, from: self.source)
    }

    /// The number of the descriptor; once the connection is open, it stays.
    public var number: Int32 { descriptor.number }

    /// Waits until there is something to read, or to conclude; false once the time is up.
    public func wait(upTo limit: Duration) -> Bool {
        var waiting = pollfd(
            fd: number, events: Int16(isOpen ? POLLIN : POLLOUT), revents: 0)
        return poll(&waiting, 1, Int32(max(0, limit / .milliseconds(1)).rounded(.up))) > 0
    }

    /// Whether the connection is open, after a wait.
    ///
    /// - Throws: when the host refuses at all its addresses.
    public func finishConnecting() throws(SocketError) -> Bool {
        if isOpen { return true }
        var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 0) > 0 else { return false }
        let failure = descriptor.pendingError
        guard failure != 0 else {
            descriptor.prepareForMessages()
            isOpen = true
            return true
        }
        guard !places.isEmpty else {
            throw SocketError(trying: "connect to", address, number: failure)
        }
        descriptor = try PolledSocket.next(of: &places, for: address, from: source)
        return false
    }

    /// Why TLS has ended the connection; nil if something else has, or nothing.
    public var failure: TLSError? {
        if case .failed(let error)? = filter?.state { error } else { nil }
    }

    /// Sends all bytes, waiting for room; false once the connection is gone. With TLS, bytes leave with those that arrive until both
    /// ends agree on keys.
    public func send(_ bytes: [UInt8]) -> Bool {
        guard let filter else { return write(bytes) }
        filter.send(bytes)
        return write(filter.takeOutgoing())
    }

    /// Hands over all bytes that have arrived; false once the connection is gone.
    public func receive(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        guard let filter else { return read(body) }
        let isThere = read { bytes in
            let plain = filter.receive(bytes)
            if !plain.isEmpty { plain.withUnsafeBytes(body) }
        }
        let isSent = write(filter.takeOutgoing())
        switch filter.state {
        case .handshaking, .open: return isThere && isSent
        case .ended, .failed: return false
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                CLibrary.write(number, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, 1_000)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    private func read(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let size = 256 << 10
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            while true {
                let count = recv(number, buffer.baseAddress, size, 0)
                if count > 0 { body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                // A short read has emptied the socket.
                if count < size {
                    return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
                }
            }
        }
    }

    /// Begins to connect to the next address that the system does not refuse at once.
    private static func next(
        of places: inout ArraySlice<SocketAddress>, for address: HTTPAddress,
        from source: SocketAddress?
    ) throws(SocketError) -> Descriptor {
        var failure = ECONNREFUSED
        while let place = places.popFirst() {
            let descriptor = try Descriptor(for: place, of: address)
            if let source { descriptor.bind(withoutPort: source) }
            failure = descriptor.connect(to: place)
            if failure == 0 { return descriptor }
        }
        throw SocketError(trying: "connect to", address, number: failure)
    }
}
