internal import CLibrary

/// The answer of the system to the question for a host.
public enum HostAnswer: Sendable {
    /// The addresses, the preferred one first; at least one.
    case found([SocketAddress])
    /// There is no such host.
    case unknown
    /// The name service does not answer, or cannot answer at present.
    case unanswered

    /// `EAI_NODATA` of the C library, which Swift does not import: the name exists and has no address.
    private static let noData: Int32 = -5

    /// Asks the system, which may take seconds for a name.
    init(lookingUp host: String, port: UInt16, flags: Int32 = 0) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(streamSocket)
        hints.ai_flags = AI_NUMERICSERV | flags
        var found: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, "\(port)", &hints, &found)
        guard failure == 0 else {
            self = [EAI_NONAME, HostAnswer.noData].contains(failure) ? .unknown : .unanswered
            return
        }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next?.pointee {
            if let address = SocketAddress(entry) { addresses.append(address) }
            next = entry.ai_next
        }
        self = addresses.isEmpty ? .unknown : .found(addresses)
    }

    /// The addresses of a server with this host.
    ///
    /// - Throws: If there are none.
    func addresses(of server: HTTPAddress) throws(SocketError) -> [SocketAddress] {
        switch self {
        case .found(let addresses): return addresses
        case .unknown: throw SocketError(unknownHost: server)
        case .unanswered: throw SocketError(unansweredHost: server)
        }
    }
}
