internal import SyncProtocol

// How a connection refuses a request without a right secret, and redirects a client that may go back and forth.

extension Connection {
    /// Sends the answer to a refused request somewhat later; until then, what arrives is dropped.
    mutating func refuseLater(_ request: OpenRequest, _ context: inout GatewayContext) {
        let isGuess = request.refusal?.isGuess ?? false
        guard context.delayRefusal(of: id, isGuess: isGuess) else {
            if !isGuess { return refuse(request, &context) }
            return sendLast(
                Answer(.unavailable("too many requests with a wrong credential")), &context)
        }
        become(.refusing(request))
    }

    /// Sends the answer to a refused request.
    mutating func refuse(_ request: OpenRequest, _ context: inout GatewayContext) {
        switch request.plan {
        case .answer(let answer): send(answer, to: request, &context)
        case .refusedRealtime(let key, let farewell):
            refuseRealtime(answering: key, with: farewell, &context)
        case .rest, .rules, .report, .native, .console, .realtime, .longPoll:
            preconditionFailure("a refused request has an answer")
        }
    }

    /// Sends a refusal that has waited: of a request, or of a message of the connection's session.
    mutating func sendRefusal(_ context: inout GatewayContext) {
        switch activity {
        case .refusing(let request): refuse(request, &context)
        case .realtime: updateRealtime(&context) { session, _ in session.sendRefusal() }
        case .console: updateConsole(&context) { session, _ in session.sendRefusal() }
        case .idle, .receiving, .asking, .answering, .streaming, .polling, .native, .closing: break
        }
    }
}
