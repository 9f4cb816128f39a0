package import DataTree
package import Sockets
internal import SyncProtocol

extension StatusProbe {
    /// The value that a node shows at a location to a client that has seen nothing before; nil if the node does not
    /// serve, or does not answer in time.
    package func value(
        at path: Path, of address: HTTPAddress, within limit: Duration
    ) -> Value? {
        guard
            case .value(_, let value)? = try? answer(
                of: address, to: .get(id: requestID, path: path), within: limit)
        else { return nil }
        return value
    }
}
