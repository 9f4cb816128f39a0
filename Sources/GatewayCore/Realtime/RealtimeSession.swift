internal import DataTree
package import JSONText
package import Rules
package import SyncProtocol

/// A task of the gateway for a Firebase session; the gateway executes them in order.
package enum RealtimeEffect: Equatable, Sendable {
    /// Send a WebSocket text message, as one frame.
    case send([UInt8])
    /// Announce the client's principal to the replica.
    case identify(Principal)
    /// Hand requests to the replica.
    case ask([ClientMessage])
    /// Close the connection, once all that was sent has left; the session is over.
    case close(SessionEnd)
    /// Call `sendRefusal` somewhat later.
    case delayRefusal
}

/// One session of Firebase's WebSocket protocol, version 5, above a session of values at the replica.
///
/// The gateway sends `begin`'s effects first, and gives it what arrives and what the replica answers. Equal sessions
/// given equal calls return equal effects. Source: the messages that Firebase's clients send and accept.
package struct RealtimeSession {
    /// A session with so long a silence of both ends is over: clients send `0` 45 s after they have sent or received something.
    package static let silenceMilliseconds: UInt64 = 100_000
    /// So many requests may be unanswered.
    static let requestLimit = 20_000
    /// So many characters say what is wrong with a message.
    static let problemLength = 400

    /// How the client names this session when it connects again: `ls=`.
    package let name: String
    private let host: String
    /// The database that the session reads and writes.
    let database: DatabaseName
    /// The client's identity.
    var identity: Identity
    /// Requests that had wrong credentials, and whose refusals wait.
    var refusals: [(number: Int64, failure: CredentialFailure)] = []
    var joiner = ChunkJoiner()
    var listens = RealtimeListens()
    /// A request that the replica has not answered.
    struct Request {
        /// The client's number.
        let number: Int64
        /// The payload of its `ok`.
        var payload: String
    }

    var requests: [UInt64: Request] = [:]
    var lastRequest: UInt64 = 0
    let sizes: PartSizes
    private var outgoing: RealtimeOutgoing
    /// When something came from the client last.
    var heard: Moment
    private(set) var isOver = false

    /// A session of a client that has connected to a host.
    ///
    /// - Parameters:
    ///   - name: 32 unpredictable characters; any client that knows them can end the session.
    ///   - host: The host in the request's `Host`; clients connect to it the next time.
    ///   - database: The database that the session reads and writes.
    ///   - access: The identities of clients by their credentials; the replica must know its `initial` identity.
    ///   - sizes: The sizes of the parts of large texts.
    package init(
        name: String, host: String, database: DatabaseName = .default, as identity: Identity,
        in sizes: PartSizes = PartSizes(), at now: Moment
    ) {
        (self.name, self.host, self.database) = (name, host, database)
        (self.identity, self.sizes) = (identity, sizes)
        outgoing = RealtimeOutgoing(in: sizes)
        heard = now
    }

    /// A reader of what clients send, for any number of sessions.
    package static func makeReader() -> JSONReader {
        JSONReader(maximumBytes: ChunkJoiner.byteLimit, maximumDepth: RealtimeMessage.depth)
    }

    /// The handshake: the server speaks first.
    package mutating func begin(at now: Moment) -> [RealtimeEffect] {
        send(
            RealtimeText.handshake(
                wallMilliseconds: now.wallMilliseconds, host: host, session: name))
    }

    /// Whether the client counts as gone.
    ///
    /// - Parameter told: When the client was sent something last, in elapsed milliseconds, if TCP finds out whether it takes that.
    package func isSilent(at now: Moment, told: UInt64 = 0) -> Bool {
        let last = max(heard.elapsedMilliseconds, told)
        return now.elapsedMilliseconds >= last + RealtimeSession.silenceMilliseconds
    }

    /// Whether the client's credential has expired.
    func hasEndedIdentity(at now: Moment) -> Bool { identity.hasEnded(at: now.elapsedMilliseconds) }

    /// Whether messages wait until the connection has room: the replica's answers should wait as well.
    package var isWaiting: Bool { outgoing.isWaiting }

    /// The bytes of a message of the client that is not complete, and of messages that wait for room.
    var waitingBytes: Int { joiner.waitingBytes + outgoing.waitingBytes }

    /// Sends what waits, as the connection has room again.
    package mutating func resume() -> [RealtimeEffect] { outgoing.next().map { .send($0) } }

    /// Ends the session of a node that stops; the client connects to another host, if there is one.
    package mutating func end(redirectedTo host: String?) -> [RealtimeEffect] {
        guard !isOver else { return [] }
        let farewell = host.map { send(RealtimeText.redirect(to: $0)) } ?? []
        return farewell + close(SessionEnd(.stopping))
    }

    mutating func close(_ end: SessionEnd) -> [RealtimeEffect] {
        isOver = true
        return [.close(end)]
    }

    mutating func send(_ text: [UInt8]) -> [RealtimeEffect] { effects(of: outgoing.send(text)) }

    /// Sends a text with a value of any size.
    private mutating func send(value text: AnswerText) -> [RealtimeEffect] {
        effects(of: outgoing.send(value: text))
    }

    private mutating func effects(of frames: [[UInt8]]) -> [RealtimeEffect] {
        outgoing.isFull ? close(.unread) : frames.map { .send($0) }
    }
}

