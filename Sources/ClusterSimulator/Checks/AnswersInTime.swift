/// Each request of a client that sends one after the other has an outcome within the time that the scenario says.
enum AnswersInTime {
    static func judge(_ evidence: Evidence) -> Finding {
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
