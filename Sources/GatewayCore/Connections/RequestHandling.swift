internal import HTTPText
internal import Marks
internal import SyncProtocol

// How a connection reads requests, asks the replica, and answers.

extension Connection {
    /// Reads requests as far as they have arrived, and until one has to wait for the replica.
    mutating func readRequests(_ context: inout GatewayContext) {
        while isReading, let event = reader.next() {
            switch event {
            case .head(let head): begin(head, &context)
            case .body(let piece): collect(piece, &context)
            case .end: execute(&context)
            case .failure(let failure): refuse(failure, &context)
            }
        }
        continueIfAwaited(&context)
        updatePhase(&context)
    }

    private var isReading: Bool {
        switch activity {
        case .idle, .receiving: true
        case .asking, .hashing, .answering, .copying, .streaming, .refusing, .polling, .realtime,
            .native, .console, .closing:
            false
        }
    }

    private mutating func begin(_ head: RequestHead, _ context: inout GatewayContext) {
        context.units += GatewayUnits.head
        let request = OpenRequest(head, from: address.host, in: &context)
        if let refusal = request.refusal { log(refusal, of: head, &context) }
        guard request.answersAtOnce else {
            become(.receiving(request))
            return
        }
        if request.isDelayed {
            refuseLater(request, &context)
        } else {
            refuse(request, &context)
        }
    }

    /// Logs a refusal for its sender, address or size; mistakes in a request are no concern of the operator.
    private func log(
        _ refusal: RestFailure, of head: RequestHead, _ context: inout GatewayContext
    ) {
        guard [401, 403, 413, 421, 429].contains(refusal.status) else { return }
        let path = head.target.pathText.prefix(200)
        context.output(
            .refused(
                GatewayRefusal(
                    host: address.host, request: "\(head.method.name) \(path)",
                    status: refusal.status, problem: refusal.problem)))
    }

    private mutating func collect(_ piece: [UInt8], _ context: inout GatewayContext) {
        guard case .receiving(var request) = become(.idle) else {
            preconditionFailure("a body belongs to a request")
        }
        request.awaitsContinue = false
        guard request.plan.keepsBody else {
            become(.receiving(request))
            return
        }
        request.body += piece
        let hasRoom = context.bodies.add(piece.count, by: request.identity.principal)
        become(.receiving(request))
        if !hasRoom {
            sendLast(Answer(.unavailable("too many large requests arrive")), &context)
        }
    }

    /// Tells a client to send its body, if it waits for that.
    private mutating func continueIfAwaited(_ context: inout GatewayContext) {
        guard case .receiving(let request) = activity, request.awaitsContinue else { return }
        guard case .receiving(var request) = become(.idle) else { return }
        request.awaitsContinue = false
        become(.receiving(request))
        context.send(ResponseHead.continueMessage, to: id)
    }

    /// Answers what is no request, and closes the connection.
    private mutating func refuse(_ failure: RequestFailure, _ context: inout GatewayContext) {
        sendLast(
            Answer(RestFailure(status: failure.status, problem: failure.problem)), &context)
    }
}

// MARK: - Requests

extension Connection {
    /// Does what a complete request asks for.
    private mutating func execute(_ context: inout GatewayContext) {
        guard case .receiving(var request) = become(.idle) else {
            preconditionFailure("only a request ends")
        }
        var body: [UInt8] = []
        swap(&body, &request.body)
        context.bodies.remove(body.count, by: request.identity.principal)
        context.units += body.count / GatewayUnits.receivedBytes
        identity = request.identity
        // The database may have gone while the body arrived.
        if request.refusal == nil, context.databases.place(of: request.database) != .here {
            return send(Answer(.moving(request.database)), to: request, &context)
        }
        concern(request.database, &context)
        switch request.plan {
        case .answer(let answer): send(answer, to: request, &context)
        case .report(let report):
            if report.showsUses { context.output(.reportUses) }
            let exchange = ReportExchange(report, &numbers)
            begin(.report(exchange), exchange.opening, for: request, &context)
        case .rest(let rest): execute(rest, body, for: request, &context)
        case .rules(let rules):
            do throws(RestFailure) {
                let exchange = try RulesExchange(
                    rules, body, &numbers, orElse: context.authentication.documentWithoutRules)
                begin(.rules(exchange), exchange.opening, for: request, &context)
            } catch {
                send(Answer(error), to: request, &context)
            }
        case .backup(let backup): begin(backup, for: request, &context)
        case .native where request.concernsHiddenDatabase,
            .console where request.concernsHiddenDatabase:
            refuseHidden(request, &context)
        case .native(let key): becomeNative(answering: key, &context)
        case .console(let key): becomeConsole(answering: key, &context)
        case .realtime(let head): becomeRealtime(head, for: request, &context)
        case .refusedRealtime(let key, let farewell):
            refuseRealtime(answering: key, with: farewell, &context)
        case .longPoll(let poll): execute(poll, for: request, &context)
        }
    }

