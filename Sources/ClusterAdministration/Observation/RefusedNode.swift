package import SyncProtocol

/// A process that claimed to be a member, and that nodes refused.
package struct RefusedNode: Equatable {
    /// As `status` names it.
    package let reason: String
    /// The member that it claimed to be, and its endpoint.
    package let member: String
    package let endpoint: String
    package let problem: String
    package let fix: String
    package private(set) var count: Int
    private(set) var agoSeconds: Int
    /// The nodes that refused it.
    package private(set) var nodes: [String]

    package init(_ reason: String, _ refusal: NodeStatus.RefusedNode, by node: String) {
        self.reason = reason
        member = refusal.member
        endpoint = refusal.endpoint
        problem = refusal.problem
        fix = refusal.fix
        count = refusal.count
        agoSeconds = refusal.agoMilliseconds / 1000
        nodes = [node]
    }

    /// Adds the report of another node; false if that is about another process.
    private mutating func merge(_ other: RefusedNode) -> Bool {
        guard reason == other.reason, member == other.member, endpoint == other.endpoint
        else { return false }
        count = max(count, other.count)
        agoSeconds = min(agoSeconds, other.agoSeconds)
        nodes += other.nodes
        return true
    }

    /// The processes that nodes report, each once.
    package static func all(in statuses: [ObservedNode]) -> [RefusedNode] {
        var all: [RefusedNode] = []
        for refused in statuses.flatMap(\.refusedNodes)
        where !all.indices.contains(where: { all[$0].merge(refused) }) {
            all.append(refused)
        }
        return all
    }

    /// The finding, unless the last refusal was long ago.
    package var finding: Diagnosis.Finding? {
        guard agoSeconds < RefusedNode.memorySeconds else { return nil }
        let refusals =
            "\(nodes.joined(separator: " and ")) refused it \(count == 1 ? "once" : "\(count) times")"
            + ", last \(agoSeconds) s ago"
        if reason == "secondOfAName" {
            return .init(
                severity: .warning, node: member,
                problem: "is also the name of another process, at \(endpoint): \(refusals)",
                fix: "stop that process, or give it another id")
        }
        return .init(
            severity: .warning, node: member,
            problem: "at \(endpoint) is not a member: \(refusals); \(problem)", fix: fix)
    }

    private static let memorySeconds = 600
}
