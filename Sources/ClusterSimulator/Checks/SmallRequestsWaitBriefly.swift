extension Check {
    package static let smallRequestsWaitBriefly: Check = Check(
        "small-requests-wait-briefly", judges: .clients,
        claim: "clients that send much do not delay others",
        criterion: """
            a request of a client that waits for each answer is served within two turns of its \
            node, whatever hostile sessions send
            """,
        evaluate: SmallRequestsWaitBriefly.evaluate)
}

/// A request of a client that waits for each answer is served within two turns, whatever other clients have sent.
enum SmallRequestsWaitBriefly {
    /// A request may need more than what is left of its session's share.
    private static let turnLimit = 2

    static func evaluate(_ evidence: Evidence) -> Finding {
        guard evidence.scenario.clients.hostile > 0 else {
            return .unknown("no client sends more than its share")
        }
        for (name, requests) in evidence.smallRequests {
            guard let wait = requests.longest, wait.turns > turnLimit else { continue }
            return .invalid(
                "a request waited for more than \(turnLimit) turns of \(name), which served others meanwhile",
                "session \(wait.session.number) waited for \(wait.turns) turns")
        }
        let count = evidence.smallRequests.reduce(0) { $0 + $1.requests.count }
        return .valid(count, "requests beside hostile clients")
    }
}
