import DataTree
import NodeCore
import ReplicaCore
import SyncProtocol

/// Three nodes with several databases, whose clients, faults and delays follow from a seed.
///
/// Each write has a key of its own, and the name of its database as its value.
struct FaultyCluster {
    private static let stepMilliseconds: UInt64 = 5
    private static let count = 3
    private static let patienceMilliseconds: UInt64 = 25_000

    private struct Flight {
        let input: Input
        let receiver: Int
        let dueMilliseconds: UInt64
    }

    private struct Request {
        enum Aim { case write, read, remove }

        let aim: Aim
        let session: SessionID
        let node: Int
        let database: String
        let key: String
        let sinceMilliseconds: UInt64
        /// Whether the answer has to contain the value.
        var isCertain = false
    }

    private(set) var nodes: [SimulatedNode]
    private(set) var findings: [String] = []
    /// The keys of acknowledged writes in each database, with the times of their acknowledgements.
    private(set) var acknowledged: [(database: String, key: String, milliseconds: UInt64)] = []
    /// How many reads had to contain a value.
    private(set) var certainReads = 0
    private(set) var removed: Set<String> = []
    private(set) var milliseconds: UInt64 = 0
    private var names = ["default", "chat", "game", "shop"]
    private var flights: [Flight] = []
    private var lastDue: [Int: UInt64] = [:]
    private var requests: [Request] = []
    private var lastNumber: UInt64 = 0
    private var random: Draws
    /// The nodes that no frame reaches or leaves.
    private var cut: Set<Int> = []
    private var lossPercent = 0
    /// When the current cut or loss ends, and when the last fault began.
    private var healMilliseconds: UInt64 = 0
    private var faultMilliseconds: UInt64 = 0
    /// Since when all nodes run, and all frames arrive.
    private var calmMilliseconds: UInt64 = 0
    private var startMilliseconds: [Int: UInt64] = [0: 0, 1: 0, 2: 0]

    init(seed: UInt64) {
        random = Draws(seed: seed)
        let sleep = [200, 600, 1_500][random.draw(3)] as UInt64
        nodes = (0..<Self.count).map {
            SimulatedNode($0, of: Self.count, sleepingAfter: sleep, seed: seed)
        }
    }

    // MARK: The course

    /// Runs with clients and faults for so long, then without until nothing happens.
    mutating func run(for duration: UInt64) {
        while milliseconds < duration {
            if milliseconds > 2_000, random.draw(300) == 0 { beginFault() }
            if random.draw(25) == 0 { request() }
            step()
        }
        endFaults()
        let end = milliseconds + 60_000
        while milliseconds < end, !isAtRest { step() }
        if !isAtRest { findings.append("the databases \(awake) do not sleep") }
    }

    private var awake: [[DatabaseName]] { nodes.map { $0.core?.awakeDatabaseNames ?? [] } }

    private var isAtRest: Bool {
        milliseconds > faultMilliseconds + 6_000 && requests.isEmpty
            && awake.allSatisfy(\.isEmpty)
            && nodes.allSatisfy { $0.disks.values.allSatisfy(\.isIdle) }
    }

    private mutating func step() {
        milliseconds += Self.stepMilliseconds
        if milliseconds >= healMilliseconds { (cut, lossPercent) = ([], 0) }
        for index in nodes.indices {
            if nodes[index].core == nil, !isDown(index) { nodes[index].start() }
            deliver(to: index)
            for frame in nodes[index].turn(at: milliseconds) { send(frame, from: index) }
            if nodes[index].core == nil, !isDown(index) {
                startMilliseconds[index] = milliseconds + UInt64(random.draw(1_500))
            }
        }
        if !isCalm { calmMilliseconds = milliseconds }
        for request in requests { check(request) }
    }

    private func isDown(_ index: Int) -> Bool { milliseconds < startMilliseconds[index]! }

    // MARK: The network

    private mutating func send(_ frame: SimulatedNode.Frame, from sender: Int) {
        for receiver in nodes.indices where receiver != sender {
            guard frame.receiver ?? nodes[receiver].name == nodes[receiver].name,
                !cut.contains(sender), !cut.contains(receiver), random.draw(100) >= lossPercent
            else { continue }
            let link = sender * Self.count + receiver
            let due = max(lastDue[link] ?? 0, milliseconds + UInt64(random.draw(30)))
            lastDue[link] = due
            flights.append(
                Flight(input: frame.input, receiver: receiver, dueMilliseconds: due))
        }
    }

    private mutating func deliver(to receiver: Int) {
        flights.removeAll { flight in
            guard flight.receiver == receiver, flight.dueMilliseconds <= milliseconds else {
                return false
            }
            nodes[receiver].receive(flight.input)
            return true
        }
    }

    // MARK: Faults

    private mutating func beginFault() {
        faultMilliseconds = milliseconds
        let node = random.draw(Self.count)
        let duration = UInt64(random.draw(4_000))
        switch random.draw(5) {
        case 0: (cut, healMilliseconds) = ([node], milliseconds + duration)
        case 1: (lossPercent, healMilliseconds) = (40, milliseconds + duration)
        case 2: nodes[node].pausedUntilMilliseconds = milliseconds + duration
        case 3: nodes[node].stop()
        default:
            nodes[node].crash()
            startMilliseconds[node] = milliseconds + duration
        }
    }

