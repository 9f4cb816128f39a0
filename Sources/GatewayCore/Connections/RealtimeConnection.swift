internal import HTTPText
internal import SyncProtocol

/// A connection that speaks Firebase's WebSocket protocol: its frames, and the session in them.
struct RealtimeConnection {
    /// The owner of the session.
    enum Owner {
        case connection(RealtimeSession)
        /// It has this number, and changes from long polls to this connection.
        case polls(SessionID)
    }

    var reader: WebSocketReader
    var owner: Owner
    /// When its client was sent something last, in elapsed milliseconds: clients have no reason to say that they are there then, and
    /// TCP notices if they are not.
    fileprivate var toldMilliseconds: UInt64 = 0
    /// The bytes that it keeps, as they were counted last.
    fileprivate(set) var countedBytes = 0

    init(_ owner: Owner, messageLimit: Int) {
        self.owner = owner
        reader = WebSocketReader(
            isMasked: true, messageLimit: messageLimit, skipsLongTexts: true)
    }

    /// Counts the bytes of messages that are not complete, and of those that wait, among those of all connections.
    fileprivate mutating func countBytes(of id: SessionID, _ context: inout GatewayContext) {
        let kept = reader.waitingBytes + (session?.waitingBytes ?? 0)
        guard kept != countedBytes else { return }
        countedBytes = kept
        context.setShare(kept, of: id)
    }

    /// The session, unless its client still polls.
    var session: RealtimeSession? {
        if case .connection(let session) = owner { session } else { nil }
    }

    /// Whether the client of its own session counts as gone.
    func isSilent(at now: Moment) -> Bool {
        session?.isSilent(at: now, told: toldMilliseconds) ?? false
    }

    /// Whether the client of its own session counts as gone, or its credential has expired.
    func isDue(at now: Moment) -> Bool {
        isSilent(at: now) || session?.hasEndedIdentity(at: now) ?? false
    }
}

/// The head of a request for Firebase's WebSocket.
struct RealtimeRequestHead {
    let key: String
    let host: String
    /// The session that this client had before, `ls=`.
    let last: String?
    /// The session with long polls that changes to this WebSocket, `s=`.
    let polled: String?

    init(_ head: RequestHead) throws(RestFailure) {
        key = try head.webSocketKey()
        host = head.authorityText ?? ""
        let parameters: QueryParameters
        do throws(TargetError) {
            parameters = try head.target.parameters()
        } catch {
            throw RestFailure(error)
        }
        guard parameters.first("v") ?? "5" == "5" else { throw .realtimeVersion }
        last = parameters.first("ls")
        polled = parameters.first("s")
    }
}

/// The end of a WebSocket that ends as soon as it begins.
struct RealtimeFarewell {
    /// The message before the close frame.
    let message: [UInt8]?
    let end: SessionEnd
}

extension RealtimeFarewell {
    /// Ends the session, with a reason that the client logs. Clients do not connect again after a shutdown, and try again later
    /// after an error.
    init(_ failure: RestFailure) {
        let reason = [failure.problem, failure.fix].compactMap(\.self).joined(separator: " ")
        if failure.isPassing {
            self.init(message: RealtimeText.error(reason), end: SessionEnd(.memory))
        } else {
            self.init(message: RealtimeText.shutdown(reason), end: SessionEnd(.client))
        }
    }
}

// MARK: - Of a connection

extension Connection {
    /// Goes on as a session of Firebase's protocol.
    mutating func becomeRealtime(
        _ head: RealtimeRequestHead, for request: OpenRequest, _ context: inout GatewayContext
    ) {
        // The replica's session of earlier requests has numbers that this one may use again.
        endSession(&context)
        if let polled = head.polled {
            guard let session = context.polledSession(named: polled) else {
                return send(Answer(RestFailure.polledSession), to: request, &context)
            }
            let bytes = upgrade(head, to: .polls(session), &context)
            let id = id
            context.updateLongPoll(session) { session, _ in session.beginSwitch(to: id) }
            return receiveFrames(bytes, &context)
        }
        if let last = head.last { context.endRealtime(last) }
        let name = context.unguessableName()
        let session = RealtimeSession(
            name: name, host: head.host, database: database,
            as: context.authentication.initial, in: context.configuration.parts, at: context.now)
        let bytes = upgrade(head, to: .connection(session), &context)
        context.nameRealtime(id, name)
        identity = context.authentication.initial
        if context.authentication.hides(database) {
            reportHiddenDatabase("GET /.ws", &context)
        } else {
            openSession(&context)
            identify(&context)
        }
        updateRealtime(&context) { session, context in session.begin(at: context.now) }
        receiveFrames(bytes, &context)
    }

