package import ClientCore
package import Sockets

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
