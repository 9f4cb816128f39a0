extension Check {
    package static let requestsDoWhatTheySay: Check = Check(
        "requests-do-what-they-say", judges: .nodes, guarantees: "C1",
        claim: "a request has its effect in one database alone",
        criterion: """
            on a copy of a node, a write has the effect that it has in one database alone, \
            priorities and server values included, and a read shows the filtered and sorted \
            children; a repeated write is not done again
            """,
        watch: RequestProbes.self, evaluate: RequestsDoWhatTheySay.evaluate)
}

/// Requests to copies of nodes' replicas, where nothing else happens, do what they would do to one database alone.
enum RequestsDoWhatTheySay {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let probes = evidence.watches.first(of: RequestProbes.self)
        if let failure = probes?.failure { return .invalid(failure) }
        return .valid(probes?.count ?? 0, "requests to copies of replicas")
    }
}
