internal import HTTPText
internal import Rules
internal import SyncProtocol

/// One connection to the HTTP port: the request that is being read or answered, and its session at the replica.
///
/// Requests are done one after the other; those that a client sends ahead wait in the reader.
struct Connection {
    let id: SessionID
    /// The number of its session at the replica: another one only if the session's client polled before.
    private(set) var session: SessionID
    let address: RemoteAddress
    var reader: RequestReader
    private(set) var activity = Activity.idle
    /// As what the connection is counted.
    private var kind = ConnectionKind.http
    var numbers = RequestNumbers()
    /// Who speaks.
    var identity: Identity
    /// The principal that the replica has for the session.
    private var identified: Principal?
    /// Whether the replica has a session of this connection.
    private var hasSession = false
    /// The database that its requests concern.
    private(set) var database = DatabaseName.default
    /// The database among whose lasting connections it is counted.
    private var countedDatabase: DatabaseName?
    /// Whether the replica holds back what the session listens to.
    private(set) var isHeld = false
    /// The event that the connection waits for, and the start of the wait.
    private var phase = ConnectionPhase.idle
    private var phaseMilliseconds: UInt64

    init(_ id: SessionID, from address: RemoteAddress, in context: inout GatewayContext) {
        self.id = id
        session = id
        self.address = address
        identity = context.authentication.initial
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

    /// Counts the connection among those of its database while it lasts.
    mutating func updateDatabase(_ context: inout GatewayContext) {
        let next = activity.isLasting ? database : nil
        guard next != countedDatabase else { return }
        if let countedDatabase { context.lasting.leave(countedDatabase) }
        if let next { context.lasting.enter(next) }
        countedDatabase = next
    }

    /// Closes the connection once everything sent to it has left.
    mutating func close(_ context: inout GatewayContext) {
        if case .closing = activity { return }
        release(become(.closing), &context)
        context.output(.close(id))
    }

    /// Ends the session, as the connection is gone.
    mutating func end(_ context: inout GatewayContext) {
        if case .polling(_, let session) = activity {
            let id = id
            context.updateLongPoll(session) { session, _ in session.dropPoll(on: id) }
        }
        if case .realtime = activity { context.metrics.ends.count(SessionEnd(.client)) }
        endSwitch(&context)
        context.setConsole(id, isWatching: false)
        endSession(&context)
        release(become(.closing), &context)
        context.metrics.connections[kind, default: 0] -= 1
        updateDatabase(&context)
    }

    /// Gives back the memory of an activity that is over.
    private func release(_ activity: Activity, _ context: inout GatewayContext) {
        switch activity {
        case .receiving(let request):
            context.bodies.remove(request.body.count, by: request.identity.principal)
        case .realtime(let realtime) where realtime.countedBytes > 0: context.setShare(0, of: id)
        case .copying: context.output(.endBackup(id))
        case .console(let console) where console.session.backup != nil:
            context.output(.endBackup(id))
        default: break
        }
    }

    /// Ends the session, if there is one, while the connection goes on.
    mutating func endSession(_ context: inout GatewayContext) {
        let (hadSession, ended) = (hasSession, session)
        disown(&context)
        if hadSession { context.output(.end(ended)) }
    }

    /// The session is over at the replica.
    private mutating func disown(_ context: inout GatewayContext) {
        if case .realtime(let realtime) = activity, let session = realtime.session {
            context.forgetRealtime(session.name)
        }
        if session != id { context.route(session, to: nil) }
        (session, hasSession, isHeld, identified) = (id, false, false, nil)
    }

    /// Begins a session, unless there is one.
    mutating func openSession(_ context: inout GatewayContext) {
        if hasSession { return }
        hasSession = true
        enterDatabase(&context)
        context.output(.open(session))
    }

    /// Goes on as another principal. Until a client is an administrator, its session does not begin at a database that is not
    /// there.
    ///
    /// - Throws: The refusal of such a database that is not created.
    mutating func go(
        onAs principal: Principal, _ context: inout GatewayContext
    ) throws(RestFailure) {
        identity = Identity(principal)
        if !hasSession, context.authentication.hides(database) {
            guard principal.isAdministrator else { return }
            try context.databases.checkUse(of: database)
        }
        openSession(&context)
        identify(&context)
    }

    /// Goes on with requests that concern a database; a session at another one ends.
    mutating func concern(_ next: DatabaseName, _ context: inout GatewayContext) {
        guard next != database else { return }
        endSession(&context)
        database = next
    }

    /// Announces the database of the session that begins next, unless that is the default one.
    func enterDatabase(_ context: inout GatewayContext) {
        if !database.isDefault { context.output(.enter(session, database)) }
    }

    /// Ends what waits for a database that the node cannot serve.
    mutating func loseDatabase(because reason: String, _ context: inout GatewayContext) {
        endSession(&context)
        switch activity {
        case .asking: sendLast(Answer(.unavailable(reason)), &context)
        case .realtime: endRealtime(SessionEnd(.stopping, reason), &context)
        case .streaming(let stream):
            // The client would try again after a mere end, and there is nothing to be had.
            if context.databases.isRemoved(database) { context.send(stream.cancellation, to: id) }
            close(&context)
        case .native: close(&context)
        case .console: endConsole(by: .tryAgainLater, because: reason, &context)
        case .idle, .receiving, .hashing, .refusing, .answering, .copying, .polling, .closing: break
        }
    }

    /// Announces the client's principal to the replica, if it has changed.
    mutating func identify(_ context: inout GatewayContext) {
        guard identified != identity.principal else { return }
        identified = identity.principal
        context.output(.identify(session, identity.principal))
    }

    /// Goes on with a session that the replica has already, and knows whose it is, unless there is no such database.
    mutating func own(
        _ session: SessionID, of identity: Identity, in database: DatabaseName, isHeld: Bool,
        isOpened: Bool, _ context: inout GatewayContext
    ) {
        self.database = database
        (self.session, hasSession, self.isHeld) = (session, isOpened, isHeld)
        (self.identity, identified) = (identity, isOpened ? identity.principal : nil)
    }

    /// The client has connected again and named this session, which is over therefore.
    mutating func displace(_ context: inout GatewayContext) {
        disown(&context)
        endRealtime(SessionEnd(.replaced), &context)
    }

    /// Ends what cannot go on as the node stops to serve; clients of Firebase's protocol go to another node.
    mutating func stopServing(_ context: inout GatewayContext) {
        let host = context.configuration.redirectHost
        updateRealtime(&context) { session, _ in session.end(redirectedTo: host) }
        if case .console = activity { endConsole(by: .goingAway, &context) }
    }

    /// Hands requests to the replica.
    mutating func ask(_ messages: [ClientMessage], _ context: inout GatewayContext) {
        if messages.isEmpty { return }
        openSession(&context)
        identify(&context)
        context.output(.ask(session, messages))
    }
}

// MARK: - Inputs

extension Connection {
    /// Processes bytes that have arrived.
    mutating func receive(_ bytes: [UInt8], _ context: inout GatewayContext) {
        switch activity {
        case .realtime: receiveFrames(bytes, &context)
        case .console: receiveConsole(bytes, &context)
        case .streaming, .native, .closing: return
        case .refusing(_, let answer): if answer != nil { reader.receive(bytes) }
        case .idle, .receiving, .asking, .hashing, .answering, .copying, .polling:
            reader.receive(bytes)
            readRequests(&context)
        }
    }

