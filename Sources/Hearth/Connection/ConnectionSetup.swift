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
                fix: "name at least one, as in http://127.0.0.1:7001")
        }
        for node in nodes { _ = try NodeAddress(node) }
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
