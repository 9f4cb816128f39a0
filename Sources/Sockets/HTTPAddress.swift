internal import CLibrary
public import TLS

/// The address of a server: `http://127.0.0.1:7001`, `http://[::1]:7001`, `https://db.example.com:7001` with a
/// certificate of an authority that the system trusts, `https://db.example.com:7001#ca=FILE` with one of an authority in this
/// PEM file, or `https://10.0.0.1:7001#sha256=…` with the certificate of this fingerprint.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, or an address in numbers, without brackets.
    public let host: String
    /// From 1 to 65535.
    public let port: UInt16
    /// How the server is known to be the one that is meant; nil without TLS.
    public let trust: TLSTrust?

    /// Parses an address; nil for a text without one of its parts, and for one with more.
    public init?(_ text: String) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = parts[0].dropFirst((isSecure ? "https://" : "http://").count)
        guard let colon = rest.lastIndex(of: ":"), let host = HTTPAddress.host(rest[..<colon]),
            let port = UInt16(rest[rest.index(after: colon)...]), port > 0
        else { return nil }
        self.host = host
        self.port = port
        guard parts.count == 2 else {
            trust = isSecure ? .authorities(host: host) : nil
            return
        }
        guard isSecure else { return nil }
        if let fingerprint = HTTPAddress.fingerprint(parts[1]) {
            trust = .fingerprint(fingerprint)
        } else if parts[1].hasPrefix("ca="), parts[1] != "ca=" {
            trust = .authorities(host: host, file: String(parts[1].dropFirst("ca=".count)))
        } else {
            return nil
        }
    }

    private init(host: String, port: UInt16, trust: TLSTrust?) {
        (self.host, self.port, self.trust) = (host, port, trust)
    }

    /// The same address, whose certificate must be of an authority in this PEM file. Nothing changes without TLS, and for an
    /// address that names its certificate or its authorities.
    public func trusting(authoritiesIn file: String?) -> HTTPAddress {
        guard let file, case .authorities(let host, nil)? = trust else { return self }
        return HTTPAddress(
            host: self.host, port: port, trust: .authorities(host: host, file: file))
    }

    /// The bytes of `sha256=` and 64 hexadecimal digits, with colons between them or without.
    private static func fingerprint(_ text: Substring) -> [UInt8]? {
        guard text.hasPrefix("sha256=") else { return nil }
        let digits = text.dropFirst("sha256=".count).filter { $0 != ":" }
        guard digits.utf8.count == 64, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            return nil
        }
        let values = digits.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("["), text.hasSuffix("]") { return String(text.dropFirst().dropLast()) }
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isName && !text.isEmpty ? String(text) : nil
    }

    /// The host and the port, as requests name them.
    public var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The text of it without a fingerprint or authority, as messages name it.
    public var location: String { (trust == nil ? "http://" : "https://") + authority }

    /// The text of it.
    public var description: String {
        switch trust {
        case .fingerprint(let bytes)?: location + HTTPAddress.fragment(ofFingerprint: bytes)
        case .authorities(_, let file?)?: location + "#ca=" + file
        case .authorities(_, nil)?, nil: location
        }
    }

    /// The part after an address that names a certificate by its fingerprint.
    public static func fragment(ofFingerprint bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "#sha256=" + digits.joined()
    }

    /// Looks up the address; for a name, the system may take seconds.
    ///
    /// - Throws: If the host is unknown.
    public func resolved() throws(SocketError) -> [SocketAddress] {
        try HostAnswer(lookingUp: host, port: port).addresses(of: self)
    }

    /// Whether the host is an address, so that there is nothing to look up.
    public var isNumeric: Bool { numericAddresses != nil }

    /// The address of a host in numbers; nil for a name.
    var numericAddresses: [SocketAddress]? {
        guard
            case .found(let addresses) = HostAnswer(
                lookingUp: host, port: port, flags: AI_NUMERICHOST)
        else { return nil }
        return addresses
    }
}
