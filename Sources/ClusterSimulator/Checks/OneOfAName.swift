extension Check {
    package static let oneOfAName: Check = Check(
        "one-of-a-name", judges: .nodes,
        failure: .liveness,
        claim: "a second process under the name of a node ends",
        criterion: "a second process under the name of a node learns that, and ends",
        evaluate: OneOfAName.evaluate)
}

/// A duplicate node is refused by peers, and ends.
enum OneOfAName {
    static func evaluate(_ evidence: Evidence) -> Finding {
        for duplicateNode in evidence.duplicateNodes where duplicateNode.ended == nil {
            return .invalid(
                "a second n\(duplicateNode.node + 1), started at \(duplicateNode.started.description), is still there"
            )
        }
        return .valid(evidence.duplicateNodes.count, "processes with the name of another")
    }
}
