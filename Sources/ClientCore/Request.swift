public import DataTree
public import QueryEngine
public import SyncProtocol

/// A request of the application that is done once.
public struct Request: Sendable {
    /// The work of the request.
    public enum Work: Equatable, Sendable {
        /// Reads what a query shows: from a listen that keeps it up to date, otherwise from a node.
        case get(Path, Query = Query())
        /// Lists the keys at a path, each with its leaf or its number of children; from a key on, and so many at
        /// most. Answered with the map of a `ChildListing`, always by a node.
        case children(Path, from: Key? = nil, limit: Int? = nil)
        /// Replaces the value at the path. A push is a put under a key that the application has made, so sending it
        /// twice appends once.
        case put(Path, Value)
        /// One atomic update; the paths of the writes are relative.
        case merge(Path, [Write])
        /// A read-modify-write by a function of the application, repeated until no other write came in between.
        case transact(Path, WriteVisibility = .shown, TransactionScope = .cluster)
        /// A put that the node does once this connection has ended.
        case onDisconnectPut(Path, Value)
        /// Several on-disconnect puts, each independent; the paths of the writes are relative.
        case onDisconnectMerge(Path, [Write])
        /// Takes back on-disconnect puts at and below the path.
        case onDisconnectCancel(Path)
        /// Waits until all earlier writes of all nodes have arrived; fails with `not stable` after so long.
        ///
        /// Its patience has to cover that time and the answer, a second more.
        case awaitStable(milliseconds: UInt64)
        /// Reads the node's status.
        case status
    }

    /// Which node decides whether a transaction's condition holds.
    public enum TransactionScope: Sendable {
        /// The coordinator of the cluster: no two transactions, at whatever nodes, rest on the same data. It
        /// needs more than half of the nodes, and waits until they are connected.
        case cluster
        /// The connected node, by its data at that moment, even while it is partitioned. If another node decides
        /// another transaction meanwhile, the one with the later stamp stays, and the other update is lost.
        case local
    }

    /// How long the request waits for an answer.
    public enum Patience: Equatable, Sendable {
        /// Without a limit, through any number of connections.
        case endless
        case limited(milliseconds: UInt64)
        /// For so long, but only until every node has been tried once in vain.
        case brief(milliseconds: UInt64)
        /// For so long, also while no node answers, but only until every node has refused the request.
        case searching(milliseconds: UInt64)

        var milliseconds: UInt64? {
            switch self {
            case .endless: nil
            case .limited(let milliseconds), .brief(let milliseconds),
                .searching(let milliseconds):
                milliseconds
            }
        }
    }

    package let id: RequestID
    package internal(set) var work: Work
    package let patience: Patience
    /// On how many nodes a write has to be durable before it is done; nil leaves that to the node that
    /// takes it. Transactions have none.
    public let concern: WriteConcern?

    package init(
        _ id: RequestID, _ work: Work, patience: Patience = .endless,
        concern: WriteConcern? = nil
    ) {
        self.concern = concern
        self.id = id
        self.work = work
        self.patience = patience
    }
}

extension Request.Work {
    /// The place it concerns; the root for a request without a place.
    var path: Path {
        switch self {
        case .get(let path, _), .put(let path, _), .merge(let path, _), .transact(let path, _, _),
            .onDisconnectPut(let path, _), .onDisconnectMerge(let path, _),
            .onDisconnectCancel(let path):
            path
        case .children(let path, _, _): path
        case .awaitStable, .status: .root
        }
    }

    /// Whether it may be repeated over another connection: with its stamp, if it is a write.
    var isRepeatable: Bool {
        switch self {
        case .put(let path, let value): !Write(path: path, value: value).incrementsPriority
        case .merge(_, let writes): !writes.contains(where: \.incrementsPriority)
        // On-disconnect writes of the lost connection have been done already.
        default: true
        }
    }

    /// Whether it is done at the time of the client's stamp. The stamp of a transaction is only its name: a node
    /// stamps it, after all that it holds.
    var isStampedByClient: Bool {
        switch self {
        case .put, .merge: isRepeatable
        default: false
        }
    }

    /// Whether it writes server timestamps.
    var containsTimestamp: Bool {
        switch self {
        case .put(_, let value): value.containsTimestamp
        case .merge(_, let writes): writes.contains { $0.value.containsTimestamp }
        default: false
        }
    }

    var isWrite: Bool {
        switch self {
        case .put, .merge, .transact: true
        default: false
        }
    }

    /// Whether it is a write, now or once the connection has ended.
    var changesTree: Bool {
        switch self {
        case .put, .merge, .transact, .onDisconnectPut, .onDisconnectMerge, .onDisconnectCancel:
            true
        default: false
        }
    }

    /// Validates the data to be written as a node does.
    ///
    /// - Complexity: O(size).
    func validate() throws(DataError) {
        switch self {
        case .put(let path, let value), .onDisconnectPut(let path, let value):
            try Write(path: path, value: value).validate()
        case .merge(let path, let writes), .onDisconnectMerge(let path, let writes):
            if let failure = Write.failure(inMerge: writes, at: path) { throw failure }
            for write in writes {
                try Write(path: path.appending(write.path), value: write.value).validate()
            }
        default: break
        }
        try validateSize()
    }

    /// Refuses a write that no node reads: a node would close the connection, and the next one, too.
    private func validateSize() throws(DataError) {
        // The rest of the frame has other requests.
        let limit = NativeProtocol.requestLimit - (1 << 20)
        // Few are so large that it is worth encoding them for this: a number has 9 bytes at most, and one digit at least.
        guard changesTree, byteEstimate > limit / 9 else { return }
        let byteCount = message(id: .max).frame.count
        guard byteCount > limit else { return }
        throw DataError(
            problem: "the write of \(path) has \(byteCount) bytes, and nodes take \(limit)",
            fix: "split it into several writes")
    }

    /// Roughly its size in bytes, for the limit of waiting requests.
    ///
    /// - Complexity: O(size).
    var byteEstimate: Int {
        switch self {
        case .put(_, let value), .onDisconnectPut(_, let value): 64 + value.estimatedSize
        case .merge(_, let writes), .onDisconnectMerge(_, let writes):
            writes.reduce(64) { $0 + 64 + $1.value.estimatedSize }
        default: 64
        }
    }

    /// The message that carries it to a node; for a transaction, that of its put.
    func message(
        id: UInt64, stamp: Stamp? = nil, now: UInt64? = nil, concern: WriteConcern? = nil
    ) -> ClientMessage {
        switch self {
        case .get(let path, let query): .get(id: id, path: path, query: query)
        case .children(let path, let from, let limit):
            .children(id: id, path: path, from: from, limit: limit)
        case .put(let path, let value):
            .put(id: id, path: path, value: value, concern: concern, stamp: stamp, now: now)
        case .merge(let path, let writes):
            .merge(id: id, path: path, writes: writes, concern: concern, stamp: stamp, now: now)
        case .onDisconnectPut(let path, let value):
            .onDisconnect(id: id, path: path, value: value)
        case .onDisconnectMerge(let path, let writes):
            .onDisconnectMerge(id: id, path: path, writes: writes)
        case .onDisconnectCancel(let path): .onDisconnectCancel(id: id, path: path)
        case .awaitStable(let milliseconds): .awaitStable(id: id, milliseconds: milliseconds)
        case .status: .status(id: id)
        case .transact: preconditionFailure("a transaction is sent as a put")
        }
    }
}
