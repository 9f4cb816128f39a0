internal import CLibrary

/// An address as the system takes it.
public struct SocketAddress: Sendable {
    let family: Int32
    private let storage: sockaddr_storage
    private let size: socklen_t

    init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr,
            Int(entry.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size
        else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(
                from: UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
        }
        self.storage = storage
        size = entry.ai_addrlen
        family = entry.ai_family
    }

    /// An address in numbers, without a port; nil for another text.
    init?(numeric host: String) {
        guard
            case .found(let addresses) = HostAnswer(
                lookingUp: host, port: 0, flags: AI_NUMERICHOST)
        else { return nil }
        self = addresses[0]
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    /// The address in numbers, with brackets around an IPv6 address, and without the port.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let failure = withPointer {
            getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        precondition(failure == 0, "an address has no text: error \(failure)")
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let host = String(decoding: bytes, as: UTF8.self)
        return host.contains(":") ? "[\(host)]" : host
    }
}
