import ClientCore
import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

extension Scenario {
    /// The clients of a run, by their numbers: clients that send requests, the last of them without the library; listeners,
    /// applications, dense programs, idle clients and users of the library; Firebase clients, those of REST and of streams; clients
    /// with identities.
    func clientActors(seed: UInt64) -> [any ClientActor] {
        var actors: [any ClientActor] = []
        func add(_ count: Int, _ make: (_ number: Int, _ index: Int) -> any ClientActor) {
            for number in 0..<count { actors.append(make(number, actors.count)) }
        }
        add(clients.count - clients.protocolCount) { askingClient($1, seed: seed) }
        add(clients.protocolCount) { protocolClient($1, seed: seed) }
        add(clients.listeners) { listeningClient($0, $1, seed: seed) }
        add(clients.applications) { application($0, $1, seed: seed) }
        add(clients.dense) { denseClient($0, $1, seed: seed) }
        add(clients.idle) { presence($1, seed: seed) }
        add(clients.libraryUsers) { libraryUser($0, $1, seed: seed) }
        add(clients.firebase) { firebaseClient($0, $1, seed: seed) }
        add(clients.rest) { restClient($0, $1, seed: seed) }
        add(clients.streams) { streamClient($0, $1, seed: seed) }
        add(clients.users) { userClient($0, $1, seed: seed) }
        return actors
    }
}

// MARK: - One client

extension Scenario {
    /// How many requests a requesting client draws.
    private func share(of client: Int) -> Int {
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

    private func protocolClient(_ index: Int, seed: UInt64) -> ProtocolClient {
        ProtocolClient(
            index: index, node: index % cluster.replicas, remaining: share(of: index),
            skew: clients.skew, seed: seed)
    }

    private func askingClient(_ index: Int, seed: UInt64) -> SDKClient {
        var client = sdkClient(
            .requests, index, node: index % cluster.replicas,
            SplitMix64(seed: seed, part: 20_000 + UInt64(index)))
        client.requests = RequestSource(
            client: index, remaining: share(of: index),
            random: SplitMix64(seed: seed, part: 10_000 + UInt64(index)))
        return client
    }

    private func listeningClient(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
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

    private func firebaseClient(_ number: Int, _ index: Int, seed: UInt64) -> FirebaseClient {
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

    private func restClient(_ number: Int, _ index: Int, seed: UInt64) -> RestClient {
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

    private func streamClient(_ number: Int, _ index: Int, seed: UInt64) -> StreamClient {
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var nodes = Array(0..<cluster.replicas)
        random.shuffle(&nodes)
        let places = [["data"], ["board"], [], ["lists", "l1"], ["data", "a"], ["dense", "x"]]
        // Some are at one location, so that they receive the same data in different forms.
        var common = SplitMix64(seed: seed, part: 21_000)
        let place = common.index(below: places.count) + number / 3
        let keys = places[place % places.count].map { Key(unchecked: $0) }
        return StreamClient(
            index: index, nodes: nodes, remaining: steps(of: clients.rest + number),
            path: Path(keys), random: random)
    }

    private func application(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        let streams = ApplicationProgram.listens(&random)
        var client = sdkClient(
            .application, index, node: random.index(below: cluster.replicas), random)
        client.streams = streams
        client.application = program(number)
        return client
    }

    /// A dense program takes its share of the steps.
    private func denseClient(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
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
    private func presence(_ index: Int, seed: UInt64) -> SDKClient {
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var client = sdkClient(
            .presence, index, node: random.index(below: cluster.replicas), random)
        if !index.isMultiple(of: 2) {
            client.streams = [EventStream(path: ApplicationProgram.data, query: Query())]
        }
        return client
    }

    /// A user of the library takes a part of the steps of clients with identities, besides theirs.
    private func libraryUser(_ number: Int, _ index: Int, seed: UInt64) -> SDKClient {
        let random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var client = sdkClient(.times, index, node: index % cluster.replicas, random)
        let uid = UserProgram.names[number % UserProgram.names.count]
        client.times = TimesProgram(identity: .user(uid), remaining: workload.users / 8)
        return client
    }

    private func userClient(_ number: Int, _ index: Int, seed: UInt64) -> UserClient {
        let (count, steps) = (clients.users, workload.users)
        var random = SplitMix64(seed: seed, part: 20_000 + UInt64(index))
        var nodes = Array(0..<cluster.replicas)
        random.shuffle(&nodes)
        let doors = UserClient.Door.allCases
        return UserClient(
            index: index, door: doors[number % doors.count], nodes: nodes,
            remaining: steps * (number + 1) / count - steps * number / count, random: random)
    }
}
