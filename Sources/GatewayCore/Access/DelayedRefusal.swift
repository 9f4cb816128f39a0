internal import SyncProtocol

// How a connection refuses what shows no right secret.

extension Connection {
    /// Sends an answer that is a refusal somewhat later; until then, what arrives is dropped.
    mutating func refuseLater(
        _ answer: Answer, to request: OpenRequest, _ context: inout GatewayContext
    ) {
        guard context.delayRefusal(of: id) else {
            return sendLast(
                Answer(.unavailable("too many requests with a wrong credential")), &context)
        }
        become(.refusing(request, answer))
    }

    /// Sends a refusal that has waited: of a request, or of a message of the connection's session.
    mutating func sendRefusal(_ context: inout GatewayContext) {
        switch activity {
        case .refusing(let request, let answer): send(answer, to: request, &context)
        case .realtime: updateRealtime(&context) { session, _ in session.sendRefusal() }
        case .console: updateConsole(&context) { session, _ in session.sendRefusal() }
        case .idle, .receiving, .asking, .answering, .streaming, .polling, .native, .closing: break
        }
    }
}
