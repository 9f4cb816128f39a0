package import CommandLineKit
internal import Sockets
internal import TLS

/// The address at which an issuer publishes its keys: `https://issuer.example/.well-known/jwks.json`.
package struct KeySource: Sendable {
    /// The server, with the authorities that its certificate must lead to.
    let server: HTTPAddress
    /// The host, and maybe a port, as the URL names them.
    let authority: String
    /// The path and the query.
    let target: String
    /// The URL.
    package let text: String

    /// Parses a URL. Plain http is only for this machine: on the network, anyone could replace the keys.
    ///
    /// - Parameter authorities: A PEM file of the accepted authorities; those of the system without it.
    package init(_ text: String, authorities: String? = nil) throws(CommandError) {
        self.text = text
        let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
        guard let scheme, !text.contains(where: { $0 == "#" || $0.isWhitespace || !$0.isASCII })
        else { throw KeySource.malformed(text) }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex { "/?".contains($0) } ?? rest.endIndex
        authority = String(rest[..<end])
        target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
        let afterHost = authority.drop { $0 != "]" }
        let hasPort = (afterHost.isEmpty ? authority[...] : afterHost).contains(":")
        let port = hasPort ? "" : scheme == "https://" ? ":443" : ":80"
        guard let server = HTTPAddress(scheme + authority + port) else {
            throw KeySource.malformed(text)
        }
        guard server.trust != nil || server.isOnThisMachine else {
            throw CommandError(
                .usage, "keys that come by plain http could be replaced on the way: \(text)",
                fix: "use an address that begins with https://")
        }
        self.server = server.trusting(authoritiesIn: authorities)
    }

    /// Reads the file of authorities, so that a wrong name is an error at once.
    package func checkAuthorities() throws(CommandError) {
        guard let trust = server.trust else { return }
        do throws(TLSError) { _ = try TLSContext.client(trusting: trust) } catch {
            throw CommandError(.noInput, error.problem, fix: error.fix)
        }
    }

    private static func malformed(_ text: String) -> CommandError {
        CommandError(
            .usage, "\"\(text.prefix(200))\" is not the address of a key set",
            fix: "write the issuer's jwks_uri, such as https://issuer.example/.well-known/jwks.json"
        )
    }
}

extension HTTPAddress {
    fileprivate var isOnThisMachine: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
