/// Which web pages may send requests.
public struct OriginRule: Equatable, Sendable {
    /// The decision about a request.
    public enum Decision: Equatable, Sendable {
        /// The request comes from no page of another site that says so; it is served.
        case noOrigin
        /// The request comes from a page that is allowed.
        ///
        /// The answer has `Access-Control-Allow-Origin` with this text, and `Vary: Origin`.
        case allowed(String)
        /// The answer is 403, and nothing else is done.
        case refused
    }

    private let origins: [String]
    private let allowsAll: Bool

    /// Makes a rule that allows pages of this machine, of this server, and of some origins.
    ///
    /// - Parameter origins: Such as `https://app.example.com`, or `null`.
    public init(origins: [String]) {
        self.origins = origins.map { Origin($0)?.text ?? $0.lowercased() }
        allowsAll = false
    }

    private init() {
        origins = []
        allowsAll = true
    }

    /// The rule that allows all pages, for a server that requires a token.
    public static let any = OriginRule()

    /// Decides on a request, an upgrade included.
    public func decide(_ head: RequestHead) -> Decision {
        let values = head.values(of: "origin")
        guard let text = values.first else { return .noOrigin }
        guard values.count == 1 else { return .refused }
        return isAllowed(text, by: head.authority) ? .allowed(text) : .refused
    }

    /// Decides whether a script element may load the answer, as JSONP and Firebase's long polling do.
    ///
    /// Such a request of a page has no Origin. Browsers say where it comes from by `Sec-Fetch-Site`, but leave that out where the
    /// server is neither on this machine nor has TLS. There, and if it comes from another site, the page has to say by `Referer`
    /// which one it is. So a program that sends none of these is served on this machine alone.
    public func permitsScript(_ head: RequestHead) -> Bool {
        if allowsAll { return true }
        let site = head.value(of: "sec-fetch-site")
        if let site, ["same-origin", "same-site", "none"].contains(site) { return true }
        guard let page = head.value(of: "referer") else {
            return site == nil && (head.authority.map(HostRule.isLoopback) ?? true)
        }
        // `scheme:`, nothing, and the host.
        let parts = page.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return isAllowed(parts.prefix(3).joined(separator: "/"), by: head.authority)
    }

    private func isAllowed(_ text: String, by authority: Authority?) -> Bool {
        guard let origin = Origin(text) else {
            return text == "null" && (allowsAll || origins.contains("null"))
        }
        return allowsAll || origin.isLoopback || origin.isOf(authority)
            || origins.contains(origin.text)
    }
}

/// The origin of a page: scheme, host and port.
private struct Origin {
    let scheme: String
    let authority: Authority

    init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = text[colon...]
        guard rest.hasPrefix("://"), let authority = Authority(String(rest.dropFirst(3))) else {
            return nil
        }
        scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        self.authority = authority
    }

    private var standardPort: UInt16 { scheme == "https" ? 443 : 80 }

    /// The origin with its port, whether the page names it or not.
    var text: String { "\(scheme)://\(authority.host):\(authority.port ?? standardPort)" }

    var isLoopback: Bool { HostRule.isLoopback(authority) }

    /// Whether the page comes from the host and port that the request is meant for.
    func isOf(_ other: Authority?) -> Bool {
        guard let other, other.host == authority.host else { return false }
        return (other.port ?? standardPort) == (authority.port ?? standardPort)
    }
}