    private mutating func endFaults() {
        healMilliseconds = milliseconds
        faultMilliseconds = milliseconds
        for index in nodes.indices {
            startMilliseconds[index] = milliseconds
            nodes[index].pausedUntilMilliseconds = 0
        }
    }

    /// Whether all nodes run, and all frames arrive.
    private var isCalm: Bool {
        cut.isEmpty && lossPercent == 0
            && nodes.allSatisfy {
                $0.core?.isServing == true && !$0.isStopping
                    && $0.pausedUntilMilliseconds <= milliseconds
            }
    }

    // MARK: Clients

    private mutating func request() {
        let node = random.draw(Self.count)
        guard nodes[node].core?.isServing == true else { return }
        switch random.draw(40) {
        case 0: addOrRemove(at: node)
        case 1..<20: read(at: node)
        default: write(at: node)
        }
    }

    private mutating func write(at node: Int) {
        let name = names[random.draw(names.count)]
        let key = "k\(lastNumber)"
        send(CoreRig.put("\"\(name)\"", to: "/\(key).json?ns=\(name)"), .write, node, name, key)
    }

    private mutating func read(at node: Int) {
        guard !acknowledged.isEmpty else { return }
        let write = acknowledged[acknowledged.count - 1 - random.draw(min(30, acknowledged.count))]
        guard !removed.contains(write.database) else { return }
        send(
            CoreRig.get("/\(write.key).json?ns=\(write.database)"), .read, node, write.database,
            write.key)
        requests[requests.count - 1].isCertain =
            isCalm && write.milliseconds + 500 < milliseconds
            && isComplete(write.database, at: node)
    }

    /// Whether a node that serves a database must have all operations of it: it knew when the database woke that it reaches
    /// the others, and nothing has happened since.
    private func isComplete(_ database: String, at node: Int) -> Bool {
        let name = DatabaseName(database)!
        if name.isDefault { return false }
        guard let opening = nodes[node].openings[name] else { return nodes[node].reachesAll }
        return opening.reachesAll && opening.milliseconds >= calmMilliseconds
    }

    /// Adds a database, or removes one of those that were added.
    private mutating func addOrRemove(at node: Int) {
        if names.count < 6 { return names.append("extra\(lastNumber)") }
        let name = names.remove(at: 4)
        removed.insert(name)
        let request = CoreRig.put("", to: "/.settings/databases/\(name).json")
            .replacing("PUT", with: "DELETE")
        send(request, .remove, node, name, "")
    }

    private mutating func send(
        _ text: String, _ aim: Request.Aim, _ node: Int, _ database: String, _ key: String
    ) {
        lastNumber += 1
        let session = SessionID(number: lastNumber)
        nodes[node].connect(session, sending: text)
        requests.append(
            Request(
                aim: aim, session: session, node: node, database: database, key: key,
                sinceMilliseconds: milliseconds))
    }

    /// Ends a request that was answered, or that lost its connection.
    private mutating func check(_ request: Request) {
        let answer = DatabasesRig.parts(of: nodes[request.node].sent(to: request.session))
        let isLost = !nodes[request.node].isConnected(request.session)
        if answer.status.isEmpty, !isLost {
            guard milliseconds >= request.sinceMilliseconds + Self.patienceMilliseconds else {
                return
            }
            findings.append("a request of \(request.database) was not answered")
        }
        requests.removeAll { $0.session == request.session }
        nodes[request.node].close(request.session)
        guard answer.status == "200" else { return }
        let value = "\"\(request.database)\""
        switch request.aim {
        case .write: acknowledged.append((request.database, request.key, milliseconds))
        case .read where answer.body == value: if request.isCertain { certainReads += 1 }
        case .read where removed.contains(request.database): break
        case .read where answer.body != "null":
            findings.append("\(request.database) reads \(answer.body)")
        case .read where request.isCertain && faultMilliseconds < request.sinceMilliseconds:
            findings.append(
                "n\(request.node + 1) woke \(request.database) without \(request.key)")
        case .read, .remove: break
        }
    }
}

// MARK: - The end

extension FaultyCluster {
    /// Compares what all nodes have on their disks at the end.
    mutating func checkEnd() {
        let lists = nodes.map { $0.core!.databaseNames.map(\.text).sorted() }
        if lists.contains(where: { $0 != lists[0] }) { findings.append("lists differ: \(lists)") }
        for text in ["default"] + lists[0] where !removed.contains(text) {
            let name = DatabaseName(text)!
            var trees: [Value] = []
            for index in nodes.indices {
                let tree = nodes[index].stored(name)?.value ?? .null
                check(tree, of: text, at: index)
                trees.append(tree)
            }
            if trees.contains(where: { $0 != trees[0] }) {
                findings.append("the trees of \(text) differ")
            }
        }
        for text in removed.sorted() where !lists[0].contains(text) {
            if nodes.contains(where: { $0.disks[DatabaseName(text)!] != nil }) {
                findings.append("files of \(text) are left")
            }
        }
    }

    private mutating func check(_ tree: Value, of database: String, at node: Int) {
        for write in acknowledged where write.database == database {
            if tree[Key(unchecked: write.key)] != .string(database) {
                findings.append("n\(node + 1) has lost \(write.key) of \(database)")
            }
        }
        for (key, value) in tree.children where value != .string(database) {
            findings.append("\(key.text) of \(database) is \(value) at n\(node + 1)")
        }
    }
}
