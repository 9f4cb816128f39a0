import GatewayCore
import NodeCore
import ReplicaCore
import Store
import SyncProtocol

/// The cores of a cluster of nodes in the mode `memory`, whose frames arrive in the next turn of the receiver.
struct DatabasesRig {
    /// The files of a database that a node keeps aside.
    struct Kept: Equatable {
        let name: DatabaseName
        let epoch: UInt32
    }

    private(set) var cores: [NodeCore] = []
    private var inputs: [[NodeInput]] = []
    private var stores: [[DatabaseIndex: DurableStore<MemoryTables>]] = []
    /// The databases that each driver is to open, with the configurations of their replicas.
    private var opened: [[DatabaseIndex: ReplicaConfiguration]] = []
    /// The databases whose removal each node has recorded.
    private(set) var removals: [[DatabaseName]] = []
    /// The databases whose files each node has deleted, because other nodes hold them.
    private(set) var discards: [[DatabaseName]] = []
    /// The databases whose files each node has kept aside, with the epochs of these.
    private(set) var kept: [[Kept]] = []
    private var closing: [[DatabaseIndex]] = []
    /// The placements in which each node uses files.
    private(set) var records: [[DatabaseName: PlacementRecord]] = []
    private var openings: UInt64 = 0
    private var sent: [SessionID: [UInt8]] = [:]
    /// The connections that nodes have closed.
    private(set) var closed: Set<SessionID> = []
    private(set) var log: [String] = []
    private var elapsedMilliseconds: UInt64 = 0
    private var lastSession: UInt64 = 0
    /// Whether drivers open databases at once; otherwise only with `openDatabases`.
    var opensDatabases = true
    /// Whether turns stay on their way to the disks until `completeStores`.
    var delaysStores = false
    private var delayed: [(node: Int, input: NodeInput)] = []
    /// Why drivers cannot open databases.
    var trouble: String?
    /// Whether frames between nodes are lost.
    var isCut = false
    /// The nodes whose frames are lost, to and from them.
    var cut: Set<Int> = []
    /// The nodes that exchange frames with each other alone.
    var apart: Set<Int> = []
    /// Whether a frame between nodes is lost.
    var loses: ([UInt8]) -> Bool = { _ in false }
    /// How often named databases were opened.
    var wakeCount: Int { Int(openings) }
    private var nodes: [SessionID: Int] = [:]

    init(
        _ count: Int = 1, _ unknown: UnknownDatabases = .create, limit: Int = 1_000,
        sleepingAfter sleepMilliseconds: UInt64? = nil
    ) {
        var configuration = GatewayConfiguration()
        (configuration.unknownDatabases, configuration.databaseLimit) = (unknown, limit)
        for index in 0..<count { configuration.clientHosts["n\(index + 1)"] = "n\(index + 1).test" }
        for index in 0..<count {
            cores.append(
                NodeCore(
                    Replica(DatabasesRig.configuration(index, of: count), properties: []),
                    configuration))
            inputs.append([])
            stores.append([:])
            opened.append([:])
            closing.append([])
            removals.append([])
            discards.append([])
            kept.append([])
            records.append([:])
            cores[index].sleepMilliseconds = sleepMilliseconds
        }
        run(for: 600)
    }

    private static func configuration(
        _ index: Int, of count: Int, seed: UInt64 = 0
    ) -> ReplicaConfiguration {
        ReplicaConfiguration(
            cluster: "test", member: "n\(index + 1)",
            peers: (1...count).map { "n\($0)" }.filter { $0 != "n\(index + 1)" },
            durability: .memory, seed: UInt64(index + 1) + 100 * seed)
    }

    /// Removes and returns the requests that a node would log.
    mutating func removeRequestRecords(of node: Int = 0) -> [RequestRecord] {
        cores[node].removeRequestRecords().records
    }

    /// Runs turns of all nodes until so much time has passed.
    mutating func run(for milliseconds: UInt64 = 20) {
        let end = elapsedMilliseconds + milliseconds
        while elapsedMilliseconds < end {
            elapsedMilliseconds += 5
            for index in cores.indices { turn(of: index) }
        }
    }

    private mutating func turn(of index: Int) {
        let now = Moment(
            wallMilliseconds: 1_700_000_000_000 + elapsedMilliseconds,
            elapsedMilliseconds: elapsedMilliseconds)
        closeDatabases(of: index)
        let arrived = inputs[index]
        inputs[index] = []
        for input in [.turnBegan(now)] + arrived + [.turnEnded] {
            perform(cores[index].step(input), of: index)
        }
    }

    private mutating func perform(_ outputs: [NodeOutput], of index: Int) {
        let name = "n\(index + 1)"
        for output in outputs {
            switch output {
            case .replica(.store(let turn), let database):
                change(database, of: index) { try! $0.commit([turn]) }
                delayed.append((index, .replica(.stored(turn: turn.number), of: database)))
                if !delaysStores { completeStores() }
            case .replica(.perform(let request), let database):
                perform(request, database, of: index)
            case .replica(.publish(let frame, _), _):
                for peer in cores.indices where peer != index {
                    send(.published(frame), frame, from: index, to: peer)
                }
            case .replica(.ask(let member, let frame), _):
                send(.asked(frame, by: name), frame, from: index, to: number(of: member))
            case .replica(.answer(let member, let frame), _):
                send(.answered(frame, from: name), frame, from: index, to: number(of: member))
            case .replica(.reply(let session, let frame), _): sent[session, default: []] += frame
            case .gateway(.send(let session, let bytes)): sent[session, default: []] += bytes
            case .gateway(.close(let session)): closed.insert(session)
            case .gateway(.log(let line)): log.append(line)
            case .openDatabase(let database, _):
                opened[index][database] = configuration(of: database, at: index)
                if opensDatabases { open(database, of: index) }
            case .removeDatabase(let name, _): removals[index].append(name)
            case .discardDatabase(let database, let name):
                discards[index].append(name)
                stores[index][database] = nil
            case .keepDatabase(let database, let name, let epoch):
                kept[index].append(Kept(name: name, epoch: epoch))
                stores[index][database] = nil
            case .recordPlacement(let name, let record): records[index][name] = record
            case .closeDatabase(let database): closing[index].append(database)
            default: break
            }
        }
    }

