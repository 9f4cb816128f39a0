import DataTree
import QueryEngine
import ReplicaCore
import SyncProtocol

/// One replica that keeps nothing on disk, so that it answers in the turn in which it was asked.
struct TestReplica {
    private(set) var replica: Replica
    private var elapsedMilliseconds: UInt64 = 0
    /// How many frames had large values.
    private(set) var largeReplies = 0
    /// The values that the last turn sent to each session.
    private(set) var answers: [SessionID: [SessionAnswer]] = [:]

    init(
        indexing rules: IndexRules = IndexRules(), indexByteLimit: Int = 1 << 20,
        demandingIndexes: Bool = false, within limits: ReplicaLimits = ReplicaLimits()
    ) {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1"], durability: .memory, seed: 1)
        configuration.indexes = rules
        configuration.strictIndexes = demandingIndexes
        configuration.indexByteLimit = indexByteLimit
        configuration.limits = limits
        replica = Replica(configuration, properties: [])
    }

    var value: Value { replica.value }
    var hasDueWork: Bool { replica.hasDueWork }
    /// The sessions that the last turn stopped or resumed reading from.
    private(set) var reading: [Output] = []

    /// The bytes of answers that wait at the driver.
    var unreadBytes: Int {
        get { replica.unreadBytes }
        set { replica.unreadBytes = newValue }
    }

    /// The limits of its database.
    var databaseLimits: DatabaseLimits {
        get { replica.databaseLimits }
        set { replica.setDatabaseLimits(newValue) }
    }

    /// The use of its database.
    mutating func use() -> ReplicaUse { replica.use() }

    /// The wall clock of the last turn.
    var wallMilliseconds: UInt64 { 1_700_000_000_000 + elapsedMilliseconds }

    /// Lets the replica take some inputs in one turn, and returns what it told each client.
    mutating func turn(
        _ inputs: [Input], after milliseconds: UInt64 = 1
    ) -> [SessionID: [NodeMessage]] {
        elapsedMilliseconds += milliseconds
        let now = Moment(
            wallMilliseconds: 1_700_000_000_000 + elapsedMilliseconds,
            elapsedMilliseconds: elapsedMilliseconds)
        var told: [SessionID: [NodeMessage]] = [:]
        answers = [:]
        reading = []
        for input in [.turnBegan(now)] + inputs + [.turnEnded] {
            for var output in replica.step(input) {
                if case .replyLarge(let session, let frame) = output {
                    largeReplies += 1
                    output = .reply(session, frame.encoded)
                }
                switch output {
                case .reply(let session, let frame):
                    let received = try! FrameReader<NodeMessage>.messages(in: frame)
                    for case .message(let message) in received {
                        told[session, default: []].append(message)
                    }
                case .replyMessages(let session, let answers):
                    self.answers[session, default: []] += answers
                    told[session, default: []] += answers.map(\.message)
                case .pauseReading, .resumeReading: reading.append(output)
                default: break
                }
            }
        }
        return told
    }

    /// The last turn.
    mutating func stop() { _ = replica.stop() }

    /// A turn in which a session sends requests; returns the messages to it.
    mutating func ask(
        _ messages: [ClientMessage], ofValues client: SessionID
    ) -> [NodeMessage] {
        turn([.requestedMessages(messages, by: client)])[client] ?? []
    }

    mutating func ask(_ message: ClientMessage, by client: UInt64 = 1) -> [NodeMessage] {
        let session = SessionID(number: client)
        return turn([.requested(message.frame, by: session)])[session] ?? []
    }

    /// What `status` says.
    mutating func status(after milliseconds: UInt64 = 1) -> NodeStatus {
        _ = turn([], after: milliseconds)
        guard case .value(_, let answer)? = ask(.status(id: 1), by: 99).first else {
            preconditionFailure("no answer")
        }
        // The replica itself has written it.
        return try! NodeStatus(answer)
    }

    /// The report about queries in `status`.
    mutating func queryStatus(after milliseconds: UInt64 = 1) -> NodeStatus.Queries {
        status(after: milliseconds).clients.queries
    }
}
