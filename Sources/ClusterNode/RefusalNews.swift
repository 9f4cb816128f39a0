internal import SyncProtocol

/// The lines of the log about processes that a node refuses as members.
struct RefusalNews {
    /// A process can claim any number of names.
    private static let limit = 100

    /// The processes that have a line.
    private var reported: Set<String> = []

    /// Returns a line for each process that has none.
    mutating func lines(for refused: [String: NodeStatus.RefusedNode]) -> [String] {
        refused.sorted { $0.key < $1.key }.compactMap { reason, node in
            guard reported.count < Self.limit,
                reported.insert("\(reason) \(node.member) \(node.endpoint)").inserted
            else { return nil }
            return
                "refuses the process \(node.member) at \(node.endpoint): \(node.problem); \(node.fix)"
        }
    }
}
