internal import CEventLoop
internal import CLibrary
public import EventLoop

/// Takes the connections of clients at one address.
public final class Listener {
    /// How many connections wait in the system while the loop does something else; Linux limits it to `net.core.somaxconn`,
    /// usually 4096.
    private static let backlog: Int32 = 16_384
    private static let acceptedPerTurn = 64

    private let descriptor: Descriptor
    private let loop: Loop
    private let accept: (Stream) -> Void
    /// Nil while the process has no room for more connections, and once it is closed.
    private var watcher: Watcher?
    private var isClosed = false

    /// Begins to listen, and to hand over connections.
    ///
    /// - Throws: when another process has the address, or this one may not have it.
    public init(
        at address: HTTPAddress, on loop: Loop, accept: @escaping (Stream) -> Void
    ) throws(SocketError) {
        descriptor = try Listener.bound(to: address)
        self.loop = loop
        self.accept = accept
        resume()
    }

    private static func bound(to address: HTTPAddress) throws(SocketError) -> Descriptor {
        let place = try address.resolved()[0]
        do throws(SocketError) {
            return try bound(to: place, of: address)
        } catch {
            // Without IPv6 in the system, all addresses are those of IPv4.
            guard error.isUnsupportedFamily, address.host == "::",
                let all = HTTPAddress("http://0.0.0.0:\(address.port)")
            else { throw error }
            return try bound(to: try all.resolved()[0], of: all)
        }
    }

    private static func bound(
        to place: SocketAddress, of address: HTTPAddress
    ) throws(SocketError) -> Descriptor {
        let descriptor = try Descriptor(for: place, of: address)
        descriptor.set(SOL_SOCKET, SO_REUSEADDR, 1)
        // At [::], clients with IPv4 addresses connect, too.
        if place.family == AF_INET6 { descriptor.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        guard place.withPointer({ bind(descriptor.number, $0, $1) }) == 0,
            listen(descriptor.number, backlog) == 0
        else { throw SocketError(trying: "bind", address) }
        return descriptor
    }

    deinit { close() }

    /// Takes connections again, if the process had no room for more: to be called when one has closed.
    public func resume() {
        guard watcher == nil, !isClosed else { return }
        watcher = try? loop.watch(descriptor.number) { [unowned self] in acceptWaiting() }
    }

    /// Takes no more connections.
    public func close() {
        isClosed = true
        stop()
    }

    private func stop() {
        watcher?.cancel()
        watcher = nil
    }

    private func acceptWaiting() {
        for _ in 0..<Listener.acceptedPerTurn {
            let connection = hearth_accept(descriptor.number)
            if connection >= 0 {
                accept(Stream(Descriptor(connection), on: loop))
            } else if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                return stop()
            } else if errno != ECONNABORTED && errno != EINTR {
                return
            }
        }
    }
}
