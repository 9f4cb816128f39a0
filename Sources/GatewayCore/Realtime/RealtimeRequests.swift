internal import DataTree
package import JSONText
internal import QueryEngine
package import SyncProtocol

// The messages of a session's client.

extension RealtimeSession {
    /// Takes a WebSocket text message.
    package mutating func received(
        _ text: [UInt8], at now: Moment, by reader: JSONReader,
        with authentication: inout Authentication
    ) -> [RealtimeEffect] {
        guard !isOver else { return [] }
        return noteSignOfLife(at: now, with: authentication)
            + process(text, by: reader, with: &authentication)
    }

    /// The client is there, whatever it says: between the chunks of a message an empty text would be one of them.
    mutating func noteSignOfLife(
        at now: Moment, with authentication: borrowing Authentication
    ) -> [RealtimeEffect] {
        guard !isOver else { return [] }
        heard = now
        return expireCredential(at: now, with: authentication)
    }

    private mutating func process(
        _ text: [UInt8], by reader: JSONReader, with authentication: inout Authentication
    ) -> [RealtimeEffect] {
        switch joiner.append(text) {
        case .nothing: return []
        case .tooLarge(let beginning): return refuseTooLarge(beginning)
        case .message(let bytes): return execute(bytes, by: reader, with: &authentication)
        case .perhaps(let bytes):
            guard let message = try? RealtimeMessage(bytes, by: reader) else { return [] }
            joiner.finish()
            return execute(message, with: &authentication)
        }
    }

    /// Refuses a request whose message is beyond the limits. If its beginning does not show its number, the session ends.
    mutating func refuseTooLarge(_ beginning: [UInt8]) -> [RealtimeEffect] {
        guard let number = RequestNumberReader.number(in: beginning) else {
            return endTooLarge(.tooLarge)
        }
        let limit = ChunkJoiner.byteLimit >> 20
        let payload = RealtimeText.quoted("the request has more than \(limit) MB; send it in parts")
        return send(RealtimeText.response(number, status: "write_too_big", payload: payload))
    }

    /// Ends a session for want of memory, or of a number by which a request could be refused, in the words of Firebase.
    mutating func endTooLarge(_ end: SessionEnd) -> [RealtimeEffect] {
        send(RealtimeText.tooLarge) + close(end)
    }

    /// Executes a message. An unreadable request is answered with an error; otherwise the client would send it
    /// again over each new connection.
    private mutating func execute(
        _ bytes: [UInt8], by reader: JSONReader, with authentication: inout Authentication
    ) -> [RealtimeEffect] {
        do throws(JSONError) {
            return execute(try RealtimeMessage(bytes, by: reader), with: &authentication)
        } catch {
            // Its path names keys, which may be as long as the message.
            let problem = String("\(error)".prefix(RealtimeSession.problemLength))
            guard let number = RequestNumberReader.number(in: bytes) else {
                return close(SessionEnd(.unreadable, problem))
            }
            return refuse(number, .invalid, problem, error.fix)
        }
    }

    private mutating func execute(
        _ message: RealtimeMessage, with authentication: inout Authentication
    ) -> [RealtimeEffect] {
        switch message {
        case .ping: send(RealtimeText.pong)
        case .request(let request): execute(request, with: &authentication)
        case .acknowledgedSwitch, .endedTransmission, .other: []
        }
    }

    private mutating func execute(
        _ request: RealtimeRequest, with authentication: inout Authentication
    ) -> [RealtimeEffect] {
        let number = request.number
        guard requests.count < RealtimeSession.requestLimit else {
            return refuse(
                number, .tooBig, "\(RealtimeSession.requestLimit) requests wait for answers",
                "wait for some of them before you send more")
        }
        if !authentication.admits(identity.principal, to: database), request.action.needsPermission
        {
            return deny(number)
        }
        switch request.action {
        case .acknowledged: return send(RealtimeText.response(number))
        case .authenticate(let credential, let user):
            return authenticate(
                by: credential, actingAs: user, number, with: &authentication)
        case .signOut:
            return become(authentication.initial, with: authentication)
                + send(RealtimeText.response(number, payload: #""unauthenticated""#))
        case .listen(let key, let tag, let held): return listen(to: key, tag, held, number)
        case .unlisten(let key):
            guard let listen = listens.remove(key) else {
                return refuse(
                    number, .invalid, "\(key.path) has no such listen",
                    "send the path and the query of an open listen")
            }
            return ask(ClientMessage.unlisten(id: 0, listen: listen).request, number)
        case .other(let request): return ask(request, number)
        case .misplaced: return send(RealtimeText.misplaced(number))
        case .refused(let error): return refuse(number, .invalid, error.problem, error.fix)
        }
    }

    private mutating func listen(
        to key: RealtimeListens.Key, _ tag: Int64?, _ held: HeldData?, _ number: Int64
    ) -> [RealtimeEffect] {
        guard listens.add(key, tag: tag, as: lastRequest + 1) else {
            return refuse(
                number, .invalid, "\(key.path) already has such a listen",
                "share one listen, or end it first")
        }
        // Clients read the payload of this one answer as an object.
        let listen = ClientMessage.listen(id: 0, path: key.path, query: key.query, held: held)
        return ask(listen.request, number, payload: "{}")
    }

    private mutating func ask(
        _ request: ClientRequest, _ number: Int64, payload: String = "\"\""
    ) -> [RealtimeEffect] {
        lastRequest += 1
        requests[lastRequest] = Request(number: number, payload: payload)
        return [.ask([ClientMessage(id: lastRequest, request)])]
    }

    mutating func refuse(
        _ number: Int64, _ code: ErrorCode, _ problem: String, _ fix: String
    ) -> [RealtimeEffect] {
        let text =
            switch code {
            case .changed: "Transaction hash does not match"
            case .permissionDenied: RestFailure.permissionDenied.problem
            // Firebase's own text stays as it is: programs and people search for it.
            case .invalid where problem.hasPrefix("Index not defined, add "): problem
            default: "\(problem); \(fix)"
            }
        let response = RealtimeText.response(
            number, status: code.realtimeStatus, payload: RealtimeText.quoted(text))
        return explain(code, problem) + send(response)
    }
}
