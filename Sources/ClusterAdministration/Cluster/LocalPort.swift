internal import Glibc

/// A TCP port of 127.0.0.1.
struct LocalPort: Sendable {
    package let number: UInt16

    /// Whether another program uses it.
    var isTaken: Bool {
        withSocket { socket, address in
            var yes: Int32 = 1
            // As ZeroMQ does: past connections do not block the port.
            setsockopt(
                socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            return bind(socket, address, LocalPort.addressSize) != 0
                || Glibc.listen(socket, 1) != 0
        }
    }

    private static let addressSize = socklen_t(MemoryLayout<sockaddr_in>.size)

    /// False if the system has no more sockets.
    private func withSocket(_ body: (Int32, UnsafePointer<sockaddr>) -> Bool) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body(descriptor, $0) }
        }
    }
}
