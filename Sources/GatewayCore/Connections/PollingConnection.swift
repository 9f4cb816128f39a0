internal import HTTPText
internal import SyncProtocol

// Long polls on a connection: the session that they belong to is none of the connection, and outlives it.

extension Connection {
    /// Does what a request to `/.lp` asks for.
    mutating func execute(
        _ poll: LongPollRequest, for request: OpenRequest, _ context: inout GatewayContext
    ) {
        switch poll {
        case .start(let callback, let host, let last):
            guard context.longPolls.hasRoom else {
                let failure = RestFailure.unavailable(
                    "it has \(context.longPolls.limit) long-polling sessions")
                return send(Answer(failure), to: request, &context)
            }
            if context.authentication.hides(request.database) {
                reportHiddenDatabase("GET /.lp", &context)
            }
            let script = context.startLongPoll(
                callback: callback, host: host, database: request.database, last: last)
            send(Answer(script: script), to: request, &context)
        case .poll(let credential, let segments):
            hold(credential, segments, for: request, &context)
        case .disconnect(let credential):
            if let id = context.longPolls.find(credential) {
                context.updateLongPoll(id) { session, _ in session.disconnect() }
            }
            send(Answer(script: []), to: request, &context)
        case .frame:
            let answer = Answer(AnswerText(LongPollText.frame), type: "text/html; charset=utf-8")
            send(answer, to: request, &context)
        }
    }

    private mutating func hold(
        _ credential: LongPollCredential, _ segments: [LongPollSegment],
        for request: OpenRequest, _ context: inout GatewayContext
    ) {
        guard let session = context.longPolls.find(credential) else {
            return send(Answer(script: LongPollText.close), to: request, &context)
        }
        become(.polling(request, session))
        let (id, now, reader) = (id, context.now, context.realtimeJSON)
        context.updateLongPoll(session) { session, authentication in
            session.receive(segments, on: id, at: now, by: reader, with: &authentication)
        }
    }

    /// Does what a session that is not the connection's wants of it.
    mutating func process(_ signal: ConnectionSignal, _ context: inout GatewayContext) {
        switch signal {
        case .displaced: displace(&context)
        case .answerPoll(let script): answerPoll(script, &context)
        case .send(let text): sendRealtime(text, &context)
        case .close(let end): endRealtime(end, &context)
        case .adopt(let session, let number, let isOpened):
            adopt(session, as: number, isOpened: isOpened, &context)
        }
    }

    private mutating func answerPoll(_ script: [UInt8], _ context: inout GatewayContext) {
        guard case .polling(let request, _) = activity else { return }
        become(.idle)
        send(Answer(script: script), to: request, &context)
        readRequests(&context)
    }
}

extension Answer {
    /// A script.
    fileprivate init(script: [UInt8]) {
        self.init(AnswerText(script), type: "application/javascript; charset=utf-8")
    }
}
