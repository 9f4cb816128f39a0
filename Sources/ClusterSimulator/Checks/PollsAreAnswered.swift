extension Check {
    package static let pollsAreAnswered: Check = Check(
        "polls-are-answered", judges: .programs, failure: .liveness,
        claim: "a node answers a poll when it gets the next one",
        criterion: """
            at rest, no Firebase client has two polls without an answer for longer than 5 s: a \
            node that receives another poll answers the one that it holds
            """,
        watch: PollWatch.self
    ) { evidence in
        guard let watch = evidence.watches.first(of: PollWatch.self) else {
            return .unknown("the run was not watched")
        }
        if let failure = watch.failure { return .invalid(failure) }
        return .valid(watch.polling.count, "clients that polled at rest")
    }
}

/// Observes the open polls of Firebase clients once nothing fails.
struct PollWatch: Watch {
    private static let patience: Microseconds = .seconds(5)

    private(set) var polling: Set<Int> = []
    private(set) var failure: String?
    /// Since when a client has had two open polls.
    private var heldSince: [Int: Microseconds] = [:]

    init(_ scenario: Scenario, seed: UInt64) {}

    mutating func ticked(_ node: Int, in run: inout SimulatedRun) {
        guard run.quiescence.hasBegun else { return }
        for client in run.clients(of: FirebaseClient.self) where client.node == node {
            if client.hasPolls { polling.insert(client.index) }
            note(client.index, holdsTwo: client.holdsTwoPolls, at: run.now)
        }
    }

    /// Records whether a client has two open polls.
    mutating func note(_ client: Int, holdsTwo: Bool, at now: Microseconds) {
        guard holdsTwo else {
            heldSince[client] = nil
            return
        }
        let since = heldSince[client] ?? now
        heldSince[client] = since
        guard failure == nil, now > since + PollWatch.patience else { return }
        failure =
            "\(client.clientName) has sent two polls, and has no answer since \(since.description)"
    }
}
