extension Check {
    package static let answersInTime: Check = Check(
        "answers-in-time", judges: .clients,
        traits: [.timed],
        claim: "no client waits longer than `answer`",
        criterion: "no client of `count` waits longer than `answer` for an outcome",
        evaluate: AnswersInTime.evaluate)
}

/// Each request of a client that sends one after the other has an outcome within the time that the scenario says.
enum AnswersInTime {
    static func evaluate(_ evidence: Evidence) -> Finding {
        let limit = evidence.scenario.clients.answer
        var count = 0
        for operation in evidence.history.operations
        where operation.client < evidence.clientCount {
            count += 1
            let end = operation.completed ?? .max
            guard end > operation.invoked + limit else { continue }
            return .invalid(
                "a request waited longer than \(limit.description) for its outcome", operation.line)
        }
        return .valid(count, "requests")
    }
}
