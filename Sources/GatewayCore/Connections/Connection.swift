internal import HTTPText
internal import SyncProtocol

/// One connection to the HTTP port: the request that is being read or answered, and its session at the replica.
///
/// Requests are done one after the other; those that a client sends ahead wait in the reader.
struct Connection {
    let id: SessionID
    let address: RemoteAddress
    var reader: RequestReader
    private(set) var activity = Activity.idle
    /// As what the connection is counted.
    private var kind = ConnectionKind.http
    var numbers = RequestNumbers()
    /// Whether the replica has a session of this connection.
    private var hasSession = false
    /// How a client of Firebase's protocol can end the session from another connection.
    private var realtimeName: String?
    /// Whether the replica holds back what the session listens to.
    private var isHeld = false
    /// What the client is waited for, and since when.
    private var phase = ConnectionPhase.idle
    private var phaseMilliseconds: UInt64

    init(_ id: SessionID, from address: RemoteAddress, in context: inout GatewayContext) {
        self.id = id
        self.address = address
        reader = RequestReader(limits: context.configuration.limits)
        phaseMilliseconds = context.elapsedMilliseconds
        context.metrics.connections[.http, default: 0] += 1
    }

    /// Goes on to another activity, and returns the one before: nothing else holds it then, so it can be changed in place.
    @discardableResult
    mutating func become(_ next: Activity) -> Activity {
        var other = next
        swap(&other, &activity)
        return other
    }

    /// Counts the connection among those that do the same.
    mutating func updateKind(_ context: inout GatewayContext) {
        let next = activity.kind
        guard next != kind else { return }
        context.metrics.connections[kind, default: 0] -= 1
        context.metrics.connections[next, default: 0] += 1
        kind = next
    }

    /// Closes the connection once everything sent to it has left.
    mutating func close(_ context: inout GatewayContext) {
        if case .closing = activity { return }
        releaseBody(of: become(.closing), &context)
        context.output(.close(id))
    }

    /// Ends the session, as the connection is gone.
    mutating func end(_ context: inout GatewayContext) {
        releaseBody(of: become(.closing), &context)
        context.metrics.connections[kind, default: 0] -= 1
        endSession(&context)
    }

    private func releaseBody(of activity: Activity, _ context: inout GatewayContext) {
        if case .receiving(let request) = activity { context.bodyBytes -= request.body.count }
    }

    /// Ends the session, if there is one, while the connection goes on.
    mutating func endSession(_ context: inout GatewayContext) {
        if let realtimeName { context.forgetRealtime(realtimeName) }
        realtimeName = nil
        guard hasSession else { return }
        hasSession = false
        isHeld = false
        context.output(.end(id))
    }

    /// Begins a session, unless there is one.
    mutating func openSession(_ context: inout GatewayContext) {
        if hasSession { return }
        hasSession = true
        context.output(.open(id))
    }

    /// Gives the session a name that nobody can guess.
    mutating func nameRealtime(_ context: inout GatewayContext) -> String {
        let name = context.nameRealtime(id)
        realtimeName = name
        return name
    }

    /// The client has connected again and named this session, which is over therefore.
    mutating func displace(_ context: inout GatewayContext) {
        (hasSession, realtimeName) = (false, nil)
        endRealtime(.normal, &context)
    }

    /// Ends what cannot go on as the node stops to serve; clients of Firebase's protocol go to another node.
    mutating func stopServing(_ context: inout GatewayContext) {
        let host = context.configuration.redirectHost
        updateRealtime(&context) { realtime, _ in realtime.session.end(redirectedTo: host) }
    }

    /// Hands requests to the replica.
    mutating func ask(_ messages: [ClientMessage], _ context: inout GatewayContext) {
        if messages.isEmpty { return }
        openSession(&context)
        context.output(.ask(id, messages))
    }
}

// MARK: - Inputs

