internal import ClusterNode
internal import DataTree
internal import Glibc
internal import JSONText
internal import ZeroMQ

/// How a node of a cluster is, seen from outside.
struct NodeStatus: Sendable {
    enum State: String, Sendable {
        case serving
        /// It runs, and does not take clients yet.
        case starting
        case stopped
        /// Stopped by a signal, to be resumed.
        case paused
        /// It runs, and does not answer.
        case unreachable
    }

    let node: Cluster.Node
    let process: NodeProcess?
    let state: State
    /// What the node itself says; null unless it serves.
    let report: Value

    /// The operations that it has applied, by the node that made them.
    var held: [(origin: String, count: Int64)] {
        report[Key(unchecked: "held")].children.map { ("\($0.key)", $0.value.count) }
    }

    /// The names of the peers it hears.
    var connectedPeers: [String] {
        report[Key(unchecked: "connectedPeers")].children.map { "\($0.key)" }
    }

    /// Whether it heard from that peer since the peer's process started.
    func hears(_ peer: NodeStatus) -> Bool {
        let heard = report[Key(unchecked: "connectedPeers")][Key(unchecked: peer.node.id)]
        guard !heard.isNull, let age = peer.process?.ageSeconds else { return false }
        return Double(heard.count) <= age * 1000
    }

    /// A number of the report, 0 if it is not there.
    subscript(name: String) -> Int64 { report[Key(unchecked: name)].count }

    /// A number of what the report says of the process.
    func process(_ name: String) -> Int64 {
        report[Key(unchecked: "process")][Key(unchecked: name)].count
    }
}

extension Cluster {
    /// Asks all nodes at once; those that do not answer within `limit` count as unreachable.
    func statuses(within limit: Duration = .seconds(1)) throws(CommandError) -> [NodeStatus] {
        let processes = file.nodes.map { process(of: $0) }
        let asked = zip(file.nodes, processes).filter { _, process in
            process.map { !$0.isPaused } ?? false
        }.map(\.0)
        var reports: [String: Value] = [:]
        do throws(NodeError) {
            let answers = try StatusProbe().statuses(
                of: asked.map { ServerAddress($0.client, key: nil) }, within: limit)
            for (node, answer) in zip(asked, answers) { reports[node.id] = answer }
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
        return zip(file.nodes, processes).map { node, process in
            NodeStatus(node: node, process: process, report: reports[node.id])
        }
    }
}

extension NodeStatus {
    fileprivate init(node: Cluster.Node, process: NodeProcess?, report: Value?) {
        self.node = node
        self.process = process
        self.report = report ?? .null
        if report != nil {
            state = .serving
        } else if let process, process.isRunning {
            let port = node.client.split(separator: ":").last.flatMap { UInt16($0) }
            let isListening = port.map { LocalPort(number: $0).isListening } ?? true
            state = process.isPaused ? .paused : isListening ? .unreachable : .starting
        } else {
            state = .stopped
        }
    }

    /// One line for scripts; what only the node knows is missing unless it serves.
    var json: String {
        var members = [
            ("id", JSONWriter.text(of: .string(node.id))),
            ("pid", process.map { String($0.pid) } ?? "null"),
            ("state", "\"\(state.rawValue)\""),
            ("address", JSONWriter.text(of: .string(node.client))),
        ]
        if !report.isNull {
            let counts = held.map { "\(JSONWriter.text(of: .string($0.origin))):\($0.count)" }
            let peers = connectedPeers.map { JSONWriter.text(of: .string($0)) }
            members.append(("held", "{" + counts.joined(separator: ",") + "}"))
            members.append(("connectedPeers", "[" + peers.joined(separator: ",") + "]"))
        }
        for (key, value) in report.children where !["held", "connectedPeers"].contains("\(key)") {
            members.append(("\(key)", JSONWriter.text(of: value)))
        }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}

extension Value {
    fileprivate var count: Int64 {
        if case .integer(let count) = content { count } else { 0 }
    }
}
