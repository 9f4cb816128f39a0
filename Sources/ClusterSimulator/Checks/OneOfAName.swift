/// A duplicate node is refused by peers, and ends.
enum OneOfAName {
    static func judge(_ evidence: Evidence) -> Finding {
        for duplicateNode in evidence.duplicateNodes where duplicateNode.ended == nil {
            return .invalid(
                "a second n\(duplicateNode.node + 1), started at \(duplicateNode.started.description), is still there"
            )
        }
        return .valid(evidence.duplicateNodes.count, "processes with the name of another")
    }
}
