internal import CLibrary

#if canImport(Glibc)
    let streamSocket = SOCK_STREAM.rawValue
#else
    let streamSocket = SOCK_STREAM
#endif

/// A socket of the system, closed when it is released.
public final class Descriptor: Sendable {
    /// The number of it.
    public let number: Int32

    init(_ number: Int32) { self.number = number }

    /// A TCP socket that does not block.
    ///
    /// - Throws: when the process has no room for another one.
    init(for address: SocketAddress, of name: HTTPAddress) throws(SocketError) {
        number = socket(address.family, Int32(streamSocket), 0)
        guard number >= 0 else { throw SocketError(trying: "make a socket for", name) }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if number >= 0 { close(number) }
    }

    /// Begins to connect.
    ///
    /// - Returns: 0 if the outcome is known once the socket is writable, or why the system refuses at once.
    func connect(to address: SocketAddress) -> Int32 {
        let outcome = address.withPointer { CLibrary.connect(number, $0, $1) }
        return outcome == 0 || errno == EINPROGRESS ? 0 : errno
    }

    /// Connects from an address of this machine. The system chooses the port when it connects, so that connections to other
    /// servers may have the same port.
    func bind(withoutPort address: SocketAddress) {
        set(Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
        // If it fails, `connect` chooses the address.
        _ = address.withPointer { CLibrary.bind(number, $0, $1) }
    }

    /// Sends small messages at once, and detects a dead machine within half a minute.
    func prepareForMessages() {
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        #if os(Linux)
            set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10)
            set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
            set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
            set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 30_000)
        #endif
    }

    /// Sets an option; one that the system does not know leaves the socket as it is.
    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Why the last attempt to connect failed; 0 if it did not.
    public var pendingError: Int32 {
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(number, SOL_SOCKET, SO_ERROR, &failure, &size)
        return failure
    }
}
