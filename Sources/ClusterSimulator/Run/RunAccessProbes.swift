import ReplicaCore
import Rules
import SyncProtocol

// What nodes would let users do, tried on copies of their replicas: far more than users ask for in a run.

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
            let identity = UserProgram.identity(&rulesRandom)
            let request = UserProgram.next(
                identity, tag: "C\(number)", at: moment.milliseconds, &rulesRandom)
            guard let message = request.message(id: 1),
                let expected = access.watches[node].isAllowed(
                    message.request, to: identity, moment, access.history)
            else { continue }
            var copy = replica
            guard let found = copy.permits(message, by: identity.principal, at: instant),
                found != expected
            else { continue }
            let isRead = message.request.kind == .read
            access.watches[node].note(
                found ? (isRead ? .readsAreAllowed : .writesAreAllowed) : .allowedIsAccepted,
                Replica.probing,
                "\(identity) \(found ? "could" : "could not") do \(message.summary), other than the rules say"
            )
        }
        self.access = access
    }
}

extension Replica {
    /// The session of whoever tries.
    fileprivate static let probing = SessionID(number: .max - 1)

    /// Whether somebody may do something now; nil if it is refused for another reason.
    fileprivate mutating func permits(
        _ message: ClientMessage, by principal: Principal, at moment: Moment
    ) -> Bool? {
        let session = Replica.probing
        let inputs: [Input] = [
            .turnBegan(moment), .opened(session), .identified(session, principal),
            .requestedMessages([message], by: session), .turnEnded,
        ]
        var outputs = inputs.flatMap { step($0) }
        for case .store(let turn) in outputs { outputs += step(.stored(turn: turn.number)) }
        for case .replyMessages(session, let answers) in outputs {
            for answer in answers {
                switch answer.message {
                case .error(message.id, let code, _, _):
                    return code == .permissionDenied ? false : code == .changed ? true : nil
                case .ok, .acknowledged, .pushed, .value, .change: return true
                default: break
                }
            }
        }
        return nil
    }
}
