internal import DataTree
internal import JSONText

/// How a node of a cluster is, seen from outside.
struct NodeStatus: Sendable {
    enum State: String, CaseIterable, Sendable {
        case serving
        /// It runs, and does not take clients yet.
        case starting
        case stopped
        /// Stopped by a signal, to be resumed.
        case paused
        /// It runs, and does not answer.
        case unreachable
    }

    /// What the cluster has decided of a node.
    enum Eviction: String, CaseIterable, Sendable {
        /// Some node votes for it, and no majority is known.
        case pending = "eviction pending"
        case evicted
    }

    let node: ObservedCluster.Node
    /// Nil if it does not run, or not on this machine.
    let process: NodeProcess?
    let state: State
    /// What the node itself says; null unless it serves.
    let report: Value
    /// From the question to all nodes until its answer was read.
    private let delayMilliseconds: Int64

    /// The operations that it has applied, by the node that made them.
    var held: [(origin: String, count: Int64)] {
        report[Key(unchecked: "held")].children.map { ("\($0.key)", $0.value.count) }
    }

    /// The names of the peers it hears.
    var connectedPeers: [String] {
        report[Key(unchecked: "connectedPeers")].children.map { "\($0.key)" }
    }

    /// Whether it heard from that peer of late, and since the peer's process started.
    func hears(_ peer: NodeStatus) -> Bool {
        let heard = report[Key(unchecked: "connectedPeers")][Key(unchecked: peer.node.id)]
        if heard.isNull { return false }
        guard let process = peer.process else { return true }
        return process.ageSeconds.map { Double(heard.count) <= $0 * 1000 } ?? false
    }

    /// A text of the report, if it is there.
    func text(_ name: String) -> String? { report.text(name) }

    /// The processes that it did not take for the members that they said they were.
    var refusedNodes: [RefusedNode] {
        report[Key(unchecked: "refusedNodes")].children.map { reason, refusal in
            RefusedNode("\(reason)", refusal, by: node.id)
        }
    }

    /// Why its disk takes nothing; nil if it works.
    var storageProblem: String? {
        text("storage").flatMap { $0 == "works" ? nil : $0 }
    }

    /// What is known of its eviction: from itself, or from the others once all were looked at.
    fileprivate(set) var eviction: Eviction?

    var isEvicted: Bool { eviction == .evicted }

    /// As in `stopped, evicted`.
    var condition: String {
        eviction.map { "\(state.rawValue), \($0.rawValue)" } ?? state.rawValue
    }

    /// How long ago the time was up to which all is stable at it; nil if it does not know.
    var stableSeconds: Double? {
        let settled = self["stableMilliseconds"]
        return settled > 0 ? Double(self["wallMilliseconds"] - settled) / 1000 : nil
    }

    /// Between which times its clock was when all nodes were asked: it answered in between, early or late.
    /// In milliseconds since 1970; nil if it does not tell.
    var clockWhenAsked: ClosedRange<Int64>? {
        let wall = self["wallMilliseconds"]
        return wall > 0 ? wall - delayMilliseconds...wall : nil
    }

    /// A number of the report, 0 if it is not there.
    subscript(name: String) -> Int64 { report[Key(unchecked: name)].count }

    /// A number of what the report says of the process.
    func process(_ name: String) -> Int64 {
        report[Key(unchecked: "process")][Key(unchecked: name)].count
    }
}

extension NodeStatus.State {
    /// What it means, for the help.
    var explanation: String {
        switch self {
        case .serving: "It takes clients."
        case .starting: "It runs, and does not take clients yet."
        case .stopped: "It does not run."
        case .paused: "It is suspended by a signal (`hearth cluster pause`)."
        case .unreachable: "It runs, or is on another machine, and does not answer."
        }
    }
}

extension NodeStatus.Eviction {
    /// What it means, for the help.
    var explanation: String {
        switch self {
        case .evicted:
            "The others go on without it; it takes no writes until it has rejoined."
        case .pending: "A node voted to evict it, and no majority has joined the vote yet."
        }
    }
}

extension NodeStatus {
    init(
        node: ObservedCluster.Node, process: NodeProcess?, isLocal: Bool, report: Value?,
        delayMilliseconds: Int64 = 0
    ) {
        self.node = node
        self.process = process
        self.report = report ?? .null
        self.delayMilliseconds = delayMilliseconds
        let isEvicted = report?[Key(unchecked: "isEvicted")] == .boolean(true)
        eviction = isEvicted ? .evicted : nil
        if report != nil {
            state = .serving
        } else if let process, process.isRunning {
            let isListening = RemotePort(node.address.endpoint)?.isListening() ?? true
            state = process.isPaused ? .paused : isListening ? .unreachable : .starting
        } else {
            state = isLocal ? .stopped : .unreachable
        }
    }

    /// Whether this report says that a member is evicted, or is voted on.
    fileprivate func knows(_ member: String, as fact: String) -> Bool {
        !report[Key(unchecked: fact)][Key(unchecked: member)].isNull
    }

    /// One line for scripts; what only the node knows is missing unless it serves.
    var json: String {
        var members = [
            ("id", JSONWriter.text(of: .string(node.id))),
            ("pid", process.map { String($0.pid) } ?? "null"),
            ("state", "\"\(state.rawValue)\""),
            ("address", JSONWriter.text(of: .string(node.address.endpoint))),
            ("isEvicted", String(isEvicted)),
        ]
        if !report.isNull {
            let counts = held.map { "\(JSONWriter.text(of: .string($0.origin))):\($0.count)" }
            let peers = connectedPeers.map { JSONWriter.text(of: .string($0)) }
            members.append(("held", "{" + counts.joined(separator: ",") + "}"))
            members.append(("connectedPeers", "[" + peers.joined(separator: ",") + "]"))
        }
        let shown = ["held", "connectedPeers", "isEvicted"]
        for (key, value) in report.children where !shown.contains("\(key)") {
            members.append(("\(key)", JSONWriter.text(of: value)))
        }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}

extension [NodeStatus] {
    /// The same, each with what all of them know of its eviction: one that is stopped does not tell.
    func withEvictions() -> [NodeStatus] {
        map { status in
            let others = filter { $0.node.id != status.node.id }
            var status = status
            if status.isEvicted { return status }
            if others.contains(where: { $0.knows(status.node.id, as: "evicted") }) {
                status.eviction = .evicted
            } else if others.contains(where: { $0.knows(status.node.id, as: "evictionVotes") }) {
                status.eviction = .pending
            }
            return status
        }
    }
}

extension Value {
    /// A text below, if it is there.
    func text(_ name: String) -> String? {
        if case .string(let text) = self[DataTree.Key(unchecked: name)] { text } else { nil }
    }

    /// The number that this is, 0 if it is none.
    var count: Int64 {
        if case .integer(let count) = content { count } else { 0 }
    }
}
