internal import Marks
internal import Rules
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
    /// Go on with the session, which has this number at the replica, or will have it once it is opened.
    case adopt(LongPollSession, as: SessionID, isOpened: Bool)
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
        if authentication.hides(database) {
            longPolls.setUnopened(id)
        } else {
            openLongPoll(id, in: database, as: authentication.initial.principal)
        }
        return script
    }

    private mutating func openLongPoll(
        _ id: SessionID, in database: DatabaseName, as principal: Principal
    ) {
        longPolls.setOpened(id)
        if !database.isDefault { output(.enter(id, database)) }
        output(.open(id))
        output(.identify(id, principal))
    }

    /// Announces the principal of a session, which begins at the replica if it could not before.
    private mutating func identifyLongPoll(_ id: SessionID, as principal: Principal) {
        guard !longPolls.isOpened(id), let database = longPolls.database(of: id) else {
            return output(.identify(id, principal))
        }
        if authentication.hides(database) {
            guard principal.isAdministrator else { return }
            do throws(RestFailure) { try databases.checkUse(of: database) } catch {
                let farewell = RealtimeFarewell(error)
                return updateLongPoll(id) { session, _ in session.end(by: farewell) }
            }
        }
        openLongPoll(id, in: database, as: principal)
    }

    private mutating func askLongPoll(_ id: SessionID, _ messages: [ClientMessage]) {
        // The database was created after the session began.
        if !longPolls.isOpened(id), let database = longPolls.database(of: id),
            let principal = longPolls.principal(of: id)
        {
            openLongPoll(id, in: database, as: principal)
        }
        output(.ask(id, messages))
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
        case .identify(let principal): identifyLongPoll(id, as: principal)
        case .ask(let messages): askLongPoll(id, messages)
        case .backpressured: if longPolls.isOpened(id) { output(.backpressured(id)) }
        case .writable: if longPolls.isOpened(id) { output(.writable(id)) }
        case .send(let text, let connection): signal(.send(text), to: connection)
        case .close(let connection, let end): signal(.close(end), to: connection)
        case .handOver(let connection):
            let isOpened = longPolls.isOpened(id)
            guard let session = longPolls.remove(id) else { return }
            lasting.leave(session.realtime.database)
            sometimes(.sessionChangesToSocket)
            signal(.adopt(session, as: id, isOpened: isOpened), to: connection)
        case .delayRefusal:
            guard !delayRefusal(of: id) else { return }
            updateLongPoll(id) { session, _ in session.disconnect(.credentials) }
        case .end(let reason):
            if let reason { metrics.ends.count(reason) }
            let isOpened = longPolls.isOpened(id)
            guard let session = longPolls.remove(id) else { return }
            lasting.leave(session.realtime.database)
            forgetRealtime(session.realtime.name)
            if isOpened { output(.end(id)) }
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
