internal import TLS

/// The target of a redirect: an address that a client may follow with its credential, and the path and query to request there.
///
/// A server that redirects already has the client's credential. So the credential is as safe at the target as the connection to the
/// server is, as long as the target must show a certificate of the same authorities. A redirect never leads from https to http.
/// A server with a pinned certificate leads only to addresses that the client knows, since those name their certificates.
public struct HTTPRedirect: Equatable, Sendable {
    /// The most redirects in a row that a client follows.
    public static let limit = 5

    /// The server to ask.
    public let address: HTTPAddress
    /// The path and the query.
    public let target: String

    /// Reads the header `Location` of an answer.
    ///
    /// - Parameters:
    ///   - location: A URI, or one without a scheme or a host.
    ///   - address: The address that has answered.
    ///   - known: The addresses that the client was given.
    /// - Returns: Nil for a target that the client must not follow.
    public init?(
        _ location: String, from address: HTTPAddress, knowing known: [HTTPAddress] = []
    ) {
        if location.hasPrefix("/"), !location.hasPrefix("//") {
            (self.address, target) = (address, location)
            return
        }
        let isSecure: Bool
        if location.hasPrefix("//") {
            isSecure = address.trust != nil
        } else {
            isSecure = location.hasPrefix("https://")
            guard isSecure || location.hasPrefix("http://") else { return nil }
        }
        guard isSecure || address.trust == nil, let slashes = location.firstRange(of: "//") else {
            return nil
        }
        let rest = location[slashes.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[authority.endIndex...]
        guard !path.contains("#"),
            let next = HTTPAddress(
                String(authority), isSecure: isSecure, trustedLike: address, knowing: known)
        else { return nil }
        (self.address, target) = (next, path.hasPrefix("/") ? String(path) : "/" + path)
    }
}

extension HTTPAddress {
    /// The address of a host and maybe a port; nil if the client cannot verify the server there.
    fileprivate init?(
        _ authority: String, isSecure: Bool, trustedLike other: HTTPAddress,
        knowing known: [HTTPAddress]
    ) {
        let scheme = isSecure ? "https://" : "http://"
        let port = isSecure ? "443" : "80"
        guard
            let address = HTTPAddress(scheme + authority)
                ?? HTTPAddress("\(scheme)\(authority):\(port)")
        else { return nil }
        if let same = (known + [other]).first(where: { $0.location == address.location }) {
            self = same
            return
        }
        switch other.trust {
        case .fingerprint?: return nil
        case .authorities(_, let file)?: self = address.trusting(authoritiesIn: file)
        case nil: self = address
        }
    }
}
