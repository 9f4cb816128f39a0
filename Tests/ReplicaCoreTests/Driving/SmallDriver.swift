import ReplicaCore
import Store
import SyncProtocol

/// One node with its disk in memory; the caller carries its frames.
struct SmallDriver {
    /// A frame that leaves the node.
    enum Frame {
        case toPeers([UInt8])
        case request([UInt8], to: String)
        case answer([UInt8], to: String)
        case toClient([UInt8], SessionID)
    }

    private(set) var replica: Replica
    private(set) var store: DurableStore<MemoryTables>
    private(set) var isServing = false
    private(set) var exitReason: String?
    private let durability: Durability
    private var lastTurn: UInt64 = 0
    private var results: [Input] = []
    private var frames: [Frame] = []

    init(_ configuration: ReplicaConfiguration, on disk: MemoryTables) throws {
        durability = configuration.durability
        store = DurableStore(disk)
        replica = try store.recover { state in
            Replica(
                configuration, properties: state.properties, checkpoint: state.checkpoint,
                orphans: state.orphans)
        } replay: {
            $0.replay($1)
        }
    }

    /// Runs turns until the disk has no more results and the replica has no more work; returns the frames
    /// to send, in order.
    mutating func run(_ arrived: [Input], at moment: Moment) throws -> [Frame] {
        var inputs = arrived
        repeat {
            for input in [.turnBegan(moment)] + inputs + [.turnEnded] {
                try perform(replica.step(input))
            }
            (inputs, results) = (results, [])
        } while (!inputs.isEmpty || replica.hasDueWork) && exitReason == nil
        defer { frames = [] }
        return frames
    }

    private mutating func perform(_ outputs: [Output]) throws {
        for output in outputs {
            switch output {
            case .store(let turn):
                try store.commit([turn])  // A node whose disk fails ends.
                lastTurn = turn.number
                if durability != .interval { results.append(.stored(turn: lastTurn)) }
            case .synchronize:
                try store.synchronize()
                results.append(.stored(turn: lastTurn))
            case .perform(let request): try perform(request)
            case .publish(let frame, _): frames.append(.toPeers(frame))
            case .ask(let peer, let frame): frames.append(.request(frame, to: peer))
            case .answer(let peer, let frame): frames.append(.answer(frame, to: peer))
            case .reply(let session, let frame): frames.append(.toClient(frame, session))
            case .replyLarge(let session, let frame):
                frames.append(.toClient(frame.encoded, session))
            case .replyMessages: break  // This driver opens no sessions of values.
            case .pauseReading, .resumeReading: break  // The caller passes what it has anyway.
            case .backUp(_, let id, let session):
                let failure = BackupFailure(problem: "the disk is in memory", fix: "use export")
                results.append(.backedUp(.failure(failure), id: id, for: session))
            case .giveUp(let problem, let fix): exitReason = "\(problem); \(fix)"
            case .free: break  // A driver with threads frees these parts on another one.
            case .serve: isServing = true
            }
        }
    }

    private mutating func perform(_ request: StoreRequest) throws {
        switch try store.execute(request) {
        case .done: break
        case .replied(let reply): results.append(.storeReplied(reply))
        case .unfinished(let rest): try perform(rest)
        }
    }
}
