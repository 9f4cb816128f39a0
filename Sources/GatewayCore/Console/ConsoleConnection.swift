internal import HTTPText
internal import SyncProtocol

/// A connection that is the feed of a page of the console: a WebSocket with the subprotocol `console.1`.
struct ConsoleConnection {
    /// The subprotocol that both ends name.
    static let subprotocol: StaticString = "console.1"

    var reader = WebSocketReader(isMasked: true, messageLimit: ConsoleMessage.byteLimit)
    var session: ConsoleSession
}

extension RequestHead {
    /// Whether the request is for the feed of the console, whose token comes in its first message.
    var isForConsoleFeed: Bool {
        target.pathText == NativeProtocol.path
            && lists(ConsoleConnection.subprotocol, in: "sec-websocket-protocol")
    }
}

extension Connection {
    /// Goes on as the feed of a page.
    mutating func becomeConsole(answering key: String, _ context: inout GatewayContext) {
        endSession(&context)
        context.metrics.countRequest(.get, 101)
        context.send(
            WebSocketUpgrade.answer(
                to: key, subprotocol: "\(ConsoleConnection.subprotocol)"), to: id)
        let session = ConsoleSession(
            context.configuration.console,
            as: context.authentication.reader(context.authentication.initial), of: database,
            isEmulator: context.configuration.isEmulator, at: context.now)
        identity = session.identity
        become(.console(ConsoleConnection(session: session)))
        receiveConsole(reader.upgrade(), &context)
    }

    /// Processes the bytes of frames.
    mutating func receiveConsole(_ bytes: [UInt8], _ context: inout GatewayContext) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = nextConsoleFrame(in: &rest) { process(event, &context) }
        }
    }

    private mutating func nextConsoleFrame(
        in bytes: inout UnsafeRawBufferPointer
    ) -> WebSocketEvent? {
        guard isConsole, case .console(var console) = become(.idle) else { return nil }
        defer { become(.console(console)) }
        return console.reader.next(in: &bytes)
    }

    private mutating func process(_ event: WebSocketEvent, _ context: inout GatewayContext) {
        switch event {
        case .text(let text):
            updateConsole(&context) { session, context in
                session.receive(
                    text, by: context.json, at: context.now, with: &context.authentication)
            }
        case .ping(let payload): sendConsole(.pong, payload, &context)
        case .pong: break
        case .binary, .longText: endConsole(by: .unsupported, &context)
        case .closed(let code): endConsole(by: code, &context)
        case .failed(let failure): endConsole(by: failure.code, &context)
        }
    }

    /// Sends the requests of the session that are due, unless the page has not read what it was sent.
    mutating func refreshConsole(_ context: inout GatewayContext) {
        if isHeld { return }
        updateConsole(&context) { session, context in
            session.refresh(at: context.now, with: context.authentication)
        }
    }

    /// Changes the session, and does what that leads to.
    mutating func updateConsole(
        _ context: inout GatewayContext,
        _ body: (inout ConsoleSession, inout GatewayContext) -> [ConsoleEffect]
    ) {
        guard isConsole, case .console(var console) = become(.idle) else { return }
        let effects = body(&console.session, &context)
        let isWatching = console.session.isWatching
        become(.console(console))
        for effect in effects {
            switch effect {
            case .send(let text): sendConsole(.text, text, &context)
            case .sendStatus(let status):
                let peers = database.isDefault ? context.peerReports : []
                sendConsole(.text, ConsoleText.status(status, peers: peers), &context)
            case .reportPeers: context.output(.reportPeers)
            case .identify(let principal):
                identity = Identity(principal)
                openSession(&context)
                identify(&context)
            case .ask(let messages): ask(messages, &context)
            case .backUp(let backup): context.output(.backUp(id, backup))
            case .delayRefusal:
                if !context.delayRefusal(of: session) { endConsole(by: .tryAgainLater, &context) }
            case .close(let end):
                endConsole(
                    by: WebSocketCloseCode(rawValue: end.code), because: end.problem, &context)
            }
        }
        context.setConsole(id, isWatching: isConsole && isWatching)
    }

    private var isConsole: Bool { if case .console = activity { true } else { false } }

    private mutating func sendConsole(
        _ kind: WebSocketFrameKind, _ payload: [UInt8], _ context: inout GatewayContext
    ) {
        guard isConsole else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        WebSocketWriter.append(kind, payload, to: &bytes)
        context.send(bytes, to: id)
    }

    /// Ends the feed.
    mutating func endConsole(
        by code: WebSocketCloseCode?, because problem: String = "",
        _ context: inout GatewayContext
    ) {
        let code = code ?? .normal
        sendConsole(.close, code.payload(problem), &context)
        context.setConsole(id, isWatching: false)
        endSession(&context)
        close(&context)
    }
}
