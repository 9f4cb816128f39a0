internal import DataTree
internal import JSONText
package import SyncProtocol

/// A node of a cluster, seen from outside at one moment.
package struct ObservedNode: Sendable {
    package enum State: String, CaseIterable, Sendable {
        case serving
        /// It answers, but accepts no writes.
        case impaired
        /// It serves, and shows its status to administrators only.
        case unauthorized
        /// It runs, and does not accept clients yet.
        case starting
        case stopped
        /// Suspended by a signal.
        case paused
        /// Its machine answers, and no process listens at its address.
        case down
        /// Nothing comes from its address.
        case silent
        /// The connection to it fails.
        case unreachable
        /// It answers with a status that cannot be read.
        case unreadable
    }

    /// The state of a node's eviction.
    package enum Eviction: String, CaseIterable, Sendable {
        /// A node votes for it, and no majority is known.
        case pending = "eviction pending"
        case evicted
    }

    package let node: ObservedCluster.Node
    /// Nil if it does not run, or not on this machine.
    package let process: NodeProcess?
    package let state: State
    /// The outcome of asking it for its status; nil if it was not asked, as it is paused.
    package let answer: StatusAnswer?
    /// From the request to all nodes until its answer was read.
    private let delayMilliseconds: Int

    /// The node's own status; nil unless it answers with one.
    package var report: NodeStatus? { answer?.report }

    /// Whether a node answers at its address, in whatever way.
    package var answers: Bool {
        switch answer {
        case .status, .unreadable, .denied, .unavailable: true
        case .refused, .silent, .failed, nil: false
        }
    }

    /// The names of the peers with which it has contact, in the order of keys.
    package var connectedPeers: [String] { report?.exchange.connectedPeers.keys.inKeyOrder ?? [] }

    /// Whether it received a heartbeat of that peer recently, and since the peer's process started.
    package func hears(_ peer: ObservedNode) -> Bool {
        guard let heard = report?.exchange.connectedPeers[peer.node.id] else { return false }
        guard let process = peer.process else { return true }
        return process.ageSeconds.map { Double(heard) <= $0 * 1000 } ?? false
    }

    /// The processes that it refused as members.
    var refusedNodes: [RefusedNode] {
        let refused = report?.exchange.refusedNodes ?? [:]
        return refused.keys.inKeyOrder.map { RefusedNode($0, refused[$0]!, by: node.id) }
    }

    /// The processes that it refused because of their keys.
    var refusedKeys: [NodeStatus.RefusedKey] { report?.process?.refusedKeys ?? [] }

    /// Why its disk cannot be written; nil if it works.
    var storageProblem: String? {
        guard let storage = report?.identity.storage else { return nil }
        return storage == NodeStatus.storageWorks ? nil : storage
    }

    /// The state of its eviction: by its own status, or by those of the others once all are observed.
    fileprivate(set) var eviction: Eviction?

    var isEvicted: Bool { eviction == .evicted }

    /// The text after the name of a node that shows its status only to administrators.
    package static let denialText = "serves; only administrators may see its status"

    /// As in `stopped, evicted`.
    package var condition: String {
        eviction.map { "\(state.rawValue), \($0.rawValue)" } ?? state.rawValue
    }

    /// The age of its stable time; nil if it has none.
    package var stableSeconds: Double? {
        guard let report, report.data.stableMilliseconds > 0 else { return nil }
        return Double(report.identity.wallMilliseconds - report.data.stableMilliseconds) / 1000
    }

    /// The bounds of its clock when all nodes were asked, as its answer came later by an unknown delay. In
    /// milliseconds since 1970; nil if its status has no clock.
    var clockWhenAsked: ClosedRange<Int>? {
        let wall = report?.identity.wallMilliseconds ?? 0
        return wall > 0 ? wall - delayMilliseconds...wall : nil
    }
}

