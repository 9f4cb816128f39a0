internal import ClientConnection
internal import ClientCore
internal import CommandLineKit
internal import DataTree
internal import QueryEngine
internal import SyncProtocol
internal import Threads

/// The side of a migration that is written: a cluster. Several writes are in flight at a time.
struct MigrationTarget {
    private static let writesInFlight = 4

    private struct State: Sendable {
        var openCount = 0
        var answeredCount = 0
        var failure: HearthError?
    }

    private let client: NodeClient
    private let state = Monitor(State())

    init(_ client: NodeClient) { self.client = client }

    func isEmpty(at path: Path) throws(CommandError) -> Bool {
        try client.children(of: path, limit: 1).isEmpty
    }

    /// Removes the value at a path.
    func remove(_ path: Path) throws(CommandError) { try client.put(.null, at: path) }

    /// The value at a path, once all writes are done.
    func value(at path: Path) throws(CommandError) -> Value {
        try finishWrites()
        return try client.get(path)
    }

    /// The children in a range of keys, once all writes are done.
    func children(in range: MigrationWalk.KeyRange) throws(CommandError) -> Children {
        try finishWrites()
        let query: Query
        do throws(DataError) { query = try range.query } catch { throw CommandError(error) }
        return try client.get(range.path, query).children
    }

    /// Writes values below a path in one atomic operation, without waiting for the answer.
    func write(_ writes: [Write], below path: Path) throws(CommandError) {
        if writes.isEmpty { return }
        try wait { $0.openCount < MigrationTarget.writesInFlight }
        // An update cannot replace the location itself.
        let replacesAll = writes.count == 1 && writes[0].path.isRoot
        state.withLock { $0.openCount += 1 }
        client.connection.send(
            replacesAll ? .put(path, writes[0].value) : .merge(path, writes),
            patience: client.patience, concern: client.concern
        ) { [state] result in
            state.withLock { state in
                state.openCount -= 1
                state.answeredCount += 1
                if case .failure(let error) = result { state.failure = state.failure ?? error }
            }
            state.signal()
        }
    }

    /// Waits until the cluster has acknowledged all writes.
    func finishWrites() throws(CommandError) { try wait { $0.openCount == 0 } }

    private func wait(_ isEnough: @escaping (State) -> Bool) throws(CommandError) {
        var wait = NodeWait(for: client.link, within: client.limit)
        var answered = state.withLock { $0.answeredCount }
        while true {
            let now = state.wait(upTo: NodeWait.slice) { state in
                state.failure != nil || isEnough(state) ? state : nil
            }
            if let failure = now?.failure { throw CommandError(failure, of: client.link.allNames) }
            if now != nil { return }
            let count = state.withLock { $0.answeredCount }
            if count != answered { wait.restart() }
            answered = count
            if wait.isOver { throw wait.timedOut() }
            wait.report()
        }
    }
}

extension MigrationWalk.KeyRange {
    fileprivate var query: Query {
        get throws(DataError) {
            var query = try Query().orderedByKey()
            if let after { query = try query.starting(after: .string(after.text)) }
            if let through { query = try query.ending(at: .string(through.text)) }
            if let before { query = try query.ending(before: .string(before.text)) }
            return query
        }
    }
}
