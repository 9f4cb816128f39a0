internal import ClientCore
internal import Storage
internal import ZeroMQ

// How a connection gets its addresses and keys before it begins.

extension Connection {
    /// Looks at the addresses, and reads the file of keys.
    ///
    /// - Throws: `.invalid` for a text that is no address, and for a key that is none.
    static func keys(
        in keyFile: String?, for nodes: [String]
    ) throws(HearthError) -> KeyPair? {
        guard !nodes.isEmpty else {
            throw HearthError(
                .invalid, "there is no address of a node",
                fix: "name at least one, as in tcp://127.0.0.1:7001")
        }
        if let bad = nodes.first(where: { !ServerAddress.isComplete($0) }) {
            throw HearthError(
                .invalid, "\(bad) is no address of a node",
                fix: "write a scheme, a host and a port, as in tcp://127.0.0.1:7001")
        }
        if let bad = nodes.first(where: { ServerAddress($0) == nil }) {
            throw HearthError(
                .invalid, "the key in \(bad) is none",
                fix: "write the node's 40 characters behind ?key=")
        }
        guard let keyFile else { return nil }
        do throws(KeyFileError) {
            return try KeyFile(keyFile).read()
        } catch {
            throw HearthError(.invalid, error.problem, fix: error.fix)
        }
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

extension ServerAddress {
    /// Whether a text has all parts of an address at which a node takes clients.
    fileprivate static func isComplete(_ text: String) -> Bool {
        let end = text.firstIndex(of: "?") ?? text.endIndex
        let parts = text[..<end].split(separator: "://", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return false }
        guard parts[0] == "tcp" else { return parts[0] == "ipc" }
        guard let colon = parts[1].lastIndex(of: ":"), colon != parts[1].startIndex,
            let port = UInt16(parts[1][parts[1].index(after: colon)...])
        else { return false }
        return port > 0
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
