public import SyncProtocol

/// The memory that each connection uses of a common limit. Above the limit, the connection with the largest share
/// must end.
public struct MemoryShares: Sendable {
    private let limit: Int
    private var shares: [SessionID: Int] = [:]
    /// The bytes that all keep together.
    private(set) var total = 0

    /// - Parameter limit: The bytes that all connections may keep together.
    public init(limit: Int) { self.limit = limit }

    /// Sets the bytes that a connection keeps.
    ///
    /// - Returns: The connection that has to end, this or another one, if all keep too much; its share is to be set to zero.
    /// - Complexity: O(connections that keep something) if all keep too much.
    public mutating func set(_ bytes: Int, of connection: SessionID) -> SessionID? {
        let before = shares[connection] ?? 0
        shares[connection] = bytes == 0 ? nil : bytes
        total += bytes - before
        guard total > limit else { return nil }
        return shares.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }
}
