import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// Clients with identities: their requests and connections.

extension UserClient: ClientActor {
    var lastNode: Int? { node }
    var identity: UserIdentity { credential.identity }
    var isUser: Bool { true }
    var mayHaveRealtimeSession: Bool { true }

    func uses(_ connection: Int) -> Bool { self.connection == connection }

    func unrest(in run: SimulatedRun) -> String? {
        isSilent && connection != nil && run.now < run.scenario.until + UserClient.userSilence
            ? "is silent, which its node may not have noticed" : nil
    }

    /// From the end of a connection to the next one.
    private static let userReconnection = TimeRange(.milliseconds(30), .milliseconds(300))
    /// Without an answer for this long, a user goes to another node.
    private static let userPatience: Microseconds = .seconds(2)

    mutating func begin(in run: inout SimulatedRun) { scheduleAct(in: &run) }

    private mutating func scheduleAct(in run: inout SimulatedRun) {
        let pace = random.time(in: run.scenario.clients.pace)
        run.schedule(.clientActs(index), after: pace)
    }

    mutating func act(in run: inout SimulatedRun) {
        guard remaining > 0 else { return }
        if connection == nil {
            connect(in: &run)
        } else if let open = self.open {
            if run.now >= open.since + UserClient.userPatience { leave(in: &run) }
        } else if !isReady {
            if run.now >= connected + UserClient.userPatience {
                leave(in: &run)
            }
        } else {
            remaining -= 1
            changeKeys(in: &run)
            takeStep(in: &run)
        }
        scheduleAct(in: &run)
    }

    /// The time after which nodes have noticed that a client is silent.
    private static let userSilence: Microseconds = .seconds(18)

    /// Leaves its node, or stays on its connection without a word.
    mutating func stop(in run: inout SimulatedRun) {
        remaining = 0
        if !goesSilent(in: &run) { leave(in: &run) }
    }

    /// A third of those that have left something to be written are silent from now on; returns whether this one is.
    private mutating func goesSilent(in run: inout SimulatedRun) -> Bool {
        let user = self
        guard user.door == .native, user.open == nil, let connection = user.connection,
            !run.connections[connection].isBroken,
            random.index(below: 3) == 0
        else { return false }
        let session = SimulatedRun.session(of: connection)
        guard run.access?.watches[user.node].sessions[session]?.left?.isEmpty == false else {
            return false
        }
        run.access?.watches[user.node].silence(session)
        isSilent = true
        return true
    }

    // MARK: Requests

    private mutating func takeStep(in run: inout SimulatedRun) {
        let (door, draw) = (self.door, random.index(below: 14))
        if draw == 0 || listens >= UserClient.listenLimit {
            return leave(in: &run)
        }
        if draw < 3 { return show(in: &run) }
        if door == .stream {
            if listens > 0 { return }
            return listen(in: &run)
        }
        // A client with a denied listen may change its user soon, and requests the listen again on
        // the same connection.
        if let denied = self.denied, random.index(below: 3) == 0 {
            return ask(.listen(denied.path, denied.query), in: &run)
        }
        let milliseconds = VirtualClock.beginning + run.now / 1_000
        let request = UserProgram.next(
            credential.identity, tag: tag, at: milliseconds,
            &random)
        ask(request, in: &run)
    }

    /// The client signs in as another user, or as the same user with another token.
    private mutating func show(in run: inout SimulatedRun) {
        let door = self.door
        let showsTokens = door == .realtime || door == .rest
        let drawn = UserProgram.credential(at: run.now, mayBeBad: showsTokens, &random)
        let again = random.index(below: 3) == 0 ? earlier : nil
        let credential = showsTokens ? again ?? drawn : drawn
        earlier = drawn
        switch door {
        case .native:
            self.credential = credential
            guard let connection = self.connection else { return }
            run.connections[connection].isIdentified = false
            run.identify(connection, as: identity)
        case .realtime: ask(.shows(credential), in: &run)
        case .rest: self.credential = credential
        case .stream:
            leave(in: &run)
            self.credential = credential
        }
    }

    private mutating func listen(in run: inout SimulatedRun) {
        let milliseconds = VirtualClock.beginning + run.now / 1_000
        for _ in 0..<20 {
            let request = UserProgram.next(
                credential.identity, tag: tag, at: milliseconds,
                &random)
            if case .listen = request { return ask(request, in: &run) }
        }
    }

    private mutating func ask(_ request: UserRequest, in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        lastNumber += 1
        let id = lastNumber
        let session = SimulatedRun.session(of: connection)
        open = .init(
            number: id, request: request, since: run.now,
            answers: run.access?.watches[node].denials[session]?.count ?? 0)
        if case .listen = request { listens += 1 }
        record(asking: request, in: &run)
        let host = run.nodes[node].name
        switch door {
        case .native:
            guard let message = request.message(id: id) else { return }
            run.send(message.frame, on: connection)
        case .realtime:
            run.send(bytes: frames(of: request, number: Int64(id)), on: connection)
        case .rest:
            answers.expect()
            run.send(bytes: request.rest(to: host, showing: credential), on: connection)
        case .stream:
            answers.expect()
            run.send(
                bytes: request.stream(to: host, showing: credential), on: connection)
        }
    }

    /// Records the identities that a connection's client may have while its node processes a
    /// request.
    private mutating func record(asking request: UserRequest, in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        let user = self
        if case .shows(let credential) = request {
            // Until the answer has come, either may count; a wrong credential takes what an earlier one gave.
            run.connections[connection].mayBe += [credential.identity, .signedOut]
            return
        }
        run.connections[connection].mayBe =
            user.door != .native && run.nodes[user.node].keys.lack(user.credential)
            ? [.signedOut]
            : user.identities(
                at: run.now...(run.now + UserClient.userPatience), uncertainty: run.clockUncertainty
            )
    }

    // MARK: Connections

    private mutating func connect(in run: inout SimulatedRun) {
        let node = nextNode()
        let index = self.index
        let isNative = door == .native
        let connection = isNative ? run.open(index, to: node) : run.openPort(index, to: node)
        begin(on: connection, at: run.now)
        guard door == .realtime else {
            run.connections[connection].mayBe = [credential.identity]
            return
        }
        credential = Credential(.signedOut, at: run.now, lifetime: 0, actsAs: false)
        run.connections[connection].mayBe = [.signedOut]
        run.send(bytes: FirebaseSocket.request(to: run.nodes[node].name, ""), on: connection)
    }

    mutating func leave(in run: inout SimulatedRun) {
        guard let connection = self.connection else { return }
        run.close(connection)
        loseConnection()
    }

    mutating func loseNode(on connection: Int, isOrderly: Bool, in run: inout SimulatedRun) {
        loseConnection()
    }

}

// MARK: - Keys

extension UserClient {
    /// Now and then keys of issuers change in the files of a node.
    private mutating func changeKeys(in run: inout SimulatedRun) {
        if let node = run.changeKeys() { noteKeys(of: node, in: &run) }
    }

    /// From the node's next turn on, tokens of a missing key show no identity.
    mutating func noteKeys(of node: Int, in run: inout SimulatedRun) {
        guard self.node == node, door != .native, let connection else { return }
        run.connections[connection].mayBe += [credential.identity, .signedOut]
        if door == .realtime, run.nodes[node].keys.lack(credential) {
            credential = Credential(.signedOut, at: run.now, lifetime: 0, actsAs: false)
        }
    }

    /// Whether a request of the client was processed with the keys that are there now.
    func hadSteadyKeys(_ open: Open, in run: inout SimulatedRun) -> Bool {
        run.nodes[node].keys.areSteady(since: open.since)
    }
}