    /// Ends a WebSocket as soon as it begins, with a reason that the client logs.
    mutating func refuseRealtime(
        answering key: String, with farewell: RealtimeFarewell, _ context: inout GatewayContext
    ) {
        context.metrics.countRequest(.get, 101)
        context.send(WebSocketUpgrade.answer(to: key, subprotocol: nil), to: id)
        if let message = farewell.message { sendFrame(.text, message, &context) }
        let code = WebSocketCloseCode(rawValue: farewell.end.code)
        sendFrame(.close, code.payload(farewell.end.problem), &context)
        close(&context)
    }

    /// Logs that a client names a database that is not there; its requests are refused.
    func reportHiddenDatabase(_ request: String, _ context: inout GatewayContext) {
        context.output(
            .refused(
                GatewayRefusal(
                    host: address.host, request: request, status: 401,
                    problem: "there is no database \(database)")))
    }

    private mutating func endRealtime(
        by farewell: RealtimeFarewell, _ context: inout GatewayContext
    ) {
        if let message = farewell.message { sendFrame(.text, message, &context) }
        endRealtime(farewell.end, &context)
    }

    /// Answers a request for a WebSocket; returns what has arrived behind it.
    private mutating func upgrade(
        _ head: RealtimeRequestHead, to owner: RealtimeConnection.Owner,
        _ context: inout GatewayContext
    ) -> [UInt8] {
        context.metrics.countRequest(.get, 101)
        context.send(WebSocketUpgrade.answer(to: head.key, subprotocol: nil), to: id)
        let limit = context.configuration.messageBytes
        become(.realtime(RealtimeConnection(owner, messageLimit: limit)))
        return reader.upgrade()
    }

    /// Goes on with a session whose client polled until now.
    mutating func adopt(
        _ polled: LongPollSession, as session: SessionID, isOpened: Bool,
        _ context: inout GatewayContext
    ) {
        guard isRealtime, case .realtime(var realtime) = become(.idle) else {
            // The WebSocket has ended in the same turn.
            context.forgetRealtime(polled.realtime.name)
            if isOpened { context.output(.end(session)) }
            return
        }
        realtime.owner = .connection(polled.realtime)
        become(.realtime(realtime))
        own(
            session, of: polled.realtime.identity, in: polled.realtime.database,
            isHeld: polled.isHeld, isOpened: isOpened, &context)
        context.route(session, to: id)
        if polled.isHeld || polled.realtime.isWaiting {
            context.output(.reportWritable(id))
            hold(&context)
        }
    }

