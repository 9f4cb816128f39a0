import DataTree
import HTTPText
import ReplicaCore
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// A gateway over one replica whose disk takes no time, driven as a node drives them.
struct TestGateway {
    private(set) var gateway: Gateway
    private(set) var replica: Replica
    /// The bytes that were sent to each connection and are not yet read.
    private var sent: [SessionID: [UInt8]] = [:]
    private(set) var closed: Set<SessionID> = []
    /// The gateway's inputs about slow sessions and their ends.
    private(set) var sessionOutputs: [GatewayOutput] = []
    /// The sessions that the replica has.
    private(set) var openSessions: Set<SessionID> = []
    /// The named databases that sessions concerned, one after the other.
    private(set) var entered: [SessionID: [DatabaseName]] = [:]
    private(set) var removed: [DatabaseName] = []
    /// The use of databases, as a node reports it.
    var uses = [DatabaseUse(.default, .awake, dataBytes: 0)]
    /// The statuses of other nodes, as a node reports them.
    var peers: [PeerReport] = []
    /// The requested backups, the events that follow in order, and the connections whose backups were given up.
    private(set) var backups: [NodeBackup] = []
    var backupEvents: [BackupEvent] = []
    private(set) var endedBackups: [SessionID] = []
    /// The turns so far.
    var turns = 0
    /// How many times the replica was asked.
    private(set) var asks = 0
    /// The connections that native clients have, with the bytes that came behind the request.
    private(set) var native: [SessionID: [UInt8]] = [:]
    /// Messages of the replica that native clients have not yet read, without ends of frames.
    private var told: [SessionID: [NodeMessage]] = [:]
    /// The identities that the replica receives for the client of each session, in order.
    private(set) var identities: [SessionID: [Principal]] = [:]
    /// When the gateway wanted to be woken.
    private(set) var wakes: [UInt64] = []
    /// The lines for the node's log.
    private(set) var log: [String] = []
    private(set) var refusals: [GatewayRefusal] = []
    /// Connections whose client reads nothing.
    var stopped: Set<SessionID> = []
    /// The identity of the clients of new sessions, independent of their credentials.
    var client: Principal?
    private var pending: [Input] = []
    private var hasPending: Bool {
        !pending.isEmpty || !writable.isEmpty || replica.hasDueWork || gateway.hasDueWork
    }
    private var writable: [SessionID] = []
    private var elapsedMilliseconds: UInt64 = 0
    private var lastConnection: UInt64 = 0

    static let wallMilliseconds: UInt64 = 1_700_000_000_000

