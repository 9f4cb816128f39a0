internal import ClientCore
internal import DataTree
internal import Hearth
internal import QueryEngine
internal import SyncProtocol
internal import Threads

/// A connection for one verb, which waits for its answers.
struct NodeClient: Sendable {
    static let timeout = Option(
        "timeout", "SECONDS", "How long to wait for an answer (5).")

    static let concern = Option(
        "concern", "HOW-MANY",
        "On how many nodes the write has to be durable: local, majority or all.",
        values: .oneOf(WriteConcern.allCases.map(\.rawValue)))

    static let options = NodeOptions.all + [timeout]
    static let writeOptions = options + [concern]

    let connection: Connection
    let patience: Request.Patience
    private(set) var concern: WriteConcern?

    /// Connects to the nodes that a command names.
    init(for invocation: Invocation) throws(CommandError) {
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(5)
        patience = .brief(milliseconds: UInt64(limit / .milliseconds(1)))
        concern = invocation[NodeClient.concern].flatMap(WriteConcern.init(rawValue:))
        let addresses = try NodeOptions.addresses(of: invocation)
        do throws(HearthError) {
            connection = try Connection(
                nodes: addresses, keyFile: NodeOptions.keyFile(of: invocation))
        } catch {
            throw CommandError(error)
        }
    }

    /// Connects to a node once all is settled there that was written before this began.
    init(settledFor invocation: Invocation) throws(CommandError) {
        let limit = try invocation.duration(NodeClient.timeout) ?? .seconds(60)
        patience = .brief(milliseconds: UInt64(limit / .milliseconds(1)))
        let addresses = try NodeOptions.addresses(of: invocation)
        do throws(HearthError) {
            var connections: [Connection] = []
            for address in addresses {
                connections.append(
                    try Connection(nodes: [address], keyFile: NodeOptions.keyFile(of: invocation)))
            }
            connection = try NodeClient.firstSettled(of: connections, within: limit)
        } catch {
            throw CommandError(error)
        }
    }

    /// Connects to nodes at these addresses.
    init(nodes: [String]) throws(CommandError) {
        patience = .brief(milliseconds: 5000)
        do throws(HearthError) {
            connection = try Connection(nodes: nodes)
        } catch {
            throw CommandError(error)
        }
    }

    /// Reads what a query at a path shows, with priorities.
    func get(_ path: Path, _ query: Query = Query()) throws(CommandError) -> Value {
        if case .value(let value) = try perform(.get(path, query)) { return value }
        return .null
    }

    /// Fails unless a node answers.
    func requireNode() throws(CommandError) {
        _ = try get(Path([.priority]))
    }

    func put(_ value: Value, at path: Path) throws(CommandError) {
        _ = try perform(.put(path, value))
    }

    func merge(_ writes: [Write], at path: Path) throws(CommandError) {
        _ = try perform(.merge(path, writes))
    }

    /// Has a node do something, and waits.
    func perform(_ work: Request.Work) throws(CommandError) -> Answer {
        try waiting {
            connection.send(work, patience: patience, concern: concern, completion: $0)
        }
    }

    /// Starts something and waits for its outcome.
    func waiting(
        for start: (@escaping Connection.Completion) -> Void
    ) throws(CommandError) -> Answer {
        let outcome = Monitor<Result<Answer, HearthError>?>(nil)
        start { result in
            outcome.withLock { $0 = result }
            outcome.signal()
        }
        do throws(HearthError) {
            return try outcome.wait { $0 }.get()
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// What the client tells, with the status that scripts go by.
    init(_ error: HearthError) {
        let status: ExitStatus =
            if error.effect != .none {
                .outcomeUnknown
            } else {
                switch error.code {
                case .invalid, .tooBig, .changed, .overwritten: .badData
                case .notMet, .full, .triedTooOften, .unreachable, .unavailable, .behind,
                    .undecided, .unsettled,
                    .timedOut, .disconnected, .version, .closed, .offline, .cancelled:
                    .unavailable
                }
            }
        let fix =
            error.code == .unreachable
            ? error.fix + "; `hearth cluster status` shows those of a cluster" : error.fix
        self.init(status, error.problem, fix: fix)
    }

    /// What is wrong with a path or with data.
    init(_ error: DataError) {
        self.init(.badData, error.problem, fix: error.fix)
    }
}
