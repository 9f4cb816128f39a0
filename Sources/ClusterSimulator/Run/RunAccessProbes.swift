import DataTree
import QueryEngine
import ReplicaCore
import Rules
import SyncProtocol

// Requests of users to copies of replicas: far more than users send in a run.

extension SimulatedRun {
    /// How many requests are tried at a time.
    private static let probes = 40

    /// Compares what a node would do with some requests with what its rules say.
    mutating func probeAccess(of node: Int) {
        guard var access, nodes[node].isServing, !nodes[node].waitsForRoom,
            let replica = nodes[node].replica, !replica.isOut
        else { return }
        self.access = nil
        let instant = nodes[node].clock.moment(at: now)
        let moment = AccessMoment(
            tree: replica.value, vector: replica.vector, milliseconds: instant.wallMilliseconds)
        for number in 0..<SimulatedRun.probes {
            let identity = UserProgram.identity(&draws.rules)
            let request = UserProgram.next(
                identity, tag: "C\(number)", at: moment.milliseconds, &draws.rules)
            guard let message = request.message(id: 1),
                let expected = access.watches[node].isAllowed(
                    message.request, to: identity, moment, access.history)
            else { continue }
            var copy = replica
            if let statement = request.statement(by: identity),
                let reasons = copy.reasons(against: statement, at: instant),
                reasons.isEmpty != expected
            {
                access.watches[node].report(
                    .allowedIsAccepted, Replica.probing,
                    "asked for its verdict on \(statement), it says \(reasons), other than the rules"
                )
            }
            guard let found = copy.permits(message, by: identity.principal, at: instant),
                found != expected
            else { continue }
            let isRead = message.request.kind == .read
            access.watches[node].report(
                found ? (isRead ? .readsAreAllowed : .writesAreAllowed) : .allowedIsAccepted,
                Replica.probing,
                "\(identity) \(found ? "could" : "could not") do \(message.summary), other than the rules say"
            )
        }
        self.access = access
    }
}

extension Replica {
    /// The session of the probes.
    static let probing = SessionID(number: .max - 1)

    /// Whether an identity may execute a request now; nil if it is refused for another reason.
    mutating func permits(
        _ message: ClientMessage, by principal: Principal, at moment: Moment
    ) -> Bool? {
        for answer in answers(to: message, by: principal, at: moment) {
            switch answer {
            case .error(message.id, let code, _, _):
                return code == .permissionDenied ? false : code == .changed ? true : nil
            case .ok, .acknowledged, .pushed, .value, .change: return true
            default: break
            }
        }
        return nil
    }

    /// The reason of a denial, as the operator receives it; nil without an answer.
    fileprivate mutating func reasons(
        against statement: String, at moment: Moment
    ) -> [String]? {
        let message = ClientMessage.explain(id: 1, statement: statement)
        for answer in answers(to: message, by: .administrator(name: nil), at: moment) {
            switch answer {
            case .value(_, let value): return RulesVerdict(value).reasons
            case .error(_, .invalid, let problem, _): return ["it is refused: \(problem)"]
            default: break
            }
        }
        return nil
    }

    /// The answer to a request of an identity that leaves then.
    mutating func answers(
        to message: ClientMessage, by principal: Principal, at moment: Moment
    ) -> [NodeMessage] {
        let session = Replica.probing
        let outputs = execute([
            .turnBegan(moment), .opened(session), .identified(session, principal),
            .requestedMessages([message], by: session), .turnEnded, .closed(session),
        ])
        return outputs.flatMap { output -> [NodeMessage] in
            guard case .replyMessages(session, let answers) = output else { return [] }
            return answers.map(\.message)
        }
    }
}

extension Replica {
    /// Takes inputs; what is to be stored then is durable at once.
    mutating func execute(_ inputs: [Input]) -> [Output] {
        var outputs = inputs.flatMap { step($0) }
        for case .store(let turn) in outputs { outputs += step(.stored(turn: turn.number)) }
        return outputs
    }
}

extension UserRequest {
    /// The request as an operator asks a node what it says of it; nil for one that has no such form.
    fileprivate func statement(by identity: UserIdentity) -> String? {
        let user: String
        switch identity {
        case .administrator: return nil
        case .signedOut: user = "none"
        case .user(let uid, nil): user = "{uid: \"\(uid)\"}"
        case .user(let uid, let provider?):
            user = "{\"uid\": \"\(uid)\", provider: \"\(provider)\"}"
        }
        switch self {
        case .put(let path, .null): return "delete \(path) as \(user)"
        case .put(let path, let value):
            return "write \(path) \(RestText.json(value)) as \(user)"
        case .merge(let path, let writes):
            return "update \(path) \(RestText.json(writes)) as \(user)"
        case .get(let path, Query()), .listen(let path, Query()):
            return "read \(path) as \(user)"
        default: return nil
        }
    }
}
