import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

// Clients by their numbers: SDK clients that send requests, protocol clients, listeners, and
// applications.

extension SimulatedRun {
    /// A client, among those of its kind.
    enum ClientPlace {
        case sdk(Int)
        case `protocol`(Int)
        case firebase(Int)
        case rest(Int)
        case stream(Int)
        case user(Int)
    }

    /// The places of all clients, by their numbers: SDK clients that send requests, protocol clients, other SDK clients, Firebase
    /// clients, those of REST and of streams, and clients with identities.
    static func places(in clients: ClientSettings) -> [ClientPlace] {
        let library = clients.count - clients.protocolCount
        let users = clients.total - clients.users
        let streams = users - clients.streams
        let rest = streams - clients.rest
        let firebase = rest - clients.firebase
        return (0..<clients.total).map { client in
            if client >= users { return .user(client - users) }
            if client >= streams { return .stream(client - streams) }
            if client >= rest { return .rest(client - rest) }
            if client >= firebase { return .firebase(client - firebase) }
            if client < library { return .sdk(client) }
            return client < clients.count
                ? .protocol(client - library) : .sdk(client - clients.protocolCount)
        }
    }

    func place(of client: Int) -> ClientPlace { places[client] }

    /// Whether a client only listens, and leaves no on-disconnect writes.
    func isListener(_ client: Int) -> Bool {
        let first = scenario.clients.count
        return first..<first + scenario.clients.listeners ~= client
    }

    func isUser(_ client: Int) -> Bool {
        if case .user = place(of: client) { true } else { false }
    }

    // MARK: Which there are

    static func protocolClients(of scenario: Scenario, seed: UInt64) -> [ProtocolClient] {
        let clients = scenario.clients
        return (clients.count - clients.protocolCount..<clients.count).map { index in
            ProtocolClient(
                index: index, node: index % scenario.cluster.replicas,
                remaining: scenario.share(of: index), skew: clients.skew, seed: seed)
        }
    }

    static func sdkClients(of scenario: Scenario, seed: UInt64) -> [SDKClient] {
        let clients = scenario.clients
        var index = clients.count
        func next(_ count: Int, _ make: (_ number: Int, _ index: Int) -> SDKClient) -> [SDKClient] {
            defer { index += count }
            return (0..<count).map { make($0, index + $0) }
        }
        let asking = (0..<clients.count - clients.protocolCount).map { index in
            scenario.askingClient(index, seed: seed)
        }
        return asking
            + next(clients.listeners) { number, index in
                scenario.listeningClient(number, index, seed: seed)
            }
            + next(clients.applications) { number, index in
                scenario.application(number, index, seed: seed)
            }
            + next(clients.dense) { number, index in
                scenario.denseClient(number, index, seed: seed)
            }
            + next(clients.idle) { _, index in scenario.presence(index, seed: seed) }
            + next(clients.libraryUsers) { number, index in
                scenario.libraryUser(number, index, seed: seed)
            }
    }

    static func firebaseClients(of scenario: Scenario, seed: UInt64) -> [FirebaseClient] {
        (0..<scenario.clients.firebase).map { scenario.firebaseClient($0, seed: seed) }
    }

    // MARK: What happens to them

    mutating func beginClients() {
        for number in protocolClients.indices {
            let client = protocolClients[number].index
            let pace = protocolClients[number].requests.random.time(in: scenario.clients.pace)
            schedule(.clientActs(client), after: pace)
            scheduleMove(of: client)
        }
        for number in sdkClients.indices { begin(number) }
        for number in firebaseClients.indices { begin(firebaseClient: number) }
        for number in restClients.indices { begin(restClient: number) }
        for number in streamClients.indices { begin(streamClient: number) }
        for number in users.indices { begin(userClient: number) }
    }

    mutating func add(_ request: ScriptedRequest, to client: Int) {
        switch place(of: client) {
        case .sdk(let number): sdkClients[number].requests?.scripted.append(request)
        case .protocol(let number): protocolClients[number].requests.scripted.append(request)
        case .firebase, .rest, .stream, .user:
            preconditionFailure("a script has a request of c\(client + 1)")
        }
        schedule(.clientActs(client), after: 0)
    }

    mutating func act(_ client: Int) {
        switch place(of: client) {
        case .sdk(let number): act(sdkClient: number)
        case .protocol(let number): act(protocolClient: number)
        case .firebase(let number): act(firebaseClient: number)
        case .rest(let number): act(restClient: number)
        case .stream(let number): act(streamClient: number)
        case .user(let number): act(userClient: number)
        }
    }

