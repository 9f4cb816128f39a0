import DataTree
import GatewayCore
import ReplicaCore
import SyncProtocol

// Clients with identities: what they do, and how they come and go.

extension SimulatedRun {
    /// From the end of a connection to the next one.
    private static let userReconnection = TimeRange(.milliseconds(30), .milliseconds(300))
    /// Without an answer for this long, a user goes to another node.
    private static let userPatience: Microseconds = .seconds(2)

    static func userClients(of scenario: Scenario, seed: UInt64) -> [UserClient] {
        let (count, steps) = (scenario.clients.users, scenario.workload.users)
        return (0..<count).map { number in
            let index = scenario.clients.total - count + number
            var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
            var nodes = Array(0..<scenario.cluster.replicas)
            random.shuffle(&nodes)
            let doors = UserClient.Door.allCases
            return UserClient(
                index: index, door: doors[number % doors.count], nodes: nodes,
                remaining: steps * (number + 1) / count - steps * number / count, random: random)
        }
    }

    mutating func begin(userClient number: Int) { scheduleAct(ofUser: number) }

    private mutating func scheduleAct(ofUser number: Int) {
        let pace = users[number].random.time(in: scenario.clients.pace)
        schedule(.clientActs(users[number].index), after: pace)
    }

    mutating func act(userClient number: Int) {
        guard users[number].remaining > 0 else { return }
        if users[number].connection == nil {
            connect(userClient: number)
        } else if let open = users[number].open {
            if now >= open.since + SimulatedRun.userPatience { leave(userClient: number) }
        } else if !users[number].isReady {
            if now >= users[number].connected + SimulatedRun.userPatience {
                leave(userClient: number)
            }
        } else {
            users[number].remaining -= 1
            changeKeys()
            takeStep(ofUser: number)
        }
        scheduleAct(ofUser: number)
    }

    /// Nodes have noticed by then that a client says nothing any more.
    private static let userSilence: Microseconds = .seconds(18)

    /// Clients do nothing more, and leave: some without a word, on connections that stay.
    mutating func stopUserClients() {
        for node in nodes.indices {
            probeAccess(of: node)
            probeRules(of: node)
        }
        probeTokens()
        for number in users.indices {
            users[number].remaining = 0
            if goesSilent(userClient: number) { continue }
            leave(userClient: number)
        }
    }

    /// A third of those that have left something to be written are silent from now on; returns whether this one is.
    private mutating func goesSilent(userClient number: Int) -> Bool {
        let user = users[number]
        guard user.door == .native, user.open == nil, let connection = user.connection,
            !connections[connection].isBroken, isCurrent(connection),
            users[number].random.index(below: 3) == 0
        else { return false }
        let session = SimulatedRun.session(of: connection)
        guard access?.watches[user.node].sessions[session]?.left?.isEmpty == false else {
            return false
        }
        access?.watches[user.node].silence(session)
        users[number].isSilent = true
        return true
    }

    /// The first client whose silence its node may not have noticed yet.
    var unnoticedUser: UserClient? {
        guard now < scenario.until + SimulatedRun.userSilence else { return nil }
        return users.first { $0.isSilent && $0.connection != nil }
    }

    // MARK: Requests

    private mutating func takeStep(ofUser number: Int) {
        let (door, draw) = (users[number].door, users[number].random.index(below: 14))
        if draw == 0 || users[number].listens >= UserClient.listenLimit {
            return leave(userClient: number)
        }
        if draw < 3 { return show(ofUser: number) }
        if door == .stream {
            if users[number].listens > 0 { return }
            return listen(byStream: number)
        }
        // Whoever is denied a listen may be somebody else soon, and asks again on the same connection.
        if let denied = users[number].denied, users[number].random.index(below: 3) == 0 {
            return ask(.listen(denied.path, denied.query), number)
        }
        let milliseconds = VirtualClock.beginning + now / 1_000
        let request = UserProgram.next(
            users[number].credential.identity, tag: users[number].tag, at: milliseconds,
            &users[number].random)
        ask(request, number)
    }