    /// Processes what the replica answered in one turn.
    mutating func process(_ answers: [SessionAnswer], _ context: inout GatewayContext) {
        if case .realtime = activity {
            return updateRealtime(&context) { session, context in
                session.answered(answers, sharing: &context.texts)
            }
        }
        if case .console = activity {
            return updateConsole(&context) { session, context in
                session.process(answers, at: context.now, with: context.authentication)
            }
        }
        for answer in answers {
            switch activity {
            case .asking: step(answer, &context)
            case .streaming: stream(answer, &context)
            case .idle, .receiving, .hashing, .answering, .copying, .refusing, .polling, .realtime,
                .native, .console, .closing:
                break
            }
        }
        readRequests(&context)
    }

    /// The client reads more slowly than it is sent to.
    mutating func hold(_ context: inout GatewayContext) {
        if isHeld || !hasSession { return }
        isHeld = true
        context.output(.backpressured(session))
    }

    /// Sends the next part of what leaves in parts.
    mutating func sendPart(_ context: inout GatewayContext) {
        switch activity {
        case .answering: continueAnswer(&context)
        case .copying: continueBackup(&context)
        case .streaming: continueStream(&context)
        case .realtime:
            updateRealtime(&context) { session, _ in session.resume() }
        case .idle, .receiving, .asking, .hashing, .refusing, .polling, .native, .console, .closing:
            break
        }
        if isHeld, !isPartWay {
            isHeld = false
            context.output(.writable(session))
        }
        readRequests(&context)
    }

