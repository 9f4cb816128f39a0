/// A server's endpoint, with its public key if connections to it are encrypted:
/// `tcp://10.0.0.1:7001?key=rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7`.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without the key.
    public let endpoint: String
    package let key: PublicKey?

    /// Whether connections to it are encrypted.
    package var isKeyed: Bool { key != nil }

    private static let mark = "?key="

    package init(_ endpoint: String, key: PublicKey?) {
        self.endpoint = endpoint
        self.key = key
    }

    /// Parses an address.
    ///
    /// - Returns: Nil if what stands behind `?key=` is no key.
    public init?(_ text: String) {
        guard let start = text.indices.first(where: { text[$0...].hasPrefix(ServerAddress.mark) })
        else {
            self.init(text, key: nil)
            return
        }
        let behind = text.index(start, offsetBy: ServerAddress.mark.count)
        guard let key = PublicKey(String(text[behind...])) else { return nil }
        self.init(String(text[..<start]), key: key)
    }

    /// The text of it.
    public var description: String {
        key.map { endpoint + ServerAddress.mark + $0.description } ?? endpoint
    }
}
