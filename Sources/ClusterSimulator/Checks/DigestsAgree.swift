extension Check {
    package static let digestsAgree: Check = Check(
        "digests-agree", judges: .nodes, guarantees: "C1",
        claim: "no node finds that the tree of another differs",
        criterion: "no comparison of trees, which nodes make every `compare`, finds a difference",
        evaluate: DigestsAgree.evaluate)
}

/// Nodes compare the digests of their trees with the same operations, and find them equal.
enum DigestsAgree {
    static func evaluate(_ evidence: Evidence) -> Finding { finding(in: evidence.comparisons) }

    /// The finding in the counts of all nodes.
    static func finding(
        in comparisons: [(node: String, compared: UInt64, differing: UInt64)]
    ) -> Finding {
        for (node, compared, differing) in comparisons where differing > 0 {
            return .invalid(
                "\(node) found \(differing) of \(compared) trees of other nodes different from its "
                    + "own, with the same operations")
        }
        let count = comparisons.reduce(0) { $0 + Int(clamping: $1.compared) }
        return .valid(count, "comparisons of two trees")
    }
}
