package import ClientCore
package import Sockets
package import SyncProtocol

extension HTTPAddress {
    /// Parses the address of a node: `http://127.0.0.1:7001`, `https://db.example.com:7001`, with the file of the trusted
    /// authorities `https://db.example.com:7001#ca=FILE`, or with the certificate that is meant `https://10.0.0.1:7001#sha256=…`.
    ///
    /// - Throws: `.invalid`, with what to write instead.
    package init(node text: String) throws(HearthError) {
        if let address = HTTPAddress(text) {
            self = address
            return
        }
        guard !text.hasPrefix("http") || !text.contains("#") else {
            throw HearthError(
                .invalid, "\(text) names neither a fingerprint nor a file of authorities",
                fix:
                    "write https://, a host, a port, and #sha256= with 64 hexadecimal digits or #ca= with a file"
            )
        }
        throw HearthError(
            .invalid, "\(text) is not an address of a node",
            fix: "write http:// or https://, a host and a port, as in http://127.0.0.1:7001")
    }
}

/// The address of a node with the database that a client uses there: `http://127.0.0.1:7001?ns=chat`, or
/// `https://10.0.0.1:7001?ns=chat#sha256=…`. Without `?ns=`, the node takes the first label of its host, or the default database.
package struct NodeAddress: Hashable, Sendable {
    package let address: HTTPAddress
    /// The database that the address names; nil without `?ns=`.
    package let database: DatabaseName?

    /// Parses an address.
    ///
    /// - Throws: `.invalid`, with what to write instead.
    package init(_ text: String) throws(HearthError) {
        guard let mark = text.firstIndex(of: "?") else {
            (address, database) = (try HTTPAddress(node: text), nil)
            return
        }
        let query = text[text.index(after: mark)...].prefix { $0 != "#" }
        let fragment = text[mark...].drop { $0 != "#" }
        guard query.hasPrefix("ns="), let name = DatabaseName(anyCase: String(query.dropFirst(3)))
        else {
            throw HearthError(
                .invalid, "?\(query) in \(text) names no database",
                fix:
                    "write ?ns= and a name of 1 to \(DatabaseName.longest) characters of a-z, 0-9 and -"
            )
        }
        (address, database) = (try HTTPAddress(node: String(text[..<mark] + fragment)), name)
    }

    /// The text of the address of a node with a database; nil names none.
    package static func text(_ address: String, _ database: DatabaseName?) -> String {
        guard let database else { return address }
        let end = address.firstIndex(of: "#") ?? address.endIndex
        return "\(address[..<end])?ns=\(database)\(address[end...])"
    }
}
