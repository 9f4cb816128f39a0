internal import SyncProtocol

// Answers that wait a moment: refusals of requests without a right secret and of those above a limit, and redirects of clients that
// may go back and forth.

extension Connection {
    /// Sends the answer to a refused request somewhat later; until then, what arrives is dropped.
    mutating func refuseLater(_ request: OpenRequest, _ context: inout GatewayContext) {
        let isGuess = request.refusal?.isGuess ?? false
        guard context.delayRefusal(of: id, isGuess: isGuess) else {
            if !isGuess { return refuse(request, &context) }
            return sendLast(
                Answer(.unavailable("too many requests with a wrong credential")), &context)
        }
        become(.refusing(request, nil))
    }

    /// Sends the answer to a refused request.
    mutating func refuse(_ request: OpenRequest, _ context: inout GatewayContext) {
        switch request.plan {
        case .answer(let answer): send(answer, to: request, &context)
        case .refusedRealtime(let key, let farewell):
            refuseRealtime(answering: key, with: farewell, &context)
        case .rest, .rules, .report, .backup, .native, .console, .realtime, .longPoll:
            preconditionFailure("a refused request has an answer")
        }
    }

    /// Sends an answer that a limit refuses the request somewhat later; until then, further requests wait.
    mutating func sendLater(
        _ answer: Answer, to request: OpenRequest, _ context: inout GatewayContext
    ) {
        guard context.paceRefusal(of: id) else { return send(answer, to: request, &context) }
        become(.refusing(request, answer))
    }

    /// Sends a refusal that has waited: of a request, or of a message of the connection's session.
    mutating func sendRefusal(_ context: inout GatewayContext) {
        switch activity {
        case .refusing(let request, let answer?):
            send(answer, to: request, &context)
            readRequests(&context)
        case .refusing(let request, nil): refuse(request, &context)
        case .realtime: updateRealtime(&context) { session, _ in session.sendRefusal() }
        case .console: updateConsole(&context) { session, _ in session.sendRefusal() }
        case .idle, .receiving, .asking, .hashing, .answering, .copying, .streaming, .polling,
            .native, .closing:
            break
        }
    }
}