extension Connection {
    /// Processes bytes that have arrived.
    mutating func receive(_ bytes: [UInt8], _ context: inout GatewayContext) {
        switch activity {
        case .realtime: receiveFrames(bytes, &context)
        case .streaming, .native, .closing: return
        case .idle, .receiving, .asking, .answering:
            reader.receive(bytes)
            readRequests(&context)
        }
    }

    /// Processes what the replica answered in one turn.
    mutating func process(_ answers: [SessionAnswer], _ context: inout GatewayContext) {
        if case .realtime = activity {
            return updateRealtime(&context) { realtime, context in
                realtime.session.answered(answers, sharing: &context.texts)
            }
        }
        for answer in answers {
            switch activity {
            case .asking: step(answer, &context)
            case .streaming: stream(answer, &context)
            case .idle, .receiving, .answering, .realtime, .native, .closing: break
            }
        }
        readRequests(&context)
    }

    /// The client reads more slowly than it is sent to.
    mutating func hold(_ context: inout GatewayContext) {
        if isHeld || !hasSession { return }
        isHeld = true
        context.output(.backpressured(id))
    }

    /// Sends the next part of what leaves in parts.
    mutating func sendPart(_ context: inout GatewayContext) {
        switch activity {
        case .answering: continueAnswer(&context)
        case .streaming: continueStream(&context)
        case .realtime:
            updateRealtime(&context) { realtime, _ in realtime.session.resume() }
        case .idle, .receiving, .asking, .native, .closing: break
        }
        if isHeld, !isPartWay {
            isHeld = false
            context.output(.writable(id))
        }
        readRequests(&context)
    }

    private var isPartWay: Bool {
        switch activity {
        case .answering: true
        case .streaming(let stream): stream.isPartWay
        case .realtime(let realtime): realtime.session.isWaiting
        case .idle, .receiving, .asking, .native, .closing: false
        }
    }
}

// MARK: - Deadlines

extension Connection {
    /// Whether the client has taken too long for what it is waited for; a quiet stream of events gets a sign of life.
    mutating func checkDeadline(_ context: inout GatewayContext) {
        let now = context.elapsedMilliseconds
        let configuration = context.configuration
        switch activity {
        case .idle, .receiving:
            let deadline = configuration.deadlines.deadlineMilliseconds(
                of: reader.phase, since: phaseMilliseconds)
            if let deadline, now >= deadline { giveUp(&context) }
        case .answering(_, _, let since):
            if now >= since + configuration.partMilliseconds { close(&context) }
        case .streaming(var stream):
            let quiet = now - min(now, stream.sentMilliseconds)
            if stream.isPartWay {
                if quiet >= configuration.partMilliseconds { close(&context) }
            } else if quiet >= configuration.keepAliveMilliseconds {
                context.send(stream.keepAlive(at: now), to: id)
                become(.streaming(stream))
            }
        case .realtime(let realtime):
            if realtime.session.isSilent(at: context.now) { endRealtime(.goingAway, &context) }
        case .asking, .native, .closing: break
        }
    }

    private mutating func giveUp(_ context: inout GatewayContext) {
        if reader.phase != .idle {
            let failure = RestFailure(
                status: 408, problem: "The request took too long to arrive.",
                fix: "send it faster, or in smaller parts")
            sendLast(Answer(failure), &context)
        }
        close(&context)
    }

    /// Keeps since when the client is waited for; bytes of the same part of a request change nothing.
    mutating func updatePhase(_ context: inout GatewayContext) {
        let next = reader.phase
        if !phase.isSameWait(as: next) { phaseMilliseconds = context.elapsedMilliseconds }
        phase = next
    }

    /// Begins the wait for the next request.
    mutating func restartPhase(_ context: inout GatewayContext) {
        phase = reader.phase
        phaseMilliseconds = context.elapsedMilliseconds
    }
}

extension ConnectionPhase {
    fileprivate func isSameWait(as other: ConnectionPhase) -> Bool {
        if case .body = self, case .body = other { return true }
        return self == other
    }
}