    private mutating func becomeNative(
        answering key: String, _ context: inout GatewayContext
    ) {
        // The replica's session of frames begins with the first one.
        endSession(&context)
        context.metrics.countRequest(.get, 101)
        context.send(
            WebSocketUpgrade.answer(to: key, subprotocol: NativeProtocol.name), to: id)
        become(.native)
        enterDatabase(&context)
        identify(&context)
        context.output(.native(id, rest: reader.upgrade()))
    }

    private mutating func execute(
        _ rest: RestRequest, _ body: [UInt8], for request: OpenRequest,
        _ context: inout GatewayContext
    ) {
        switch rest.verb {
        case .read:
            let exchange = ReadExchange(rest, &numbers)
            begin(.read(exchange), exchange.opening, for: request, &context)
        case .stream:
            let exchange = ListenExchange(rest, &numbers)
            begin(.listen(exchange), exchange.opening, for: request, &context)
        case .put, .remove, .merge, .push:
            do throws(RestFailure) {
                let body = try RestBody(body, of: rest, context.json)
                let exchange = WriteExchange(rest, body, &numbers)
                begin(.write(exchange), exchange.opening, for: request, &context)
            } catch {
                send(Answer(error), to: request, &context)
            }
        }
    }

    private mutating func begin(
        _ exchange: Exchange, _ messages: [ClientMessage], for request: OpenRequest,
        _ context: inout GatewayContext
    ) {
        if request.concernsHiddenDatabase { return refuseHidden(request, &context) }
        let since = context.elapsedMilliseconds
        become(.asking(request, exchange, sinceMilliseconds: since))
        ask(messages, &context)
    }

    /// Refuses a request for a database that is not there as a database does that permits its client nothing.
    private mutating func refuseHidden(_ request: OpenRequest, _ context: inout GatewayContext) {
        reportHiddenDatabase("\(request.method.name) of \(request.database)", &context)
        var answer = Answer(RestFailure.permissionDenied)
        if case .native = request.plan { answer.appendReason(of: .permissionDenied) }
        sendLater(answer, to: request, &context)
    }

    /// Goes on with a request by an answer of the replica.
    mutating func step(_ answer: SessionAnswer, _ context: inout GatewayContext) {
        guard case .asking(let request, var exchange, let since) = become(.idle) else {
            preconditionFailure("only a request waits for the replica")
        }
        let step = exchange.step(answer, &numbers)
        if case .write = exchange, step.isAnswer {
            let took = context.elapsedMilliseconds - min(since, context.elapsedMilliseconds)
            context.metrics.acknowledgements.count(milliseconds: took)
        }
        switch step {
        case .waits: become(.asking(request, exchange, sinceMilliseconds: since))
        case .asks(let messages):
            become(.asking(request, exchange, sinceMilliseconds: since))
            ask(messages, &context)
        case .shows(let status): send(context.metricsAnswer(status), to: request, &context)
        case .lists: send(context.databaseList, to: request, &context)
        case .answers(let answer) where answer.isPaced || hidesName(answer, request, context):
            sendLater(answer, to: request, &context)
        case .answers(let answer): send(answer, to: request, &context)
        case .tags(let answer): send(answer, to: request, &context)
        case .streams(let listen, let first):
            beginStream(of: listen, for: request, &context)
            // A token may have ended, or lost its key, while the replica worked.
            if identity.hasEnded(at: context.elapsedMilliseconds) { return revokeStream(&context) }
            stream(first, &context)
        }
    }
}

// MARK: - Answers

extension Connection {
    /// Whether a refusal takes as long as one for a database that is not there.
    private func hidesName(
        _ answer: Answer, _ request: OpenRequest, _ context: GatewayContext
    ) -> Bool {
        answer.status == 401 && !request.database.isDefault && context.authentication.hidesNames
    }

    /// Sends an answer, or its first part if it is large.
    mutating func send(
        _ answer: Answer, to request: OpenRequest, _ context: inout GatewayContext
    ) {
        context.metrics.countRequest(request.method, answer.status)
        let head = ResponseHead(answer, origin: request.origin, in: context.configuration)
        guard var text = answer.text else {
            context.send(head.message(form: request.form, date: context.date), to: id)
            return finish(closes: request.form.closesConnection, &context)
        }
        var part: [UInt8] = []
        guard text.write(to: &part, atLeast: context.configuration.parts.answerBytes) else {
            let message = head.message(body: part, form: request.form, date: context.date)
            context.send(message, to: id)
            return finish(closes: request.form.closesConnection, &context)
        }
        let (bytes, body) = head.stream(form: request.form, date: context.date)
        context.send(bytes, to: id)
        if request.form.omitsBody { return finish(closes: body.endsConnection, &context) }
        context.send(body.piece(part), to: id)
        awaitRoom(for: text, body, &context)
    }

