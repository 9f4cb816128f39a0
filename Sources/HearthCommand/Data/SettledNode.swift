internal import ClusterNode
internal import DataTree
internal import Glibc
internal import ZeroMQ

/// Finds a node that holds everything up to now, or waits until one does.
enum SettledNode {
    private static let intervalMicroseconds: UInt32 = 500_000

    static func address(
        for invocation: Invocation, within limit: Duration
    ) throws(CommandError) -> String {
        let probe = try StatusProbe(for: invocation)
        let servers = try NodeOptions.servers(of: invocation)
        let end = ContinuousClock.now + limit
        /// What the clock of each node showed when it first answered.
        var starts = [Int64?](repeating: nil, count: servers.count)
        var problem = "no node answers"
        while true {
            let statuses = try statuses(of: servers, probe)
            for (index, status) in statuses.enumerated() {
                guard let status else { continue }
                let start = starts[index] ?? number("wallMilliseconds", in: status)
                starts[index] = start
                // Up to and with its last millisecond.
                if number("settledMilliseconds", in: status) > start {
                    return servers[index].description
                }
                problem =
                    "what was written before now is not settled at \(servers[index]): "
                    + reason(in: status)
            }
            guard ContinuousClock.now < end else { break }
            // Nodes learn it from each other's beats, four times a second.
            usleep(intervalMicroseconds)
        }
        throw CommandError(
            .unavailable, problem,
            fix: "start the nodes that are away, or vote them out with `hearth cluster evict`; see "
                + "`hearth cluster doctor`")
    }

    private static func statuses(
        of servers: [ServerAddress], _ probe: StatusProbe
    ) throws(CommandError) -> [Value?] {
        do throws(NodeError) {
            return try probe.statuses(of: servers, within: .seconds(1))
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