    private var isPartWay: Bool {
        switch activity {
        case .answering: true
        case .streaming(let stream): stream.isPartWay
        case .realtime(let realtime): realtime.session?.isWaiting ?? false
        case .idle, .receiving, .asking, .hashing, .copying, .refusing, .polling, .native, .console,
            .closing:
            false
        }
    }
}

// MARK: - Deadlines

extension Connection {
    /// Whether the client has taken too long for what it is waited for, or a quiet stream of events needs a sign of life.
    func isDue(in context: GatewayContext) -> Bool {
        let now = context.elapsedMilliseconds
        let configuration = context.configuration
        switch activity {
        case .idle, .receiving:
            let deadline = configuration.deadlines.deadlineMilliseconds(
                of: reader.phase, since: phaseMilliseconds)
            return deadline.map { now >= $0 } ?? false
        case .answering(_, _, let since): return now >= since + configuration.partMilliseconds
        case .copying(_, _, let since):
            return since.map { now >= $0 + configuration.partMilliseconds } ?? false
        case .streaming(let stream):
            if identity.hasEnded(at: now) { return true }
            let limit =
                stream.isPartWay
                ? configuration.partMilliseconds : configuration.keepAliveMilliseconds
            return now >= stream.sentMilliseconds + limit
        // As long as the client polls, these show that it is alive.
        case .realtime(let realtime): return realtime.isDue(at: context.now)
        case .native: return identity.hasEnded(at: now)
        case .console(let console): return console.session.isDue(at: context.now)
        case .asking, .hashing, .refusing, .polling, .closing: return false
        }
    }

    /// Does what is due: ends the connection, or shows the client of a stream that it is alive.
    mutating func expire(_ context: inout GatewayContext) {
        switch activity {
        case .idle, .receiving: giveUp(&context)
        case .answering, .copying: close(&context)
        case .streaming(var stream):
            if stream.isPartWay { return close(&context) }
            if identity.hasEnded(at: context.elapsedMilliseconds) {
                return revokeStream(&context)
            }
            context.send(stream.keepAlive(at: context.elapsedMilliseconds), to: id)
            become(.streaming(stream))
        case .realtime: expireRealtime(&context)
        case .native: expireNative(&context)
        case .console: refreshConsole(&context)
        case .asking, .hashing, .refusing, .polling, .closing: break
        }
    }

    /// Looks whether the client is still believed, now that other keys are trusted.
    mutating func reviewIdentity(_ context: inout GatewayContext) {
        context.authentication.review(&identity, at: context.now)
        switch activity {
        case .streaming, .native:
            if identity.hasEnded(at: context.elapsedMilliseconds) { expire(&context) }
        case .realtime:
            updateRealtime(&context) { session, context in
                session.reviewIdentity(at: context.now, with: context.authentication)
            }
        case .console:
            updateConsole(&context) { session, context in
                session.reviewIdentity(at: context.now, with: context.authentication)
            }
        // A request that has begun is done; a stream looks as it begins.
        case .idle, .receiving, .asking, .hashing, .refusing, .answering, .copying, .polling,
            .closing:
            break
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
