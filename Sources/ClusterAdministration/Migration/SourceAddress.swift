package import CommandLineKit
internal import DataTree
internal import Sockets
internal import TLS

/// The address of a database with Firebase's REST interface: `https://my-project-default-rtdb.firebaseio.com`, or
/// `http://127.0.0.1:7001?ns=chat`.
package struct SourceAddress: Equatable, Sendable {
    /// The server, with the authorities that its certificate must lead to.
    let server: HTTPAddress
    /// The host, and maybe a port, as the address names them.
    let authority: String
    /// The database, if the address names it by `ns`.
    let namespace: String?
    /// The address as messages name it.
    package let text: String

    /// Parses an address.
    ///
    /// - Parameter authorities: A PEM file of the accepted authorities; those of the system without it.
    package init(_ text: String, authorities: String? = nil) throws(CommandError) {
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        guard let scheme, !text.contains(where: { $0 == "#" || $0.isWhitespace || !$0.isASCII })
        else { throw SourceAddress.malformed(text) }
        let rest = text.dropFirst(scheme.count)
        authority = String(rest.prefix { !"/?".contains($0) })
        let target = rest.dropFirst(authority.count)
        let path = target.prefix { $0 != "?" }
        let query = target.dropFirst(path.count + 1)
        guard path.isEmpty || path == "/" else {
            throw CommandError(
                .usage, "the source \(text.prefix(200)) names a location",
                fix: "write the address without \(path), and name the location with --path")
        }
        guard query.isEmpty || query.hasPrefix("ns=") && !query.contains("&") else {
            throw SourceAddress.malformed(text)
        }
        namespace = query.isEmpty ? nil : String(query.dropFirst("ns=".count))
        let afterHost = authority.drop { $0 != "]" }
        let hasPort = (afterHost.isEmpty ? authority[...] : afterHost).contains(":")
        let port = hasPort ? "" : scheme == "https://" ? ":443" : ":80"
        guard let server = HTTPAddress(scheme + authority + port) else {
            throw SourceAddress.malformed(text)
        }
        self.server = server.trusting(authoritiesIn: authorities)
        self.text = scheme + authority + (query.isEmpty ? "" : "?\(query)")
    }

    /// The address to which a server redirects a request; nil if the credential would travel in the open there.
    func redirected(to location: String) -> SourceAddress? {
        let origin = location.prefix { $0 != "?" }.split(
            separator: "/", maxSplits: 3, omittingEmptySubsequences: false
        ).prefix(3).joined(separator: "/")
        let suffix = namespace.map { "?ns=\($0)" } ?? ""
        guard server.trust == nil || origin.hasPrefix("https://") else { return nil }
        return try? SourceAddress(origin + suffix, authorities: authorityFile)
    }

    private var authorityFile: String? {
        if case .authorities(_, let file)? = server.trust { file } else { nil }
    }

    private static func malformed(_ text: String) -> CommandError {
        CommandError(
            .usage, "\"\(text.prefix(200))\" is not the address of a database",
            fix: "write the database URL, such as https://my-project-default-rtdb.firebaseio.com")
    }
}

/// A credential for a source.
package enum SourceCredential: Sendable {
    case none
    /// A database secret or an ID token, in the parameter `auth`.
    case secret(String)
    /// An OAuth2 access token, or an administrator's secret of Hearth.
    case token(String)
}

/// A GET request for a part of a source.
struct SourceRequest {
    let path: String
    let parameters: [(name: String, value: String)]
    var acceptsEvents = false

    /// A request for the data at a location.
    init(_ path: Path, _ parameters: [(String, String)] = []) {
        self.path =
            "/" + path.keys.map { percentEncoded($0.text) }.joined(separator: "/") + ".json"
        self.parameters = parameters.map { (name: $0.0, value: $0.1) }
    }

    /// A request for the document of rules.
    static let rules = SourceRequest(settings: "rules")

    private init(settings name: String) {
        path = "/.settings/\(name).json"
        parameters = []
    }

    /// The bytes of the request.
    func bytes(to address: SourceAddress, showing credential: SourceCredential) -> [UInt8] {
        var parameters = self.parameters
        if let namespace = address.namespace { parameters.append((name: "ns", value: namespace)) }
        if case .secret(let text) = credential { parameters.append((name: "auth", value: text)) }
        let query = parameters.map { "\($0.name)=\(percentEncoded($0.value))" }
            .joined(separator: "&")
        var lines = [
            "GET \(path)\(query.isEmpty ? "" : "?\(query)") HTTP/1.1", "Host: \(address.authority)",
            "User-Agent: hearth/\(hearthVersion)",
            "Accept: \(acceptsEvents ? "text/event-stream" : "application/json")",
        ]
        if case .token(let text) = credential { lines.append("Authorization: Bearer \(text)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

/// A part of a URI, in which all characters are escaped that have a meaning there (RFC 3986, section 2.3).
private func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "~"):
            bytes.append(byte)
        default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
