internal import Sockets

/// The host and the port of `tcp://HOST:PORT`, `http://HOST:PORT`, or `https://HOST:PORT#sha256=…`.
///
/// The host is an address, with brackets around an IPv6 address, or a name.
struct Address: Equatable {
    let host: Substring
    let port: UInt16

    init?(_ endpoint: String, scheme: String) {
        guard endpoint.hasPrefix(scheme + "://") else { return nil }
        if scheme == "https", HTTPAddress(endpoint) == nil { return nil }
        let rest = endpoint.dropFirst(scheme.count + "://".count).prefix {
            scheme != "https" || $0 != "#"
        }
        guard let colon = rest.lastIndex(of: ":"),
            let port = UInt16(rest[rest.index(after: colon)...]), port > 0
        else { return nil }
        host = rest[..<colon]
        self.port = port
        guard Address.isNumeric(host) || Address.isName(host) else { return nil }
    }

    var isLoopback: Bool { Address.isLoopback(String(host)) }

    /// Whether the host is an address and not a name.
    var isNumeric: Bool { Address.isNumeric(host) }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "[::1]" || isNumeric(host[...]) && host.hasPrefix("127.")
    }

    private static func isNumeric(_ host: Substring) -> Bool {
        host.hasPrefix("[") && host.hasSuffix("]") || isIPv4(host)
    }

    private static func isIPv4(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Whether a text is a name of a host (RFC 1123). Its last part is no number: such texts are mistyped addresses.
    private static func isName(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, parts.last.map({ UInt64($0) == nil }) == true else {
            return false
        }
        return parts.allSatisfy { part in
            (1...63).contains(part.utf8.count) && part.first != "-" && part.last != "-"
                && part.utf8.allSatisfy(isPartOfName)
        }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The host and the port of one of a node's endpoints. `localhost` is 127.0.0.1.
public struct NodeEndpoint: Equatable, Sendable {
    /// An address, or a name to look up.
    public let host: String
    public let port: UInt16
    /// Whether the host is an address.
    public let isNumeric: Bool

    /// Parses a checked endpoint.
    public init(_ endpoint: String) {
        let scheme = String(endpoint.prefix { $0 != ":" })
        guard let address = Address(endpoint, scheme: scheme) else {
            preconditionFailure("\(endpoint) was not checked")
        }
        port = address.port
        isNumeric = address.isNumeric || address.host == "localhost"
        host = address.host == "localhost" ? "127.0.0.1" : String(address.host)
    }

    /// The endpoint for other nodes at another host, with the same port.
    public func text(at host: String) -> String { "tcp://\(host):\(port)" }
}

extension NodeConfiguration {
    /// Whether a text is the host of an endpoint: a name, or an address, with brackets around an IPv6 address.
    public static func isHost(_ text: String) -> Bool {
        Address("tcp://\(text):1", scheme: "tcp") != nil
    }

    /// Whether a host is this machine for every machine.
    public static func isLoopback(_ host: String) -> Bool { Address.isLoopback(host) }
}

extension NodeConfiguration.Member {
    /// The address at which the node listens for one of its endpoints, without the port; nil for all addresses of its machine,
    /// since the address of a name may change.
    public func listenHost(for endpoint: String) -> String? {
        if let listen { return listen }
        let endpoint = NodeEndpoint(endpoint)
        return endpoint.isNumeric ? endpoint.host : nil
    }
}