    /// Completes the turns that are on their way to the disks.
    mutating func completeStores() {
        for (node, input) in delayed { inputs[node].append(input) }
        (delaysStores, delayed) = (false, [])
    }

    private mutating func send(
        _ input: Input, _ frame: [UInt8], from sender: Int, to receiver: Int
    ) {
        guard !isCut, !cut.contains(sender), !cut.contains(receiver), !loses(frame),
            apart.contains(sender) == apart.contains(receiver)
        else { return }
        inputs[receiver].append(.replica(input))
    }

    /// Has a node receive a published frame.
    mutating func receive(_ frame: [UInt8], at node: Int) {
        inputs[node].append(.replica(.published(frame)))
    }

    /// Changes the core of the first node, as a catalog does.
    mutating func change(_ body: (inout NodeCore) -> Void) { body(&cores[0]) }

    /// Changes the cores of all nodes.
    mutating func changeAll(_ body: (inout NodeCore) -> Void) {
        for index in cores.indices { body(&cores[index]) }
    }

    /// Adds a database that the disk of the first node has.
    mutating func addStored(_ name: DatabaseName) { cores[0].addStoredDatabase(name) }

    /// The node to which a client has connected.
    func node(of session: SessionID) -> Int { nodes[session] ?? 0 }

    private mutating func change<Result>(
        _ database: DatabaseIndex, of index: Int,
        _ body: (inout DurableStore<MemoryTables>) -> Result
    ) -> Result {
        body(&stores[index][database, default: DurableStore(MemoryTables())])
    }

    private mutating func perform(
        _ request: StoreRequest, _ database: DatabaseIndex, of index: Int
    ) {
        var request = request
        while true {
            // A disk in memory does not fail.
            switch change(database, of: index, { try! $0.execute(request) }) {
            case .done: return
            case .replied(let reply):
                return inputs[index].append(.replica(.storeReplied(reply), of: database))
            case .unfinished(let rest): request = rest
            }
        }
    }

    private func number(of member: String) -> Int { Int(member.dropFirst())! - 1 }

    /// Opens the databases that wait for their drivers.
    mutating func openDatabases() {
        for index in cores.indices {
            for database in opened[index].keys.sorted() { open(database, of: index) }
        }
    }

    /// The replica of a database, as the node knows it when it has the driver open the database.
    private mutating func configuration(
        of database: DatabaseIndex, at index: Int
    ) -> ReplicaConfiguration {
        openings += 1
        var configuration = DatabasesRig.configuration(index, of: cores.count, seed: openings)
        configuration.waking = cores[index].waking
        if let nodes = cores[index].nodes(of: database) {
            configuration.peers = nodes.filter { $0 != "n\(index + 1)" }
        }
        return configuration
    }

    private mutating func open(_ database: DatabaseIndex, of index: Int) {
        guard let configuration = opened[index].removeValue(forKey: database) else { return }
        if let trouble {
            return perform(cores[index].failToOpen(database, because: trouble), of: index)
        }
        let replica = change(database, of: index) { store in
            store = DurableStore(store.tables)
            // A disk in memory does not fail.
            return try! store.recover { state in
                Replica(
                    configuration, properties: state.properties, checkpoint: state.checkpoint,
                    orphans: state.orphans)
            } replay: {
                $0.replay($1)
            }
        }
        cores[index].open(database, replica)
    }

    /// Completes the sleep of the databases that their drivers close.
    private mutating func closeDatabases(of index: Int) {
        let databases = closing[index]
        closing[index] = []
        for database in databases {
            perform(cores[index].didClose(database), of: index)
        }
    }

    // MARK: Clients

    /// Connects a client to a node.
    mutating func connect(to node: Int = 0) -> SessionID {
        lastSession += 1
        let session = SessionID(number: lastSession)
        nodes[session] = node
        let address = RemoteAddress(host: "127.0.0.1", isLoopback: true)
        inputs[node].append(.gateway(.opened(session, from: address)))
        return session
    }

    mutating func send(_ text: String, by session: SessionID, to node: Int = 0) {
        inputs[node].append(.gateway(.received(session, Array(text.utf8))))
    }

    mutating func send(_ frame: [UInt8], by session: SessionID, to node: Int = 0) {
        inputs[node].append(.replica(.requested(frame, by: session)))
    }

    /// Removes and returns what was sent to a client.
    mutating func received(_ session: SessionID) -> [UInt8] {
        sent.removeValue(forKey: session) ?? []
    }

    /// The body and the status of the answer to a request on a new connection.
    mutating func answer(
        to request: String, at node: Int = 0, after milliseconds: UInt64 = 20
    ) -> (status: String, body: String) {
        let session = connect(to: node)
        send(request, by: session, to: node)
        run(for: milliseconds)
        close(session)
        return DatabasesRig.parts(of: received(session))
    }

    /// Ends the connection of a client.
    mutating func close(_ session: SessionID) {
        inputs[node(of: session)].append(.gateway(.closed(session)))
    }

    static func parts(of bytes: [UInt8]) -> (status: String, body: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        return (
            String(text.dropFirst(9).prefix(3)),
            String(text.split(separator: "\r\n", omittingEmptySubsequences: false).last ?? "")
        )
    }
}
