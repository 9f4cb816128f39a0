/// A second process under the name of a node learns that there is another one, and ends.
enum OneOfAName {
    static func judge(_ evidence: Evidence) -> Finding {
        for twin in evidence.twins where twin.ended == nil {
            return .invalid(
                "a second n\(twin.node + 1), started at \(twin.started.description), is still there"
            )
        }
        return .valid(evidence.twins.count, "processes with the name of another")
    }
}
