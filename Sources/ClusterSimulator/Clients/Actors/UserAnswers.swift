import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// The answers to clients with identities: their effects and their correctness.

extension UserClient {
    mutating func takeReply(_ bytes: [UInt8], on connection: Int, in run: inout SimulatedRun) {
        let outcome = receive(bytes, by: run.population.reader)
        if let outcome, let open = self.open { finish(open, as: outcome, in: &run) }
        if isOver { leave(in: &run) }
    }

    private mutating func finish(
        _ open: UserClient.Open, as outcome: UserClient.Outcome, in run: inout SimulatedRun
    ) {
        self.open = nil
        // Whether the node was still to sign it out is not known.
        if open.request.credential != nil, !hadSteadyKeys(open, in: &run) {
            return leave(in: &run)
        }
        check(outcome, of: open, in: &run)
        let shown = open.request.credential ?? self.credential
        check(outcome, of: open, showing: shown, in: &run)
        if case .listen(let path, let query) = open.request {
            finish(listen: .init(path: path, query: query), as: outcome, in: &run)
        }
        if case .shows(let credential) = open.request, let connection = self.connection {
            let shown =
                outcome == .done
                ? credential : Credential(.signedOut, at: run.now, lifetime: 0, actsAs: false)
            self.credential = shown
            run.connections[connection].mayBe = identities(
                at: run.now...run.now, uncertainty: run.clockUncertainty)
        }
        // A client whose token is refused may continue without a user.
        if outcome == .unknownUser, open.request.credential != nil,
            random.index(below: 3) > 0
        {
            return
        }
        // Its token may have expired, or its connection be about to end.
        if [.failed, .unknownUser, .nonsense].contains(outcome) {
            return leave(in: &run)
        }
        if door == .stream, outcome == .denied { leave(in: &run) }
        // Some clients continue with a credential that is no longer valid.
        if door == .rest || door == .stream,
            !self.credential.shows(at: run.now), random.index(below: 2) == 0
        {
            self.credential = UserProgram.credential(at: run.now, &random)
        }
    }

    /// Checks that a node accepts valid tokens and refuses invalid ones.
    private mutating func check(
        _ outcome: UserClient.Outcome, of open: UserClient.Open, showing credential: Credential,
        in run: inout SimulatedRun
    ) {
        let user = self
        // By frames there are no tokens, and streams begin again with each.
        guard user.door == .realtime || user.door == .rest, let form = credential.form,
            let connection = user.connection, run.clockUncertainty != nil || !form.isUntimely,
            hadSteadyKeys(open, in: &run)
        else { return }
        let session = SimulatedRun.session(of: connection)
        // The token of an open connection has expired: the client continues without a user.
        let isShown = user.door == .rest || open.request.credential != nil
        let isOver =
            isShown && run.clockUncertainty.map { credential.hasEnded(by: open.since, $0) } ?? false
        let isBelieved = credential.isGood && !run.nodes[user.node].keys.lack(credential)
        if isShown, !isBelieved || isOver, outcome == .done {
            run.access?.watches[user.node].report(
                .writesAreAllowed, session,
                "its token (\(form)) shows nothing\(isOver ? " any more" : ""), and is accepted")
        }
        if isBelieved, credential.end == nil, run.clockUncertainty != nil,
            outcome == .unknownUser
        {
            run.access?.watches[user.node].report(
                .allowedIsAccepted, session, "its token (\(form)) shows who it is, and is refused")
        }
    }

    /// A listen has an answer: nothing is wrong with it unless the client listens to the same already.
    private mutating func finish(
        listen: UserClient.Selection, as outcome: UserClient.Outcome, in run: inout SimulatedRun
    ) {
        let user = self
        switch outcome {
        case .done:
            accepted.insert(listen)
            if user.denied == listen { denied = nil }
        case .denied: denied = listen
        case .nonsense where !user.accepted.contains(listen):
            guard let connection = user.connection else { return }
            run.access?.watches[user.node].report(
                .allowedIsAccepted, SimulatedRun.session(of: connection),
                "its listen at \(listen.path) is refused as nonsense")
        case .failed, .unknownUser, .nonsense: break
        }
    }

    /// Checks that the answer is the decision of the node.
    private mutating func check(
        _ outcome: UserClient.Outcome, of open: UserClient.Open, in run: inout SimulatedRun
    ) {
        let user = self
        guard let connection = user.connection, user.door != .native,
            outcome == .done || outcome == .denied, user.credential.end == nil,
            user.credential.isGood, hadSteadyKeys(open, in: &run),
            !run.nodes[user.node].keys.lack(user.credential)
        else { return }
        if case .shows = open.request { return }
        let session = SimulatedRun.session(of: connection)
        // A gateway may send several messages for a request; the first denial decides.
        let denials = run.access?.watches[user.node].denials[session] ?? []
        let wasAsked = denials.count > open.answers
        let wasDenied = wasAsked && denials[open.answers]
        if outcome == .denied, !wasDenied, run.clockUncertainty != nil {
            run.access?.watches[user.node].report(
                .allowedIsAccepted, session, "its client is denied what the node has not denied")
        }
        if outcome == .done, wasAsked, wasDenied {
            run.access?.watches[user.node].report(
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
