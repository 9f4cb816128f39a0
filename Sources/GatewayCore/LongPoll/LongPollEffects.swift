internal import Marks
internal import SyncProtocol

// How a gateway does what sessions with long polls want: their effects concern other connections than the one that is being
// processed, so these get signals.

/// A task of a connection because of another connection's session.
enum ConnectionSignal {
    /// The client has connected again, and ended the connection's session by its name.
    case displaced
    /// Answer the poll that the connection holds.
    case answerPoll([UInt8])
    /// Send a text message on the connection's WebSocket, to which a session changes.
    case send([UInt8])
    /// Close this WebSocket.
    case close(SessionEnd)
    /// Go on with the session, which has this number at the replica.
    case adopt(LongPollSession, as: SessionID)
}

extension GatewayContext {
    /// Begins a session; returns the script that says so.
    mutating func startLongPoll(
        callback: String?, host: String, database: DatabaseName, last: String?
    ) -> [UInt8] {
        if let last { endRealtime(last) }
        let credential = LongPollCredential(id: unguessableName(), password: unguessableName())
        let name = unguessableName()
        var session = LongPollSession(
            credential,
            RealtimeSession(
                name: name, host: host, database: database, as: authentication.initial,
                in: configuration.parts, at: now),
            within: configuration.polls)
        let script = session.begin(callback: callback, at: now)
        let id = longPolls.add(session)
        lasting.enter(database)
        nameRealtime(id, name)
        if !database.isDefault { output(.enter(id, database)) }
        output(.open(id))
        output(.identify(id, authentication.initial.principal))
        return script
    }

    /// Changes a session with long polls, and does what follows from it.
    mutating func updateLongPoll(
        _ id: SessionID,
        _ body: (inout LongPollSession, inout Authentication) -> [LongPollEffect]
    ) {
        let effects = longPolls.update(id) { body(&$0, &authentication) }
        for effect in effects { execute(effect, of: id) }
    }

    /// Passes the replica's answers of one turn to a session with long polls, and does what follows from them.
    mutating func updateLongPoll(_ id: SessionID, by answers: [SessionAnswer]) {
        let effects = longPolls.update(id) { $0.receive(answers, sharing: &texts) }
        for effect in effects { execute(effect, of: id) }
    }

    private mutating func execute(_ effect: LongPollEffect, of id: SessionID) {
        switch effect {
        case .answer(let script, let connection): signal(.answerPoll(script), to: connection)
        case .identify(let principal): output(.identify(id, principal))
        case .ask(let messages): output(.ask(id, messages))
        case .backpressured: output(.backpressured(id))
        case .writable: output(.writable(id))
        case .send(let text, let connection): signal(.send(text), to: connection)
        case .close(let connection, let end): signal(.close(end), to: connection)
        case .handOver(let connection):
            guard let session = longPolls.remove(id) else { return }
            lasting.leave(session.realtime.database)
            sometimes(.sessionChangesToSocket)
            signal(.adopt(session, as: id), to: connection)
        case .delayRefusal:
            guard !delayRefusal(of: id) else { return }
            updateLongPoll(id) { session, _ in session.disconnect(.credentials) }
        case .end(let reason):
            if let reason { metrics.ends.count(reason) }
            guard let session = longPolls.remove(id) else { return }
            lasting.leave(session.realtime.database)
            forgetRealtime(session.realtime.name)
            output(.end(id))
        }
    }

    /// Looks at the deadlines of all sessions with long polls.
    mutating func checkLongPolls() {
        let now = now
        for id in longPolls.all {
            updateLongPoll(id) { session, authentication in
                session.checkDeadlines(at: now, with: authentication)
            }
        }
    }

    /// Checks the identities of long polls again after a change of the trusted keys.
    mutating func reviewLongPolls() {
        let now = now
        for id in longPolls.all {
            updateLongPoll(id) { session, authentication in
                session.reviewIdentity(at: now, with: authentication)
            }
        }
    }

    /// Ends the sessions with long polls of a database that the node cannot serve.
    mutating func stopLongPolls(of database: DatabaseName) {
        for id in longPolls.all where longPolls.database(of: id) == database {
            updateLongPoll(id) { session, _ in session.stop(redirectedTo: nil) }
        }
    }

    /// Ends the sessions with long polls of a database that clients cannot use here. They connect to a node that holds it.
    mutating func redirectLongPolls(of database: DatabaseName) {
        for id in longPolls.all where longPolls.database(of: id) == database {
            let host = targetHost(of: database, for: "\(id.number)")
            updateLongPoll(id) { session, _ in session.stop(redirectedTo: host) }
        }
    }

    /// Ends all sessions with long polls, as the node stops to serve.
    mutating func stopLongPolls() {
        let host = configuration.redirectHost
        for id in longPolls.all {
            updateLongPoll(id) { session, _ in session.stop(redirectedTo: host) }
        }
    }
}
