package import ClientConnection
package import ClientCore
package import CommandLineKit
package import DataTree
package import QueryEngine
internal import Sockets
package import SyncProtocol
internal import TLS
internal import Threads

/// A connection for one verb, which waits for its answers.
package struct NodeClient: Sendable {
    /// The option means the same for every verb; only its default differs.
    package static func timeout(otherwise seconds: String) -> Option {
        Option(
            "timeout", "SECONDS",
            "How many seconds to wait for the next answer of a node; \(seconds) by default."
        )
        .common
    }

    package static let timeout = timeout(otherwise: "5")

    package static let concern = Option(
        "concern", "HOW-MANY",
        "On how many nodes the write must be durable: local, majority or all. If it is not "
            + "within 3 seconds, the command ends with exit code 80, but the write is done.",
        values: .oneOf(WriteConcern.allCases.map(\.rawValue)))

    package static let options = options(waiting: "5")

    /// The options of a verb that waits so many seconds by default.
    package static func options(waiting seconds: String) -> [Option] {
        NodeOptions.all + [timeout(otherwise: seconds)]
    }

    package static let writeOptions = options + [concern]

    package let link: NodeLink
    package let limit: Duration
    package private(set) var concern: WriteConcern?
    /// Asks the node that served for its status.
    private var probe = StatusProbe()

    package var connection: Connection { link.connection }

    /// Whether it goes on to try nodes once all have been tried in vain: the command line names a timeout, or the verb is patient.
    private var triesAgain = false

    /// At most this long, and only until every node has refused the request. Without a timeout of the command line, only until every
    /// node has been tried once in vain.
    package var patience: Request.Patience {
        let milliseconds = UInt64(limit / .milliseconds(1))
        return triesAgain
            ? .searching(milliseconds: milliseconds) : .brief(milliseconds: milliseconds)
    }

    /// Connects to the nodes that a command names.
    package init(for invocation: Invocation) throws(CommandError) {
        try self.init(for: invocation, by: SharedLinks.link)
    }

    /// Connects to the nodes that a command names, by a connection of its own, whose end the node is to
    /// notice.
    package init(aloneFor invocation: Invocation) throws(CommandError) {
        try self.init(for: invocation, by: NodeLink.init)
    }

    /// Connects to the nodes that a command names, and gives them so long for each answer, connecting included.
    package init(
        for invocation: Invocation, waiting limit: Duration
    ) throws(CommandError) {
        try self.init(for: invocation, within: limit, by: SharedLinks.link)
        triesAgain = true
    }

    private init(
        for invocation: Invocation, within otherwise: Duration = .seconds(5),
        by connect: ([String], [String: String], Secret?) throws(CommandError) -> NodeLink
    ) throws(CommandError) {
        let wanted = try invocation.duration(NodeClient.timeout)
        limit = wanted ?? otherwise
        triesAgain = wanted != nil
        concern = invocation[NodeClient.concern].flatMap(WriteConcern.init(rawValue:))
        let secret = try NodeOptions.secret(of: invocation)
        probe = StatusProbe(showing: secret, of: try NodeOptions.namedDatabase(of: invocation))
        link = try connect(
            NodeOptions.databaseAddresses(of: invocation),
            NodeOptions.namesByAddress(of: invocation),
            secret)
    }

    /// Connects to a node once all writes made before the call are stable there.
    package init(stableFor invocation: Invocation) throws(CommandError) {
        limit = try invocation.duration(NodeClient.timeout) ?? .seconds(60)
        let names = NodeOptions.namesByAddress(of: invocation)
        let secret = try NodeOptions.secret(of: invocation)
        var links: [NodeLink] = []
        for address in try NodeOptions.databaseAddresses(of: invocation) {
            links.append(try NodeLink(to: [address], names: names, showing: secret))
        }
        link = try NodeClient.firstStable(of: links, within: limit)
    }

    /// Connects to nodes at these addresses, which have so long for each answer.
    package init(nodes: [String], within limit: Duration = .seconds(5)) throws(CommandError) {
        self.limit = limit
        link = try NodeLink(to: nodes)
    }

    /// Reads what a query at a path shows, with priorities.
    package func get(_ path: Path, _ query: Query = Query()) throws(CommandError) -> Value {
        if case .value(let value) = try execute(.get(path, query)) { return value }
        return .null
    }

    /// The keys at a path and what is at each of them, without what is below.
    package func children(
        of path: Path, from start: Key? = nil, limit: Int? = nil
    ) throws(CommandError) -> ChildListing {
        guard case .value(let value) = try execute(.children(path, from: start, limit: limit))
        else { return ChildListing(.null) }
        return ChildListing(value)
    }

    /// Fails unless a node answers.
    package func requireNode() throws(CommandError) {
        do throws(CommandError) {
            _ = try get(Path([.priority]))
        } catch {
            // Users of the cluster may be permitted less than the priority of the root: the refusal of a node that serves is an
            // answer as well.
            guard error.status == .denied, link.isServed else { throw error }
        }
    }

    package func put(_ value: Value, at path: Path) throws(CommandError) {
        _ = try execute(.put(path, value))
    }

    package func merge(_ writes: [Write], at path: Path) throws(CommandError) {
        _ = try execute(.merge(path, writes))
    }

    /// Sends a request, and waits for its answer.
    package func execute(_ work: Request.Work) throws(CommandError) -> Answer {
        let isWrite =
            switch work {
            case .put, .merge, .transact: true
            default: false
            }
        let answer = try waiting(isWrite: isWrite) {
            connection.send(work, patience: patience, concern: concern, completion: $0)
        }
        if isWrite { reportEvicted() }
        return answer
    }

    /// Reports the evicted nodes after a write that was to be durable on all nodes: no write waits for them.
    package func reportEvicted() {
        guard concern == .all, case .served(let text) = link.currentContact,
            let address = HTTPAddress(text)
        else { return }
        let names = probe.evictedNodes(at: address)
        if !names.isEmpty { Terminal.standardError.print(EvictedNodes.report(names)) }
    }

    /// Starts a request and waits for its outcome; reports which node it waits for if that takes long.
    package func waiting(
        isWrite: Bool = true, for start: (@escaping Connection.Completion) -> Void
    ) throws(CommandError) -> Answer {
        let outcome = Monitor<Result<Answer, HearthError>?>(nil)
        start { result in
            outcome.withLock { $0 = result }
            outcome.signal()
        }
        var wait = NodeWait(for: link, within: limit, concern: concern)
        while true {
            if let result = outcome.wait(upTo: NodeWait.slice, for: { $0 }) {
                do throws(HearthError) { return try result.get() } catch {
                    throw CommandError(error, of: link.allNames)
                }
            }
            if StopRequest.isThere { throw wait.interrupted(isWrite: isWrite) }
            wait.report()
        }
    }
}