    mutating func giveUp(_ client: Int, request: UInt64) {
        switch place(of: client) {
        case .sdk(let number): giveUp(sdkClient: number, request)
        case .protocol(let number): giveUp(protocolClient: number, request: request)
        case .rest(let number): giveUp(restClient: number, request: request)
        case .firebase, .stream, .user: break
        }
    }

    mutating func turnClient(_ client: Int) {
        switch place(of: client) {
        case .sdk(let number): turn(sdkClient: number)
        case .protocol, .rest, .user: break
        case .firebase(let number): turn(firebaseClient: number)
        case .stream(let number): turn(streamClient: number)
        }
    }

    mutating func scheduleMove(of client: Int) {
        guard let move = scenario.clients.move else { return }
        schedule(.clientMoves(client), after: random.time(in: move))
    }

    mutating func move(_ client: Int) {
        if quiescence.hasBegun { return }
        scheduleMove(of: client)
        switch place(of: client) {
        case .sdk(let number): move(sdkClient: number)
        case .protocol(let number): move(protocolClient: number)
        case .firebase, .rest, .stream, .user: break
        }
    }

    mutating func takeReply(_ frame: [UInt8], on connection: Int) {
        guard !connections[connection].isBroken, isCurrent(connection) else { return }
        switch place(of: connections[connection].client) {
        case .sdk(let number): takeReply(frame, onSDKClient: number)
        case .protocol(let number): takeReply(frame, onProtocolClient: number)
        case .firebase(let number): takeReply(frame, onFirebaseClient: number, on: connection)
        case .rest(let number): takeReply(frame, onRestClient: number)
        case .stream(let number): takeReply(frame, onStreamClient: number)
        case .user(let number): takeReply(frame, onUser: number)
        }
    }

    mutating func loseNode(_ connection: Int) {
        let orderly = !connections[connection].isBroken
        if connections[connection].isToPort { close(connection) }
        guard isCurrent(connection) else { return }
        switch place(of: connections[connection].client) {
        case .sdk(let number): loseNode(ofSDKClient: number)
        case .protocol(let number): leave(number)
        case .firebase(let number): loseNode(ofFirebaseClient: number, on: connection)
        case .rest(let number): loseNode(ofRestClient: number, orderly: orderly)
        case .stream(let number): loseNode(ofStreamClient: number)
        case .user(let number): loseNode(ofUser: number)
        }
    }

    /// Whether its client uses this connection now.
    @inline(__always)  // A call is given all of the run, and this is asked for each frame.
    func isCurrent(_ connection: Int) -> Bool {
        switch place(of: connections[connection].client) {
        case .sdk(let number):
            sdkClients[number].connection == connection && !sdkClients[number].isGone
        case .protocol(let number): protocolClients[number].connection == connection
        case .firebase(let number):
            firebaseClients[number].connections.values.contains(connection)
        case .rest(let number): restClients[number].connection == connection
        case .stream(let number): streamClients[number].connection == connection
        case .user(let number): users[number].connection == connection
        }
    }

    /// Clients send no more requests.
    mutating func stopClients() {
        for number in protocolClients.indices { protocolClients[number].requests.stop() }
        stopSDKClients()
        stopFirebaseClients()
        stopRestClients()
        stopStreamClients()
        stopUserClients()
    }
}

// MARK: - One client

extension Scenario {
    /// How many requests a requesting client draws.
    fileprivate func share(of client: Int) -> Int {
        let (operations, count) = (workload.operations, clients.count)
        return operations * (client + 1) / count - operations * client / count
    }

    /// The node at which a client begins, and all others in an order of its own.
    private func nodes(from first: Int, _ random: inout SplitMix64) -> [String] {
        var others = (0..<cluster.replicas).filter { $0 != first }
        random.shuffle(&others)
        return ([first] + others).map { "n\($0 + 1)" }
    }

    private func sdkClient(
        _ program: SDKClient.Program, _ index: Int, node: Int, _ random: SplitMix64
    ) -> SDKClient {
        var random = random
        let clock = ClientClock(skew: clients.skew, random: &random)
        return SDKClient(
            program, index: index, nodes: nodes(from: node, &random), clock: clock,
            random: random)
    }

    fileprivate func askingClient(_ index: Int, seed: UInt64) -> SDKClient {
        var client = sdkClient(
            .requests, index, node: index % cluster.replicas,
            SplitMix64(seed: seed, part: 20_000 + UInt64(index)))
        client.requests = RequestSource(
            client: index, remaining: share(of: index),
            random: SplitMix64(seed: seed, part: 10_000 + UInt64(index)))
        return client
    }

