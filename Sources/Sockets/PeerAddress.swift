internal import CLibrary

/// The address of the other end of a connection.
public struct PeerAddress: Equatable, Sendable {
    /// The address without the port, as text.
    public let host: String
    /// Whether it is this machine.
    public let isLoopback: Bool
}

extension Stream {
    /// The address of the other end; nil if the connection is gone.
    public var peer: PeerAddress? { descriptor.peer }
}

extension Descriptor {
    fileprivate var peer: PeerAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getpeername(number, address, &size) == 0 else { return nil }
                return PeerAddress(address, size)
            }
        }
    }
}

extension PeerAddress {
    fileprivate init?(_ address: UnsafePointer<sockaddr>, _ size: socklen_t) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        var host = String(decoding: bytes, as: UTF8.self)
        // An IPv4 client of a listener for both families.
        if host.hasPrefix("::ffff:") { host.removeFirst("::ffff:".count) }
        self.host = host
        isLoopback = host == "::1" || host.hasPrefix("127.")
    }
}
