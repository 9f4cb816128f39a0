package import ClientCore
internal import Sockets
internal import Storage
package import TLS

// Checks before a connection begins.

extension Connection {
    /// Checks addresses.
    ///
    /// - Throws: `.invalid` for a text that is no address, or names no usable file of authorities.
    static func check(_ nodes: [String]) throws(HearthError) {
        guard !nodes.isEmpty else {
            throw HearthError(
                .invalid, "no address of a node is given",
                fix: "name at least one, as in http://127.0.0.1:7001")
        }
        for node in nodes {
            let address = try NodeAddress(node).address
            do throws(SocketError) { try address.checkTrust() } catch {
                throw HearthError(.invalid, error.problem, fix: error.fix)
            }
        }
    }

    /// Checks a secret.
    ///
    /// - Throws: `.invalid` for a text that is none, which it does not show.
    package static func secret(_ text: String) throws(HearthError) -> Secret {
        if let secret = Secret(text) { return secret }
        throw HearthError(
            .invalid, "the secret or token is empty or too long, or has characters that none has",
            fix: "use the text in a file that `hearth keys secret` or `hearth token new` made")
    }

    static func store(
        _ persistence: Persistence
    ) throws(HearthError) -> LocalStore {
        do throws(StorageError) {
            return try LocalStore(path: persistence.file, byteLimit: persistence.byteLimit)
        } catch {
            throw HearthError(.unavailable, error.problem, fix: error.fix)
        }
    }
}

extension HearthError {
    static func closed(effect: Effect) -> HearthError {
        effect == .none
            ? HearthError(
                .closed, "the connection was closed", fix: "connect again, with another Database")
            : HearthError(
                .closed, "the connection was closed before the answer came",
                fix: "wait for the answers before closing", effect: effect)
    }
}