package enum EvictedNodes {
    /// The report that evicted nodes lack a write, or rules.
    package static func report(
        _ names: [String], lacking subject: String = "the write is", as pronoun: String = "it"
    ) -> String {
        names.joined(separator: " and ") + (names.count == 1 ? " is" : " are")
            + " evicted: \(subject) on all other nodes, and evicted nodes get \(pronoun) when they rejoin"
    }
}

extension CommandError {
    /// The client's error, with its exit status for scripts.
    ///
    /// - Parameter nodes: The nodes of the client as the user names them.
    package init(_ error: HearthError, of nodes: String? = nil) {
        let status: ExitStatus =
            switch error.effect {
            case .done: .lessDurable
            case .unknown: .outcomeUnknown
            case .none:
                switch error.code {
                case .invalid, .tooBig, .changed, .overwritten: .badData
                case .permissionDenied: .denied
                case .notMet, .full, .triedTooOften, .unreachable, .unavailable, .behind,
                    .undecided, .notStable, .noMajority, .timedOut, .disconnected, .version,
                    .closed, .offline, .cancelled:
                    .unavailable
                }
            }
        guard error.code == .unreachable else {
            self.init(status, error.problem, fix: error.fix)
            return
        }
        self.init(
            status, nodes.map { "no node answers at \($0)" } ?? error.problem,
            fix: error.fix + "; `hearth cluster status` shows those of a cluster")
    }

    /// The error for an invalid path or invalid data.
    package init(_ error: DataError) {
        self.init(.badData, error.problem, fix: error.fix)
    }

    /// Whether the write is done or may have been done.
    package var leavesWrite: Bool {
        switch status {
        case .lessDurable, .outcomeUnknown, .interrupted: true
        default: false
        }
    }
}