    /// Processes the bytes of frames.
    mutating func receiveFrames(_ bytes: [UInt8], _ context: inout GatewayContext) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = nextFrame(in: &rest, &context) { process(event, &context) }
        }
    }

    private mutating func nextFrame(
        in bytes: inout UnsafeRawBufferPointer, _ context: inout GatewayContext
    ) -> WebSocketEvent? {
        guard isRealtime, case .realtime(var realtime) = become(.idle) else { return nil }
        let event = realtime.reader.next(in: &bytes)
        realtime.countBytes(of: id, &context)
        become(.realtime(realtime))
        return event
    }

    private mutating func process(_ event: WebSocketEvent, _ context: inout GatewayContext) {
        switch event {
        case .text(let text): receive(text: text, &context)
        case .longText(let beginning): refuse(longText: beginning, &context)
        case .binary:
            endRealtime(SessionEnd(.frames, "a message is binary"), by: .unsupported, &context)
        case .ping(let payload): sendFrame(.pong, payload, &context)
        case .pong: break
        case .closed(let code): endRealtime(SessionEnd(.client), by: code, &context)
        case .failed(let failure):
            endRealtime(SessionEnd(.frames, failure.problem), by: failure.code, &context)
        }
    }

    private mutating func refuse(longText beginning: [UInt8], _ context: inout GatewayContext) {
        if case .realtime(let realtime) = activity, case .polls(let session) = realtime.owner {
            return context.updateLongPoll(session) { session, _ in
                session.refuseTooLarge(beginning)
            }
        }
        updateRealtime(&context) { session, _ in session.refuseTooLarge(beginning) }
    }

    private mutating func receive(text: [UInt8], _ context: inout GatewayContext) {
        context.units += GatewayUnits.text + text.count / GatewayUnits.receivedBytes
        if case .realtime(let realtime) = activity, case .polls(let session) = realtime.owner {
            let (now, reader) = (context.now, context.realtimeJSON)
            return context.updateLongPoll(session) { session, authentication in
                session.receive(frame: text, at: now, by: reader, with: &authentication)
            }
        }
        updateRealtime(&context) { session, context in
            session.received(
                text, at: context.now, by: context.realtimeJSON, with: &context.authentication)
        }
    }

    /// Changes the session, if it is the connection's own, and does what that leads to.
    mutating func updateRealtime(
        _ context: inout GatewayContext,
        _ body: (inout RealtimeSession, inout GatewayContext) -> [RealtimeEffect]
    ) {
        guard isRealtime, case .realtime(var realtime) = become(.idle) else { return }
        guard case .connection(var session) = realtime.owner else {
            become(.realtime(realtime))
            return
        }
        // Nothing else holds it, so that it is changed in place.
        realtime.owner = .polls(.none)
        let effects = body(&session, &context)
        let waits = session.isWaiting
        if effects.contains(where: \.tellsClient) {
            realtime.toldMilliseconds = context.elapsedMilliseconds
        }
        realtime.owner = .connection(session)
        realtime.countBytes(of: id, &context)
        become(.realtime(realtime))
        for effect in effects {
            switch effect {
            case .send(let text): sendFrame(.text, text, &context)
            case .identify(let principal):
                do throws(RestFailure) { try go(onAs: principal, &context) } catch {
                    return endRealtime(by: RealtimeFarewell(error), &context)
                }
            case .ask(let messages): ask(messages, &context)
            case .close(let end): endRealtime(end, &context)
            case .delayRefusal:
                context.output(
                    .refused(
                        GatewayRefusal(
                            host: address.host, request: "a credential", status: 401,
                            problem: "it is wrong or has expired")))
                if !context.delayRefusal(of: self.session) { endRealtime(.credentials, &context) }
            }
        }
        if waits, isRealtime {
            context.output(.reportWritable(id))
            hold(&context)
        }
    }

    /// Does what is due: ends a session whose client is silent, or what its client has shown.
    mutating func expireRealtime(_ context: inout GatewayContext) {
        guard case .realtime(let realtime) = activity else { return }
        if realtime.isSilent(at: context.now) { return endRealtime(.silent, &context) }
        updateRealtime(&context) { session, context in
            session.expireCredential(at: context.now, with: context.authentication)
        }
    }

    /// Whether the connection is a WebSocket of Firebase's protocol.
    private var isRealtime: Bool { if case .realtime = activity { true } else { false } }

    /// Sends a text message, unless the WebSocket has ended.
    mutating func sendRealtime(_ text: [UInt8], _ context: inout GatewayContext) {
        if isRealtime { sendFrame(.text, text, &context) }
    }

    private mutating func sendFrame(
        _ kind: WebSocketFrameKind, _ payload: [UInt8], _ context: inout GatewayContext
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        WebSocketWriter.append(kind, payload, to: &bytes)
        context.send(bytes, to: id)
    }

    /// Ends the change of a session to this connection, if there is one.
    mutating func endSwitch(_ context: inout GatewayContext) {
        guard case .realtime(let realtime) = activity, case .polls(let session) = realtime.owner
        else { return }
        let id = id
        context.updateLongPoll(session) { session, _ in session.endSwitch(to: id) }
    }

    /// Tells the client why the WebSocket ends, and ends the session.
    ///
    /// - Parameter code: The code of the close frame, if it is not that of the reason.
    mutating func endRealtime(
        _ end: SessionEnd, by code: WebSocketCloseCode? = nil, _ context: inout GatewayContext
    ) {
        guard isRealtime else { return }
        context.metrics.ends.count(end)
        let code = code ?? WebSocketCloseCode(rawValue: end.code)
        sendFrame(.close, code.payload(end.problem), &context)
        endSwitch(&context)
        endSession(&context)
        close(&context)
    }
}

extension RealtimeEffect {
    /// Whether the client is sent something.
    fileprivate var tellsClient: Bool { if case .send = self { true } else { false } }
}

extension RestFailure {
    static let realtimeVersion = RestFailure.invalid(
        "This node supports only version 5 of Firebase's protocol.", fix: "connect with v=5")

    fileprivate static let polledSession = RestFailure(
        status: 404, problem: "There is no such long-polling session.", fix: "connect without s")
}
