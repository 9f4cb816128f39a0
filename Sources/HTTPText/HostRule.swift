/// Which hosts a request may be meant for, so that no other site's name can be made to point here (DNS rebinding).
public struct HostRule: Equatable, Sendable {
    private let names: [String]

    /// Makes a rule.
    ///
    /// - Parameter names: The names of this server, without port, beside `localhost` and addresses.
    public init(names: [String]) { self.names = names.map { HostRule.canonical($0.lowercased()) } }

    /// Whether a request may be served; otherwise the answer is 421.
    ///
    /// An address cannot be rebound, and no page can send a request without Host.
    public func permits(_ authority: Authority?) -> Bool {
        guard let authority else { return true }
        let host = HostRule.canonical(authority.host)
        return HostRule.isAddress(host) || HostRule.isLoopbackName(host) || names.contains(host)
    }

    /// A name without the dot that may end it.
    static func canonical(_ host: String) -> String {
        host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Whether a host in small letters is `localhost`, or a name under it, which browsers never look up (RFC 6761).
    static func isLoopbackName(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost")
    }

    /// Whether a host is an IPv6 address in brackets, or four decimal numbers, the form in which browsers send IPv4.
    static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || octets(host) != nil
    }

    /// Whether a host is this machine, by name or by address.
    static func isLoopback(_ authority: Authority) -> Bool {
        let host = canonical(authority.host)
        return isLoopbackName(host) || host == "[::1]" || octets(host)?.first == 127
    }

    private static func octets(_ host: String) -> [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // `UInt8` would take a sign, too.
        let numbers = parts.compactMap { $0.utf8.allSatisfy(\.isDigit) ? UInt8($0) : nil }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }
}