    fileprivate func listeningClient(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
        let places = [["data"], [], ["lists"], ["data", "a"]]
        let keys = places[number % places.count].map { Key(unchecked: $0) }
        var client = sdkClient(
            .listener, index, node: index % cluster.replicas,
            SplitMix64(seed: seed, part: 20_000 + UInt64(index)))
        client.listening = Listening(
            path: clients.listen ?? Path(keys), isFollowed: number < Listening.followedCount)
        return client
    }

    /// A program takes its share of the steps; those of Firebase clients come last.
    private func program(_ number: Int) -> ApplicationProgram {
        let (steps, count) = (workload.applications, clients.applications + clients.firebase)
        return ApplicationProgram(
            remaining: steps * (number + 1) / count - steps * number / count,
            transactions: workload.transactions)
    }

    fileprivate func firebaseClient(_ number: Int, seed: UInt64) -> FirebaseClient {
        let last = clients.total - clients.users
        let index = last - clients.firebase - clients.rest - clients.streams + number
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        let streams = ApplicationProgram.listens(&random)
        var nodes = Array(0..<cluster.replicas)
        random.shuffle(&nodes)
        return FirebaseClient(
            index: index, nodes: nodes, program: program(clients.applications + number),
            streams: streams, random: random, polls: number >= clients.firebase - clients.polls,
            isUndisturbed: isUndisturbed)
    }

    /// A client of REST or of a stream takes its share of the steps.
    private func steps(of number: Int) -> Int {
        let (steps, count) = (workload.rest, clients.rest + clients.streams)
        return steps * (number + 1) / count - steps * number / count
    }

    func restClient(_ number: Int, seed: UInt64) -> RestClient {
        let index = clients.total - clients.users - clients.rest - clients.streams + number
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var nodes = Array(0..<cluster.replicas)
        random.shuffle(&nodes)
        let requests = RequestSource(
            client: index, remaining: steps(of: number),
            random: SplitMix64(seed: seed, part: 10_000 + UInt64(index)))
        return RestClient(
            index: index, nodes: nodes, remaining: steps(of: number), requests: requests,
            random: random)
    }

    func streamClient(_ number: Int, seed: UInt64) -> StreamClient {
        let index = clients.total - clients.users - clients.streams + number
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var nodes = Array(0..<cluster.replicas)
        random.shuffle(&nodes)
        let places = [["data"], ["board"], [], ["lists", "l1"], ["data", "a"], ["dense", "x"]]
        // Some are at one place, so that they are told the same in different forms.
        var common = SplitMix64(seed: seed, part: 21_000)
        let place = common.index(below: places.count) + number / 3
        let keys = places[place % places.count].map { Key(unchecked: $0) }
        return StreamClient(
            index: index, nodes: nodes, remaining: steps(of: clients.rest + number),
            path: Path(keys), random: random)
    }

    fileprivate func application(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        let streams = ApplicationProgram.listens(&random)
        var client = sdkClient(
            .application, index, node: random.index(below: cluster.replicas), random)
        client.streams = streams
        client.application = program(number)
        return client
    }

    /// A dense program takes its share of the steps.
    fileprivate func denseClient(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        let clock = ClientClock(skew: clients.skew, random: &random)
        let nodes = nodes(from: random.index(below: cluster.replicas), &random)
        let (steps, count) = (workload.dense, clients.dense)
        return SDKClient(
            index: index, nodes: nodes, clock: clock, random: random,
            dense: DenseProgram(
                remaining: steps * (number + 1) / count - steps * number / count,
                children: workload.children))
    }

    /// Every second one listens, too.
    fileprivate func presence(_ index: Int, seed: UInt64) -> SDKClient {
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var client = sdkClient(
            .presence, index, node: random.index(below: cluster.replicas), random)
        if !index.isMultiple(of: 2) {
            client.streams = [EventStream(path: ApplicationProgram.data, query: Query())]
        }
        return client
    }

    /// A user of the library takes a part of the steps of clients with identities, besides theirs.
    fileprivate func libraryUser(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
        let random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var client = sdkClient(.times, index, node: index % cluster.replicas, random)
        let uid = UserProgram.names[number % UserProgram.names.count]
        client.times = TimesProgram(identity: .user(uid), remaining: workload.users / 8)
        return client
    }
}
