internal import JSONText
internal import Rules
internal import SyncProtocol

/// A task of the gateway for a session with long polls; the gateway executes them in order.
enum LongPollEffect: Equatable {
    /// Answer the poll that a connection holds by a script.
    case answer([UInt8], to: SessionID)
    /// Announce the client's principal to the replica.
    case identify(Principal)
    /// Hand requests to the replica.
    case ask([ClientMessage])
    /// Tell the replica that the session reads too slowly; that it has room again.
    case backpressured, writable
    /// Send a text message on the WebSocket to which the session changes.
    case send([UInt8], on: SessionID)
    /// Close this WebSocket.
    case close(SessionID, SessionEnd)
    /// The session goes on at the WebSocket of this connection, as one that was never polled.
    case handOver(to: SessionID)
    /// Call `sendRefusal` somewhat later.
    case delayRefusal
    /// The session is over; the reason is counted here, unless it goes with a WebSocket.
    case end(SessionEnd?)
}

/// A session of Firebase's protocol whose client polls: messages go out as the answers of held requests, and come in as
/// parameters of requests.
///
/// Equal sessions given equal calls return equal effects. Source: `firebase-websocket.md`, section 7.
struct LongPollSession {
    private struct Poll {
        let connection: SessionID
        let sinceMilliseconds: UInt64
    }

    let credential: LongPollCredential
    private let times: LongPollTimes
    private(set) var realtime: RealtimeSession
    private var uploads = LongPollUploads()
    private var outbox: LongPollOutbox
    /// The poll to be answered next. A client may have two on their way; the earlier one is answered as the later one comes.
    private var poll: Poll?
    private var transport: TransportSwitch?
    /// Whether the replica holds back what the session listens to.
    private(set) var isHeld = false
    private var isOver = false
    private var effects: [LongPollEffect] = []

    /// A session that begins; its first answer is `begin`'s.
    init(
        _ credential: LongPollCredential, _ realtime: RealtimeSession,
        within times: LongPollTimes
    ) {
        (self.credential, self.realtime, self.times) = (credential, realtime, times)
        outbox = LongPollOutbox(holdingBackAbove: realtime.sizes.pollBytes)
    }

    /// The memory that the session takes for what waits.
    var waitingBytes: Int {
        outbox.waitingBytes + uploads.waitingBytes + realtime.waitingBytes
            + (transport?.earlyBytes ?? 0)
    }

    /// The script with which the session begins.
    mutating func begin(callback: String?, at now: Moment) -> [UInt8] {
        execute(realtime.begin(at: now))
        return LongPollText.start(callback: callback, credential) + outbox.removeScript()
    }
}

// MARK: - Requests of the client

extension LongPollSession {
    /// Receives a poll, with the segments that it brings.
    mutating func receive(
        _ segments: [LongPollSegment], on connection: SessionID, at now: Moment,
        by reader: JSONReader, with authentication: inout Authentication
    ) -> [LongPollEffect] {
        execute(realtime.noteSignOfLife(at: now, with: authentication))
        if poll != nil { answerPoll() }
        poll = Poll(connection: connection, sinceMilliseconds: now.elapsedMilliseconds)
        do throws(LongPollUploads.Failure) {
            for segment in segments {
                for upload in try uploads.append(segment) {
                    switch upload {
                    case .message(let message):
                        receive(message, at: now, by: reader, with: &authentication)
                    case .tooLarge(let beginning): execute(realtime.refuseTooLarge(beginning))
                    }
                }
            }
        } catch {
            switch error {
            case .tooLarge: execute(realtime.endTooLarge(.tooLarge))
            case .invalid: end(SessionEnd(.unreadable, "the segments are not a message in base 64"))
            }
        }
        return removeEffects()
    }

    private mutating func receive(
        _ message: [UInt8], at now: Moment, by reader: JSONReader,
        with authentication: inout Authentication
    ) {
        guard transport != nil, TransportSwitch.isEnd(message, by: reader) else {
            return execute(realtime.received(message, at: now, by: reader, with: &authentication))
        }
        transport!.hasEndedPolls = true
        completeSwitch(at: now, by: reader, with: &authentication)
    }

