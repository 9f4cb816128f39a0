/// Each request of a client that sends one after the other, and each transaction, has an outcome within the time that the scenario
/// says.
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
        for transaction in evidence.history.transactions {
            count += 1
            let end = transaction.completed ?? .max
            guard end > transaction.invoked + limit else { continue }
            return .invalid(
                "a transaction of c\(transaction.client + 1) at \(transaction.path) waited longer than "
                    + "\(limit.description) for its outcome, from \(transaction.invoked.description) on"
            )
        }
        return .valid(count, "requests and transactions")
    }
}
