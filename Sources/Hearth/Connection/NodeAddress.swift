internal import ClientCore
package import Sockets
package import ZeroMQ

/// Where a node takes programs: over HTTP, or where the nodes have keys, over ZeroMQ, which encrypts.
package enum NodeAddress: Hashable, Sendable, CustomStringConvertible {
    /// `http://127.0.0.1:7001`, `https://db.example.com:7001`, or with the certificate that is meant,
    /// `https://10.0.0.1:7001#sha256=…`.
    case http(HTTPAddress)
    /// `tcp://10.0.0.1:7001?key=…`, with the node's public key.
    case keyed(ServerAddress)

    /// Parses an address.
    ///
    /// - Throws: `.invalid`, with what to write instead.
    package init(_ text: String) throws(HearthError) {
        if let address = HTTPAddress(text) {
            self = .http(address)
            return
        }
        // Behind tcp:// it may be a character of the key.
        guard !text.hasPrefix("http") || !text.contains("#") else {
            throw HearthError(
                .invalid, "the fingerprint in \(text) is none",
                fix: "write https://, a host, a port and #sha256= with 64 hexadecimal digits")
        }
        guard text.hasPrefix("tcp://") else {
            throw HearthError(
                .invalid, "\(text) is no address of a node",
                fix: "write http:// or https://, a host and a port, as in http://127.0.0.1:7001")
        }
        guard let address = ServerAddress(text) else {
            throw HearthError(
                .invalid, "the key in \(text) is none",
                fix: "write the node's 40 characters behind ?key=")
        }
        let place = "http://" + address.endpoint.dropFirst("tcp://".count)
        guard HTTPAddress(place) != nil else {
            throw HearthError(
                .invalid, "\(text) is no address of a node",
                fix:
                    "write tcp://, a host, a port and the node's key, as in tcp://10.0.0.1:7001?key=…"
            )
        }
        guard address.isKeyed else {
            throw HearthError(
                .invalid, "\(text) has no key, and only nodes with keys take programs over tcp://",
                fix: "write \(place), or the node's public key behind ?key=")
        }
        self = .keyed(address)
    }

    /// Whether the node has a key.
    package var isKeyed: Bool {
        if case .keyed = self { true } else { false }
    }

    /// As messages name it.
    package var withoutKey: String {
        switch self {
        case .http(let address): address.location
        case .keyed(let address): address.endpoint
        }
    }

    /// The text of it.
    package var description: String {
        switch self {
        case .http(let address): address.description
        case .keyed(let address): address.description
        }
    }
}