extension ObservedNode.State {
    /// The meaning, for the help.
    package var explanation: String {
        switch self {
        case .serving: "It serves clients."
        case .impaired: "It answers but accepts no writes: its disk fails, or it is evicted."
        case .unauthorized: "It serves; only administrators may see its status."
        case .starting: "It does not accept clients yet."
        case .stopped: "It does not run on this machine."
        case .paused: "It is suspended by a signal (`hearth cluster pause`)."
        case .down: "Its machine answers, but no process listens at its address."
        case .silent: "Its address does not answer: the machine is down, unreachable, or hangs."
        case .unreachable: "The connection fails; `hearth cluster doctor` says why."
        case .unreadable: "Another version of Hearth wrote its status."
        }
    }
}

extension ObservedNode.Eviction {
    /// The meaning, for the help.
    package var explanation: String {
        switch self {
        case .evicted:
            "The others continue without it; it accepts no writes until it has rejoined."
        case .pending: "A node has voted to evict it, but no majority yet."
        }
    }
}

extension ObservedNode {
    package init(
        node: ObservedCluster.Node, process: NodeProcess?, isLocal: Bool,
        answer: StatusAnswer?, delayMilliseconds: Int = 0
    ) {
        self.node = node
        self.process = process
        self.delayMilliseconds = delayMilliseconds
        self.answer = answer
        eviction = answer?.report?.membership.isEvicted == true ? .evicted : nil
        let runs = process?.isRunning ?? false
        state =
            switch answer {
            case .status(let report): report.takesWrites ? .serving : .impaired
            case .unreadable: .unreadable
            case .denied: .unauthorized
            case .unavailable: .starting
            case .refused: runs ? .starting : isLocal ? .stopped : .down
            case .silent where process?.isPaused ?? false, nil: .paused
            case .silent: .silent
            // Another program may have its port.
            case .failed: runs || !isLocal ? .unreachable : .stopped
            }
    }

    /// One line for scripts; members of the node's own status are missing unless it serves.
    package var json: String {
        var members = [
            ("id", JSONWriter.text(of: .string(node.id))),
            ("pid", process.map { String($0.pid) } ?? "null"),
            ("state", "\"\(state.rawValue)\""),
            ("address", JSONWriter.text(of: .string(node.address.location))),
            ("isEvicted", String(isEvicted)),
        ]
        if let report {
            let held = Value.object(
                named: report.data.held.map { ($0.key, .integer(Int64($0.value))) })
            let peers = connectedPeers.map { JSONWriter.text(of: .string($0)) }
            members.append(("held", held.isNull ? "{}" : JSONWriter.text(of: held)))
            members.append(("connectedPeers", "[" + peers.joined(separator: ",") + "]"))
        }
        let shown = ["held", "connectedPeers", "isEvicted"]
        for (key, value) in report?.value.children ?? Children() where !shown.contains(key.text) {
            members.append((key.text, JSONWriter.text(of: value)))
        }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}

extension [ObservedNode] {
    /// The same, each with the state of its eviction from all statuses: a stopped node has none of its own.
    func withEvictions() -> [ObservedNode] {
        map { status in
            let id = status.node.id
            let others = filter { $0.node.id != id }.compactMap { $0.report?.membership }
            var status = status
            if status.isEvicted { return status }
            if others.contains(where: { $0.evicted[id] != nil }) {
                status.eviction = .evicted
            } else if others.contains(where: { $0.evictionVotes[id] != nil }) {
                status.eviction = .pending
            }
            return status
        }
    }
}

extension NodeStatus {
    /// Whether it serves without limits, as `/health` says.
    fileprivate var takesWrites: Bool {
        identity.storage == NodeStatus.storageWorks && !membership.isEvicted
            && membership.awaited == nil
    }
}

extension Collection where Element == String {
    /// Names in the order in which a tree shows them: numbers first.
    package var inKeyOrder: [String] { sorted { Key(unchecked: $0) < Key(unchecked: $1) } }
}
