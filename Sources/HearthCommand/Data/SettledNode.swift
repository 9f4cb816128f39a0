internal import ClusterNode
internal import DataTree
internal import Glibc
internal import ZeroMQ

/// Finds a node, and waits until it holds everything up to now.
enum SettledNode {
    private static let intervalMicroseconds: UInt32 = 500_000

    static func address(
        for invocation: Invocation, within limit: Duration
    ) throws(CommandError) -> String {
        let keys = try NodeOptions.keys(inFile: NodeOptions.keyFile(of: invocation))
        let probe = StatusProbe(as: keys)
        let end = ContinuousClock.now + limit
        var problem = "no node answers"
        for address in try NodeOptions.addresses(of: invocation) {
            guard let first = try status(of: address, probe) else { continue }
            let now = number("wallMilliseconds", in: first)
            var status = first
            while number("settledMilliseconds", in: status) < now, ContinuousClock.now < end {
                usleep(intervalMicroseconds)
                status = try self.status(of: address, probe) ?? status
            }
            if number("settledMilliseconds", in: status) >= now { return address }
            problem =
                "what was written before now is not settled at \(address): " + reason(in: status)
        }
        throw CommandError(
            .unavailable, problem,
            fix: "start the nodes that are away, or vote them out with `hearth cluster evict`; see "
                + "`hearth cluster doctor`")
    }

    private static func status(
        of address: String, _ probe: StatusProbe
    ) throws(CommandError) -> Value? {
        do throws(NodeError) {
            let server = ServerAddress(address) ?? ServerAddress(address, key: nil)
            return try probe.statuses(of: [server], within: .seconds(2))[0]
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
    }

    private static func number(_ name: String, in status: Value) -> Int64 {
        guard case .integer(let number) = status[Key(unchecked: name)].content else { return 0 }
        return number
    }

    /// Why a node does not know that all is settled.
    private static func reason(in status: Value) -> String {
        let silent = status[Key(unchecked: "silentPeers")].children.map { "\($0.key)" }
        return silent.isEmpty
            ? "its peers are not done yet" : "it does not hear \(silent.joined(separator: ", "))"
    }
}
