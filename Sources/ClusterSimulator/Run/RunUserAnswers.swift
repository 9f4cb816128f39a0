import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// What clients with identities are told: what follows from it, and whether it is right.

extension SimulatedRun {
    mutating func takeReply(_ bytes: [UInt8], onUser number: Int) {
        let outcome = users[number].receive(bytes, by: reader)
        if let outcome, let open = users[number].open { finish(open, as: outcome, number) }
        if users[number].isOver { leave(userClient: number) }
    }

    private mutating func finish(
        _ open: UserClient.Open, as outcome: UserClient.Outcome, _ number: Int
    ) {
        users[number].open = nil
        // Whether the node was still to sign it out is not known.
        if open.request.credential != nil, !hadSteadyKeys(open, ofUser: number) {
            return leave(userClient: number)
        }
        judge(outcome, of: open, number)
        let shown = open.request.credential ?? users[number].credential
        judge(outcome, of: open, showing: shown, number)
        if case .listen(let path, let query) = open.request {
            finish(listen: .init(path: path, query: query), as: outcome, number)
        }
        if case .shows(let credential) = open.request, let connection = users[number].connection {
            let shown =
                outcome == .done
                ? credential : Credential(.signedOut, at: now, lifetime: 0, actsAs: false)
            users[number].credential = shown
            connections[connection].mayBe = users[number].identities(
                at: now...now, uncertainty: clockUncertainty)
        }
        // Whose token is refused may go on as nobody.
        if outcome == .unknownUser, open.request.credential != nil,
            users[number].random.index(below: 3) > 0
        {
            return
        }
        // Its token may have expired, or its connection be about to end.
        if [.failed, .unknownUser, .nonsense].contains(outcome) {
            return leave(userClient: number)
        }
        if users[number].door == .stream, outcome == .denied { leave(userClient: number) }
        // Some go on with what shows nothing any more.
        if users[number].door == .rest || users[number].door == .stream,
            !users[number].credential.shows(at: now), users[number].random.index(below: 2) == 0
        {
            users[number].credential = UserProgram.credential(at: now, &users[number].random)
        }
    }

    /// Tokens show who somebody is, or nothing, as their nodes say.
    private mutating func judge(
        _ outcome: UserClient.Outcome, of open: UserClient.Open, showing credential: Credential,
        _ number: Int
    ) {
        let user = users[number]
        // By frames there are no tokens, and streams begin again with each.
        guard user.door == .realtime || user.door == .rest, let form = credential.form,
            let connection = user.connection, clockUncertainty != nil || !form.isUntimely,
            hadSteadyKeys(open, ofUser: number)
        else { return }
        let session = SimulatedRun.session(of: connection)
        // Whoever's token has ended on an open connection goes on as nobody.
        let isShown = user.door == .rest || open.request.credential != nil
        let isOver =
            isShown && clockUncertainty.map { credential.hasEnded(by: open.since, $0) } ?? false
        let isBelieved = credential.isGood && !nodes[user.node].keys.lack(credential)
        if isShown, !isBelieved || isOver, outcome == .done {
            access?.watches[user.node].note(
                .writesAreAllowed, session,
                "its token (\(form)) shows nothing\(isOver ? " any more" : ""), and is accepted")
        }
        if isBelieved, credential.end == nil, clockUncertainty != nil,
            outcome == .unknownUser
        {
            access?.watches[user.node].note(
                .allowedIsAccepted, session, "its token (\(form)) shows who it is, and is refused")
        }
    }

    /// A listen has an answer: nothing is wrong with it unless the client listens to the same already.
    private mutating func finish(
        listen: UserClient.Selection, as outcome: UserClient.Outcome, _ number: Int
    ) {
        let user = users[number]
        switch outcome {
        case .done:
            users[number].accepted.insert(listen)
            if user.denied == listen { users[number].denied = nil }
        case .denied: users[number].denied = listen
        case .nonsense where !user.accepted.contains(listen):
            guard let connection = user.connection else { return }
            access?.watches[user.node].note(
                .allowedIsAccepted, SimulatedRun.session(of: connection),
                "its listen at \(listen.path) is refused as nonsense")
        case .failed, .unknownUser, .nonsense: break
        }
    }

    /// A client is told what its node has decided.
    private mutating func judge(
        _ outcome: UserClient.Outcome, of open: UserClient.Open, _ number: Int
    ) {
        let user = users[number]
        guard let connection = user.connection, user.door != .native,
            outcome == .done || outcome == .denied, user.credential.end == nil,
            user.credential.isGood, hadSteadyKeys(open, ofUser: number),
            !nodes[user.node].keys.lack(user.credential)
        else { return }
        if case .shows = open.request { return }
        let session = SimulatedRun.session(of: connection)
        // Of a request for which its gateway asks several things, the first one decides.
        let denials = access?.watches[user.node].denials[session] ?? []
        let wasAsked = denials.count > open.answers
        let wasDenied = wasAsked && denials[open.answers]
        if outcome == .denied, !wasDenied, clockUncertainty != nil {
            access?.watches[user.node].note(
                .allowedIsAccepted, session, "its client is denied what the node has not denied")
        }
        if outcome == .done, wasAsked, wasDenied {
            access?.watches[user.node].note(
                open.request.isRead ? .readsAreAllowed : .writesAreAllowed, session,
                "its client is told that something is done which the node has denied")
        }
    }
}

extension UserRequest {
    /// What it shows.
    fileprivate var credential: Credential? {
        if case .shows(let credential) = self { credential } else { nil }
    }
}