    private mutating func awaitRoom(
        for text: AnswerText, _ body: ChunkedBody, _ context: inout GatewayContext
    ) {
        sometimes(.answerLeavesInParts)
        let since = context.elapsedMilliseconds
        become(.answering(text, body, sinceMilliseconds: since))
        context.output(.reportWritable(id))
    }

    /// Sends the next part of a large answer.
    mutating func continueAnswer(_ context: inout GatewayContext) {
        guard case .answering(var text, let body, _) = become(.idle) else { return }
        var part: [UInt8] = []
        let more = text.write(to: &part, atLeast: context.configuration.parts.answerBytes)
        context.send(body.piece(part), to: id)
        if more { return awaitRoom(for: text, body, &context) }
        context.send(body.end, to: id)
        finish(closes: body.endsConnection, &context)
    }

    /// Ends a request whose answer is sent.
    mutating func finish(closes: Bool, _ context: inout GatewayContext) {
        if closes { return close(&context) }
        become(.idle)
        reader.answered()
        restartPhase(&context)
    }

    /// Sends an answer and closes the connection, because its further input has no meaning.
    mutating func sendLast(_ answer: Answer, _ context: inout GatewayContext) {
        var bytes: [UInt8] = []
        if var text = answer.text { _ = text.write(to: &bytes, atLeast: PartSizes().answerBytes) }
        let head = ResponseHead(answer, origin: nil, in: context.configuration)
        context.metrics.countRequest(nil, answer.status)
        context.send(head.message(body: bytes, form: .afterFailure, date: context.date), to: id)
        close(&context)
    }
}

extension ResponseHead {
    /// The head of an answer, with what all answers have.
    init(_ answer: Answer, origin: String?, in configuration: GatewayConfiguration) {
        self.init(status: answer.status)
        for field in answer.fields { append(field.name, field.value) }
        append("Cache-Control", "no-cache")
        append("X-Content-Type-Options", "nosniff")
        // The URI may have a secret in it, or a token.
        if configuration.secrets != nil || configuration.tokens != nil {
            append("Referrer-Policy", "no-referrer")
        }
        guard let origin else { return }
        append("Access-Control-Allow-Origin", origin)
        append("Access-Control-Expose-Headers", "ETag, Hearth-Concern")
        append("Vary", "Origin")
    }
}

// MARK: - Streams of events

extension Connection {
    private mutating func beginStream(
        of listen: UInt64, for request: OpenRequest, _ context: inout GatewayContext
    ) {
        guard case .rest(let rest) = request.plan else {
            preconditionFailure("only a REST request listens")
        }
        let answer = Answer(
            AnswerText([]), type: "text/event-stream; charset=utf-8")
        let (bytes, body) = ResponseHead(
            answer, origin: request.origin, in: context.configuration
        ).stream(form: request.form, date: context.date)
        context.metrics.countRequest(request.method, 200)
        context.send(bytes, to: id)
        let stream = EventStream(
            of: listen, database: request.database, in: rest.form.form, body,
            sharesTexts: request.form.version == .http11,
            partBytes: context.configuration.parts.answerBytes, at: context.elapsedMilliseconds)
        become(.streaming(stream))
    }

    /// Ends a stream whose credential has expired.
    mutating func revokeStream(_ context: inout GatewayContext) {
        guard case .streaming(let stream) = activity else { return }
        context.send(stream.revocation, to: id)
        close(&context)
    }

    /// Tells the client what changed.
    mutating func stream(_ answer: SessionAnswer, _ context: inout GatewayContext) {
        guard case .streaming(var stream) = become(.idle) else { return }
        let wasPartWay = stream.isPartWay
        let step = stream.step(answer, &context.texts, at: context.elapsedMilliseconds)
        let isPartWay = stream.isPartWay
        become(.streaming(stream))
        switch step {
        case .nothing: break
        case .sends(let bytes): context.send(bytes, to: id)
        case .ends(let bytes):
            context.send(bytes, to: id)
            return close(&context)
        }
        if isPartWay, !wasPartWay {
            context.output(.reportWritable(id))
            hold(&context)
        }
    }

    /// Sends the next part of a large event, or what waits behind it.
    mutating func continueStream(_ context: inout GatewayContext) {
        guard case .streaming(var stream) = become(.idle) else { return }
        if stream.isPartWay {
            context.send(stream.nextPart(at: context.elapsedMilliseconds), to: id)
            context.output(.reportWritable(id))
        }
        become(.streaming(stream))
    }
}
