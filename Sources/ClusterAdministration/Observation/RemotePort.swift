internal import Glibc

/// A TCP port of some machine, by its address in numbers.
package struct RemotePort: Sendable {
    private let host: String
    private let port: String

    /// - Parameter endpoint: Such as `tcp://127.0.0.1:7002` or `http://[::1]:7001`.
    package init?(_ endpoint: String) {
        guard let scheme = ["tcp://", "http://", "https://"].first(where: endpoint.hasPrefix) else {
            return nil
        }
        let rest = endpoint.dropFirst(scheme.count)
        guard let colon = rest.lastIndex(of: ":") else { return nil }
        host = rest[..<colon].trimmingBrackets
        port = String(rest[rest.index(after: colon)...])
    }

    /// Whether a process accepts connections there, within a second.
    package func isListening() -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &found) == 0, let address = found?.pointee else {
            return false
        }
        defer { freeaddrinfo(found) }
        let type = address.ai_socktype | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&waiting, 1, 1000) == 1 else { return false }
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
        return failure == 0
    }
}

extension Substring {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : String(self)
    }
}
