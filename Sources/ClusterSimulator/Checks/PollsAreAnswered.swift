extension Check {
    package static let pollsAreAnswered: Check = Check(
        "polls-are-answered", judges: .programs, failure: .liveness,
        claim: "a node answers a poll when it gets the next one",
        criterion: """
            at rest, no poll of a Firebase client stays without an answer for longer than 5 s \
            once its client has sent a later one: a node that receives another poll answers the \
            one that it holds
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
    /// Since when a client has had no answer to the earlier of two polls.
    private var awaitedSince: [Int: Microseconds] = [:]

    init(_ scenario: Scenario, seed: UInt64) {}

    mutating func ticked(_ node: Int, in run: inout SimulatedRun) {
        guard run.quiescence.hasBegun else { return }
        for client in run.clients(of: FirebaseClient.self) where client.node == node {
            if client.hasPolls { polling.insert(client.index) }
            record(client.index, awaitsEarlier: client.awaitsEarlierPoll, at: run.now)
        }
    }

    /// Records whether a client awaits the answer to the earlier of two polls.
    mutating func record(_ client: Int, awaitsEarlier: Bool, at now: Microseconds) {
        guard awaitsEarlier else {
            awaitedSince[client] = nil
            return
        }
        let since = awaitedSince[client] ?? now
        awaitedSince[client] = since
        guard failure == nil, now > since + PollWatch.patience else { return }
        failure = """
            \(client.clientName) has sent two polls, and has had no answer to the earlier one \
            since \(since.description)
            """
    }
}
