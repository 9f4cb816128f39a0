internal import HTTPText
internal import SyncProtocol

/// A connection that speaks Firebase's WebSocket protocol: its frames, and the session in them.
struct RealtimeConnection {
    var reader: WebSocketReader
    var session: RealtimeSession

    init(_ session: RealtimeSession, messageLimit: Int) {
        self.session = session
        reader = WebSocketReader(isMasked: true, messageLimit: messageLimit)
    }
}

/// What a request for Firebase's WebSocket says.
struct RealtimeRequestHead {
    let key: String
    let host: String
    /// The session that this client had before, `ls=`.
    let last: String?

    init(_ head: RequestHead) throws(RestFailure) {
        key = try head.webSocketKey()
        host = head.authorityText ?? ""
        let parameters: QueryParameters
        do throws(TargetError) {
            parameters = try head.target.parameters()
        } catch {
            throw RestFailure(error)
        }
        guard parameters.first("v") ?? "5" == "5" else { throw .version }
        last = parameters.first("ls")
    }
}

// MARK: - Of a connection

extension Connection {
    /// Goes on as a session of Firebase's protocol.
    mutating func becomeRealtime(_ head: RealtimeRequestHead, _ context: inout GatewayContext) {
        // The replica's session of earlier requests has numbers that this one may use again.
        endSession(&context)
        if let last = head.last { context.endRealtime(last) }
        context.metrics.countRequest(.get, 101)
        context.send(WebSocketUpgrade.answer(to: head.key, subprotocol: nil), to: id)
        let name = nameRealtime(&context)
        let session = RealtimeSession(name: name, host: head.host, at: context.now)
        let bytes = reader.upgrade()
        become(
            .realtime(
                RealtimeConnection(session, messageLimit: context.configuration.messageBytes)))
        openSession(&context)
        updateRealtime(&context) { realtime, context in realtime.session.begin(at: context.now) }
        if !bytes.isEmpty { receiveFrames(bytes, &context) }
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
        defer { become(.realtime(realtime)) }
        return realtime.reader.next(in: &bytes)
    }

    private mutating func process(_ event: WebSocketEvent, _ context: inout GatewayContext) {
        switch event {
        case .text(let text):
            updateRealtime(&context) { realtime, context in
                realtime.session.received(text, at: context.now, by: context.realtimeJSON)
            }
        case .binary: endRealtime(.unsupported, &context)
        case .ping(let payload): sendFrame(.pong, payload, &context)
        case .pong: break
        case .closed(let code): endRealtime(code ?? .normal, &context)
        case .failed(let failure) where failure.code == .tooBig:
            updateRealtime(&context) { realtime, _ in realtime.session.refuseTooLarge() }
        case .failed(let failure): endRealtime(failure.code, &context)
        }
    }

    /// Changes the session, if the connection is one, and does what that leads to.
    mutating func updateRealtime(
        _ context: inout GatewayContext,
        _ body: (inout RealtimeConnection, inout GatewayContext) -> [RealtimeEffect]
    ) {
        guard isRealtime, case .realtime(var realtime) = become(.idle) else { return }
        let effects = body(&realtime, &context)
        let waits = realtime.session.isWaiting
        become(.realtime(realtime))
        for effect in effects {
            switch effect {
            case .send(let text): sendFrame(.text, text, &context)
            case .ask(let messages): ask(messages, &context)
            case .close(let code): endRealtime(WebSocketCloseCode(rawValue: code), &context)
            }
        }
        if waits, isRealtime {
            context.output(.reportWritable(id))
            hold(&context)
        }
    }

    private var isRealtime: Bool { if case .realtime = activity { true } else { false } }

    private mutating func sendFrame(
        _ kind: WebSocketFrameKind, _ payload: [UInt8], _ context: inout GatewayContext
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        WebSocketWriter.append(kind, payload, to: &bytes)
        context.send(bytes, to: id)
    }

    /// Tells the client why the WebSocket ends, and ends the session.
    mutating func endRealtime(_ code: WebSocketCloseCode, _ context: inout GatewayContext) {
        guard isRealtime else { return }
        sendFrame(.close, code.payload(), &context)
        close(&context)
        endSession(&context)
    }
}

extension RestFailure {
    fileprivate static let version = RestFailure.invalid(
        "Only version 5 of Firebase's protocol is served.", fix: "connect with v=5")
}
