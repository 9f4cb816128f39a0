/// The host and port that a request is meant for, as in `db.example.com:9000`.
public struct Authority: Hashable, Sendable {
    /// The name in small letters, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    /// The port, if it is named.
    public let port: UInt16?

    /// Whether the host is an address and not a name, so that it has no labels.
    public var isAddress: Bool { HostRule.isAddress(host) }

    /// Reads `host` or `host:port`; nil if it is neither.
    public init?(_ text: String) {
        self.init(Array(text.utf8).span, in: 0..<text.utf8.count)
    }

    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard let parts = AuthorityParts(bytes, in: range) else { return nil }
        host = String(copying: bytes, in: parts.host).lowercased()
        port = parts.port
    }
}

/// The host and the port in a text.
///
/// It accepts less than the grammar of URIs does: no user, no percent-encoding, no empty host or port.
struct AuthorityParts {
    let host: Range<Int>
    let port: UInt16?

    private static let longestHost = 255

    init?(_ bytes: Span<UInt8>, in range: Range<Int>) {
        guard let end = AuthorityParts.hostEnd(bytes, in: range) else { return nil }
        host = range.lowerBound..<end
        guard !host.isEmpty, host.count <= AuthorityParts.longestHost else { return nil }
        guard end < range.upperBound else {
            port = nil
            return
        }
        guard bytes[end] == UInt8(ascii: ":"),
            let number = AuthorityParts.port(bytes, in: end + 1..<range.upperBound)
        else { return nil }
        port = number
    }

    private static func hostEnd(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
        var end = range.lowerBound
        guard end < range.upperBound, bytes[end] == UInt8(ascii: "[") else {
            while end < range.upperBound, bytes[end].isHostCharacter { end += 1 }
            return end
        }
        end += 1
        while end < range.upperBound, bytes[end].isAddressCharacter { end += 1 }
        guard end > range.lowerBound + 2, end < range.upperBound, bytes[end] == UInt8(ascii: "]")
        else { return nil }
        return end + 1
    }

    private static func port(_ bytes: Span<UInt8>, in range: Range<Int>) -> UInt16? {
        guard (1...5).contains(range.count) else { return nil }
        var number = 0
        for place in range {
            guard bytes[place].isDigit else { return nil }
            number = number * 10 + Int(bytes[place] - 0x30)
        }
        return UInt16(exactly: number)
    }
}

extension UInt8 {
    /// Whether the byte may be in an IPv6 address.
    fileprivate var isAddressCharacter: Bool {
        hexadecimalValue != nil || self == UInt8(ascii: ":") || self == UInt8(ascii: ".")
    }
}