    /// The client has left the page.
    mutating func disconnect(_ reason: SessionEnd.Reason = .client) -> [LongPollEffect] {
        end(SessionEnd(reason))
        return removeEffects()
    }

    /// The connection of a held poll has ended. The client may repeat the poll on another one.
    mutating func dropPoll(on connection: SessionID) -> [LongPollEffect] {
        if poll?.connection == connection { poll = nil }
        return []
    }
}

// MARK: - What the node does

extension LongPollSession {
    /// Receives the replica's answers of one turn, in order.
    mutating func receive(
        _ answers: [SessionAnswer], sharing texts: inout GatewayTexts
    ) -> [LongPollEffect] {
        execute(realtime.answered(answers, sharing: &texts))
        return removeEffects()
    }

    /// Sends the first refusal that waits.
    mutating func sendRefusal() -> [LongPollEffect] {
        execute(realtime.sendRefusal())
        return removeEffects()
    }

    /// Answers a poll that has waited long enough. Ends a silent session, and one whose change to a WebSocket does
    /// not complete.
    mutating func checkDeadlines(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [LongPollEffect] {
        execute(realtime.expireCredential(at: now, with: authentication))
        let isOverdue = transport?.isOverdue(at: now, after: times.switchMilliseconds) ?? false
        if realtime.isSilent(at: now) || isOverdue {
            end(.silent)
        } else if let poll,
            now.elapsedMilliseconds >= poll.sinceMilliseconds + times.holdMilliseconds
        {
            answerPoll()
        }
        return removeEffects()
    }

    /// Signs the client out if the key of its token is no longer trusted.
    mutating func reviewIdentity(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [LongPollEffect] {
        execute(realtime.reviewIdentity(at: now, with: authentication))
        return removeEffects()
    }

    /// Ends the session of a node that stops.
    mutating func stop(redirectedTo host: String?) -> [LongPollEffect] {
        execute(realtime.end(redirectedTo: host))
        return removeEffects()
    }

    /// Refuses a request whose message, on the WebSocket to which the session changes, is beyond the limits.
    mutating func refuseTooLarge(_ beginning: [UInt8]) -> [LongPollEffect] {
        execute(realtime.refuseTooLarge(beginning))
        return removeEffects()
    }

    /// Ends a session with a reason that the client logs.
    mutating func end(by farewell: RealtimeFarewell) -> [LongPollEffect] {
        if let message = farewell.message { send(message) }
        end(farewell.end)
        return removeEffects()
    }

    /// Ends a session for which there is no memory.
    mutating func endForWantOfMemory() -> [LongPollEffect] {
        execute(realtime.endTooLarge(.memory))
        return removeEffects()
    }
}

// MARK: - The change to a WebSocket

extension LongPollSession {
    /// Begins to change to the WebSocket of a connection.
    mutating func beginSwitch(to connection: SessionID) -> [LongPollEffect] {
        if let transport {
            // After the switch, the client reads only the other WebSocket.
            guard !hasSwitched else {
                return [.close(connection, SessionEnd(.replaced))]
            }
            effects.append(.close(transport.connection, SessionEnd(.replaced)))
        }
        transport = TransportSwitch(to: connection)
        effects.append(.send(RealtimeText.acknowledgedSwitch, on: connection))
        return removeEffects()
    }

    /// Receives a text message of this WebSocket.
    mutating func receive(
        frame text: [UInt8], at now: Moment, by reader: JSONReader,
        with authentication: inout Authentication
    ) -> [LongPollEffect] {
        guard let connection = transport?.connection else { return [] }
        if transport!.isComplete {
            execute(realtime.received(text, at: now, by: reader, with: &authentication))
            return removeEffects()
        }
        execute(realtime.noteSignOfLife(at: now, with: authentication))
        switch transport!.receive(text, at: now, by: reader) {
        case .ping: effects.append(.send(RealtimeText.pong, on: connection))
        case .switched:
            if !outbox.append(RealtimeText.endedTransmission) { end(.unread) }
            completeSwitch(at: now, by: reader, with: &authentication)
        case .waits: if transport!.isFull { execute(realtime.endTooLarge(.memory)) }
        }
        return removeEffects()
    }

    /// The WebSocket has ended: without it, a session goes on by polls unless it has changed.
    mutating func endSwitch(to connection: SessionID) -> [LongPollEffect] {
        guard transport?.connection == connection else { return [] }
        let mustEnd = hasSwitched
        transport = nil
        if mustEnd { end(SessionEnd(.client)) }
        return removeEffects()
    }

    /// Processes what waited for the client's last message by polls, once that has come.
    private mutating func completeSwitch(
        at now: Moment, by reader: JSONReader, with authentication: inout Authentication
    ) {
        guard isComplete else { return }
        for text in transport!.removeEarly() {
            execute(realtime.received(text, at: now, by: reader, with: &authentication))
        }
    }
}

// MARK: - Effects

extension LongPollSession {
    private mutating func execute(_ realtimeEffects: [RealtimeEffect]) {
        for effect in realtimeEffects where !isOver {
            switch effect {
            case .send(let text): send(text)
            case .identify(let principal): effects.append(.identify(principal))
            case .ask(let messages): effects.append(.ask(messages))
            case .close(let reason): end(reason)
            case .delayRefusal: effects.append(.delayRefusal)
            }
        }
    }

    private mutating func send(_ text: [UInt8]) {
        if let transport, hasSwitched {
            effects.append(.send(text, on: transport.connection))
        } else if !outbox.append(text) {
            outbox = outbox.replaced(by: RealtimeText.tooLarge)
            end(.unread)
        }
    }

    /// Ends the session; a held poll tells the client.
    private mutating func end(_ reason: SessionEnd) {
        guard !isOver else { return }
        isOver = true
        let isCounted = transport == nil
        if let transport { effects.append(.close(transport.connection, reason)) }
        if let poll {
            let script = outbox.removeScript() + LongPollText.close(after: outbox.number - 1)
            effects.append(.answer(script, to: poll.connection))
        }
        (poll, transport) = (nil, nil)
        effects.append(.end(isCounted ? reason : nil))
    }

    private mutating func answerPoll() {
        guard let held = poll else { return }
        poll = nil
        var script = outbox.removeScript()
        if isComplete { script += LongPollText.close(after: outbox.number - 1) }
        effects.append(.answer(script, to: held.connection))
    }

    private var hasSwitched: Bool { transport?.hasSwitched ?? false }
    private var isComplete: Bool { transport?.isComplete ?? false }

    /// Answers the held poll if there is something to tell, adapts what the replica may send, and returns all effects.
    private mutating func removeEffects() -> [LongPollEffect] {
        if !isOver { settle() }
        defer { effects = [] }
        return effects
    }

    private mutating func settle() {
        fillOutbox()
        if !outbox.isEmpty || isComplete { answerPoll() }
        if let transport, transport.isComplete, outbox.isEmpty {
            isOver = true
            effects.append(.handOver(to: transport.connection))
        }
        if !isOver { fillOutbox() }
        if !isOver { adaptToRoom() }
    }

    /// Lets parts of large values leave the session while there is room; behind a switch, they wait for the WebSocket.
    private mutating func fillOutbox() {
        // A message whose first chunks are here is completed here.
        while !isOver, !hasSwitched, realtime.isWaiting, outbox.hasRoom {
            execute(realtime.resume())
        }
    }

    private mutating func adaptToRoom() {
        let isSlow = realtime.isWaiting || outbox.isFilling
        guard isSlow != isHeld, isSlow || outbox.isEmpty else { return }
        isHeld = isSlow
        effects.append(isSlow ? .backpressured : .writable)
    }
}