    init(
        _ configuration: GatewayConfiguration = GatewayConfiguration(), serving: Bool = true,
        demandingIndexes: Bool = false, limits: ReplicaLimits = ReplicaLimits(),
        members: [String] = ["n1"], configuring: (inout ReplicaConfiguration) -> Void = { _ in }
    ) {
        var replica = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: members, durability: .commit, seed: 1)
        replica.strictIndexes = demandingIndexes
        replica.limits = limits
        configuring(&replica)
        self.replica = Replica(replica, properties: [])
        gateway = Gateway(configuration)
        turn(serving ? [.became(.serving)] : [])
    }

    var value: Value { replica.value }

    /// Sets the limits of the database.
    mutating func setLimits(_ limits: DatabaseLimits) { replica.setDatabaseLimits(limits) }

    /// Connects a client and returns its number.
    mutating func connect(
        from address: RemoteAddress = RemoteAddress(host: "127.0.0.1", isLoopback: true)
    ) -> SessionID {
        lastConnection += 1
        let id = SessionID(number: lastConnection)
        turn([.opened(id, from: address)])
        return id
    }

    /// Lets a client send bytes, and lets all turns pass that follow from them.
    mutating func send(_ bytes: [UInt8], by id: SessionID) { turn([.received(id, bytes)]) }

    mutating func send(_ text: String, by id: SessionID) { send(Array(text.utf8), by: id) }

    /// Removes and returns what was sent to a connection.
    mutating func read(_ id: SessionID) -> [UInt8] {
        let bytes = sent[id] ?? []
        sent[id] = []
        return bytes
    }

    /// Lets a native client ask the replica something.
    mutating func ask(_ message: ClientMessage, by id: SessionID) {
        pending.append(.requested(message.frame, by: id))
        turn([])
    }

    /// Removes and returns what the replica told a native client.
    mutating func messages(_ id: SessionID) -> [NodeMessage] { told.removeValue(forKey: id) ?? [] }

    /// Removes and returns what was sent to a connection, as text.
    mutating func text(_ id: SessionID) -> String { String(decoding: read(id), as: UTF8.self) }

    /// Removes and returns the answers that were sent to a connection.
    mutating func answers(_ id: SessionID) -> [TestAnswer] { TestAnswer.all(in: read(id)) }

    /// Lets a stopped client read all that waits for it.
    mutating func resume(_ id: SessionID) {
        stopped.remove(id)
        turn([.writable(id)])
    }

    /// Takes inputs in one turn, and then as many turns as have something to do.
    mutating func turn(_ inputs: [GatewayInput], after milliseconds: UInt64 = 1) {
        oneTurn(inputs, after: milliseconds)
        while hasPending { oneTurn([], after: 1) }
    }

    private mutating func oneTurn(_ inputs: [GatewayInput], after milliseconds: UInt64) {
        turns += 1
        gateway.beginUnits()
        elapsedMilliseconds += milliseconds
        let now = Moment(
            wallMilliseconds: TestGateway.wallMilliseconds + elapsedMilliseconds,
            elapsedMilliseconds: elapsedMilliseconds)
        perform(replica.step(.turnBegan(now)))
        perform(gateway.step(.turnBegan(now)))
        for input in inputs { perform(gateway.step(input)) }
        let ready = writable
        writable = []
        for id in ready { perform(gateway.step(.writable(id))) }
        let asked = pending
        pending = []
        for input in asked { perform(replica.step(input)) }
        perform(replica.step(.turnEnded))
        perform(gateway.step(.turnEnded))
    }

    private mutating func perform(_ outputs: [Output]) {
        for output in outputs {
            switch output {
            case .replyMessages(let session, let answers):
                perform(gateway.step(.answered(session, answers)))
            case .store(let turn): pending.append(.stored(turn: turn.number))
            case .reply(let session, let frame): tell(frame, to: session)
            default: break
            }
        }
    }

    private mutating func tell(_ frame: [UInt8], to session: SessionID) {
        let received: [Received<NodeMessage>] = (try? FrameReader.messages(in: frame)) ?? []
        for case .message(let message) in received {
            if case .seen = message { continue }
            told[session, default: []].append(message)
        }
    }

    private mutating func perform(_ outputs: [GatewayOutput]) {
        for output in outputs {
            switch output {
            case .send(let id, let bytes): sent[id, default: []] += bytes
            case .reportWritable(let id): if !stopped.contains(id) { writable.append(id) }
            case .close(let id): closed.insert(id)
            case .remove(let database): removed.append(database)
            case .reportUses: perform(gateway.step(.uses(uses)))
            case .reportPeers: perform(gateway.step(.peers(peers)))
            case .backUp(let id, let backup):
                backups.append(backup)
                perform(gateway.step(.backedUp(id, backupEvents.removeFirst())))
            case .continueBackup(let id):
                perform(gateway.step(.backedUp(id, backupEvents.removeFirst())))
            case .endBackup(let id): endedBackups.append(id)
            case .enter(let id, let database): entered[id, default: []].append(database)
            case .open(let id):
                #expect(openSessions.insert(id).inserted, "\(id) is open")
                pending.append(.opened(id))
            case .identify(let id, let principal):
                #expect(identities[id]?.last != principal, "\(id) is somebody else")
                identities[id, default: []].append(principal)
                pending.append(.identified(id, client ?? principal))
            case .ask(let id, let messages):
                #expect(openSessions.contains(id), "\(id) is not open")
                #expect(identities[id] != nil, "\(id) is nobody")
                asks += 1
                pending.append(.requestedMessages(messages, by: id))
            case .native(let id, let rest):
                #expect(identities[id] != nil, "\(id) is nobody")
                native[id] = rest
            case .wake(let milliseconds): wakes.append(milliseconds)
            case .log(let line): log.append(line)
            case .refused(let refusal): refusals.append(refusal)
            case .backpressured(let id):
                sessionOutputs.append(output)
                pending.append(.backpressured(id))
            case .writable(let id):
                sessionOutputs.append(output)
                pending.append(.writable(id))
            case .end(let id):
                #expect(openSessions.remove(id) != nil, "\(id) is not open")
                identities[id] = nil
                sessionOutputs.append(output)
                pending.append(.closed(id))
            }
        }
    }
}

extension TestGateway {
    /// Sends a request as `curl` does, over a connection of its own, and returns the answer.
    mutating func curl(
        _ target: String, _ method: String = "GET", _ fields: [String] = [], body: String? = nil
    ) -> TestAnswer {
        let id = connect()
        send(TestGateway.request(target, method, fields, body: body), by: id)
        let bytes = read(id)
        turn([.closed(id)])
        let answers = TestAnswer.all(in: bytes, toHead: method == "HEAD")
        guard answers.count == 1 else {
            Issue.record("\(answers.count) answers to \(method) \(target)")
            return TestAnswer(status: 0)
        }
        return answers[0]
    }

    /// The text of a request.
    static func request(
        _ target: String, _ method: String = "GET", _ fields: [String] = [], body: String? = nil
    ) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if !fields.contains(where: { $0.lowercased().hasPrefix("host:") }) {
            lines.append("Host: 127.0.0.1:9000")
        }
        lines += fields
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// The name of the next turn's time, for deadlines.
    mutating func wait(_ milliseconds: UInt64) { turn([], after: milliseconds) }
}