// MARK: - Answers of the replica

extension RealtimeSession {
    /// Takes the replica's answers of one turn, in order.
    package mutating func answered(
        _ answers: [SessionAnswer], sharing texts: inout GatewayTexts
    ) -> [RealtimeEffect] {
        outgoing.beginTurn()
        var effects: [RealtimeEffect] = []
        for answer in answers where !isOver { effects += answered(answer, sharing: &texts) }
        return effects
    }

    private mutating func answered(
        _ answer: SessionAnswer, sharing texts: inout GatewayTexts
    ) -> [RealtimeEffect] {
        switch answer.message {
        case .ok(let id), .acknowledged(let id, _), .pushed(let id, _): return done(id)
        // Clients take every answer but `ok` as a sign that nothing was done; they do not when the connection ends.
        case .error(_, .undecided, _, _): return close(.undecided)
        case .value(let id, let value):
            guard let request = requests.removeValue(forKey: id) else { return [] }
            return send(value: RealtimeText.response(request.number, value: value))
        case .unindexed(let id):
            requests[id]?.payload = RealtimeText.indexWarning
            return []
        case .change(let id, let writes):
            return push(writes, to: id, answer.notice, sharing: &texts) + pushed(to: id)
        case .ranges(let id, let ranges):
            guard let listen = listens[id] else { return [] }
            let text = RealtimeText.push(ranges, at: listen.key.path)
            return send(value: text.followed(by: RealtimeText.tail(tag: listen.tag)))
                + pushed(to: id)
        case .error(let id, let code, let problem, let fix):
            guard let request = requests.removeValue(forKey: id) else { return [] }
            listens.remove(id)
            return refuse(request.number, code, problem, fix)
        case .ended(let id, let code, let problem, let fix):
            return ended(id, code, problem, fix)
        case .ready, .seen: return []
        }
    }

    /// Tells the client that a listen is over; one that has no answer yet gets this one.
    private mutating func ended(
        _ id: UInt64, _ code: ErrorCode, _ problem: String, _ fix: String
    ) -> [RealtimeEffect] {
        guard let key = listens[id]?.key else { return [] }
        listens.remove(id)
        if let request = requests.removeValue(forKey: id) {
            return refuse(request.number, code, problem, fix)
        }
        return explain(code, problem) + send(RealtimeText.revocation(of: key))
    }

    /// Sends the reason of a refusal by rules, if the client may learn it.
    mutating func explain(_ code: ErrorCode, _ problem: String) -> [RealtimeEffect] {
        guard code == .permissionDenied, let text = RealtimeText.debugging(problem) else {
            return []
        }
        return send(text)
    }

    /// Answers a request that is done; of a listen, only after its first data.
    private mutating func done(_ id: UInt64) -> [RealtimeEffect] {
        listens.accept(id) ? confirm(id) : []
    }

    private mutating func pushed(to id: UInt64) -> [RealtimeEffect] {
        listens.pushedData(to: id) ? confirm(id) : []
    }

    private mutating func confirm(_ id: UInt64) -> [RealtimeEffect] {
        guard let request = requests.removeValue(forKey: id) else { return [] }
        return send(RealtimeText.response(request.number, payload: request.payload))
    }

    /// Pushes a change; one without writes says that the client holds all.
    private mutating func push(
        _ writes: [Write], to id: UInt64, _ notice: UInt64, sharing texts: inout GatewayTexts
    ) -> [RealtimeEffect] {
        guard let listen = listens[id], !writes.isEmpty else { return [] }
        let (path, tail) = (listen.key.path, RealtimeText.tail(tag: listen.tag))
        let whole =
            notice == 0
            ? []
            : texts.text(notice, of: database, .realtime) {
                var text = RealtimeText.push(writes, at: path)
                var bytes: [UInt8] = []
                // A large one is made by each client that reads it, part by part.
                return text.write(to: &bytes, atLeast: sizes.textBytes) ? [] : bytes
            }
        if !whole.isEmpty { return send(whole + tail) }
        return send(value: RealtimeText.push(writes, at: path).followed(by: tail))
    }
}