    /// The client is somebody else from now on, or shows the same by another token.
    private mutating func show(ofUser number: Int) {
        let door = users[number].door
        let showsTokens = door == .realtime || door == .rest
        let drawn = UserProgram.credential(at: now, mayBeBad: showsTokens, &users[number].random)
        let again = users[number].random.index(below: 3) == 0 ? users[number].earlier : nil
        let credential = showsTokens ? again ?? drawn : drawn
        users[number].earlier = drawn
        switch door {
        case .native:
            users[number].credential = credential
            guard let connection = users[number].connection else { return }
            connections[connection].isIdentified = false
            identify(connection)
        case .realtime: ask(.shows(credential), number)
        case .rest: users[number].credential = credential
        case .stream:
            leave(userClient: number)
            users[number].credential = credential
        }
    }

    private mutating func listen(byStream number: Int) {
        let milliseconds = VirtualClock.beginning + now / 1_000
        for _ in 0..<20 {
            let request = UserProgram.next(
                users[number].credential.identity, tag: users[number].tag, at: milliseconds,
                &users[number].random)
            if case .listen = request { return ask(request, number) }
        }
    }

    private mutating func ask(_ request: UserRequest, _ number: Int) {
        guard let connection = users[number].connection else { return }
        users[number].lastNumber += 1
        let id = users[number].lastNumber
        let session = SimulatedRun.session(of: connection)
        users[number].open = .init(
            number: id, request: request, since: now,
            answers: access?.watches[users[number].node].denials[session]?.count ?? 0)
        if case .listen = request { users[number].listens += 1 }
        note(identitiesOf: number, asking: request)
        let host = nodes[users[number].node].name
        switch users[number].door {
        case .native:
            guard let message = request.message(id: id) else { return }
            send(message.frame, on: connection)
        case .realtime:
            send(bytes: users[number].frames(of: request, number: Int64(id)), on: connection)
        case .rest:
            users[number].answers.expect()
            send(bytes: request.rest(to: host, showing: users[number].credential), on: connection)
        case .stream:
            users[number].answers.expect()
            send(
                bytes: request.stream(to: host, showing: users[number].credential), on: connection)
        }
    }

    /// Records who the client of a connection may be while its node processes a request.
    private mutating func note(identitiesOf number: Int, asking request: UserRequest) {
        guard let connection = users[number].connection else { return }
        let user = users[number]
        if case .shows(let credential) = request {
            // Until the answer has come, either may count; a wrong credential takes what an earlier one gave.
            connections[connection].mayBe += [credential.identity, .signedOut]
            return
        }
        connections[connection].mayBe =
            user.door != .native && nodes[user.node].keys.lack(user.credential)
            ? [.signedOut]
            : user.identities(
                at: now...(now + SimulatedRun.userPatience), uncertainty: clockUncertainty)
    }

    /// How far clocks of nodes may be from the true time; nil if faults set them.
    var clockUncertainty: Microseconds? {
        let isSet = scenario.script.contains { scripted in
            if case .fault(let fault) = scripted.action { fault is ClockFault } else { false }
        }
        return isSet ? nil : 2 * scenario.clocks.skew
    }

    // MARK: Connections

    private mutating func connect(userClient number: Int) {
        let node = users[number].nextNode()
        let index = users[number].index
        let isNative = users[number].door == .native
        let connection = isNative ? open(index, to: node) : openPort(index, to: node)
        users[number].begin(on: connection, at: now)
        guard users[number].door == .realtime else {
            connections[connection].mayBe = [users[number].credential.identity]
            return
        }
        users[number].credential = Credential(.signedOut, at: now, lifetime: 0, actsAs: false)
        connections[connection].mayBe = [.signedOut]
        send(bytes: FirebaseSocket.request(to: nodes[node].name, ""), on: connection)
    }

    mutating func leave(userClient number: Int) {
        guard let connection = users[number].connection else { return }
        close(connection)
        users[number].loseConnection()
    }

    mutating func loseNode(ofUser number: Int) { users[number].loseConnection() }

    /// Says who the client of a connection of frames is, before its node gets the next one.
    mutating func identify(_ connection: Int) {
        // What a client sends before it goes still arrives.
        guard access != nil, !connections[connection].isIdentified,
            !connections[connection].isOverAtNode
        else { return }
        connections[connection].isIdentified = true
        let identity: UserIdentity
        switch place(of: connections[connection].client) {
        case .user(let number):
            identity = users[number].credential.identity
            connections[connection].mayBe = [identity]
        case .sdk(let number): identity = sdkClients[number].times?.identity ?? .administrator
        case .protocol, .firebase, .rest, .stream: identity = .administrator
        }
        tell(
            .identified(SimulatedRun.session(of: connection), identity.principal), on: connection)
    }
}
