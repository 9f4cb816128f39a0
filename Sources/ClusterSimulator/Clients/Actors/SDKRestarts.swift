import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// Dense programs whose processes end, and begin again: half of them keep their writes and values in a file, which may be read late.

extension SDKClient {
    /// How long it takes to read a value from the file.
    private static let readingTime = TimeRange(0, .milliseconds(80))

    /// A process of a program ends, with notice or without, and the next one begins.
    mutating func restart(isOrderly: Bool, isOffline: Bool, in run: inout SimulatedRun) {
        if isOrderly {
            beginTurn(in: &run)
            send(.ending, in: &run)
            endTurn(in: &run)
        }
        if let connection = self.connection {
            loseConnection()
            run.close(connection)
        }
        for request in open.values {
            guard case .operation(let operation, _) = request else { continue }
            run.record.history.operations[operation].outcome = .unknown
            run.record.history.operations[operation].completed = run.now
        }
        let listens = restart(isOffline: isOffline)
        run.record.names.add(writer, client: index)
        beginTurn(in: &run)
        if isOffline { send(.wentOffline, in: &run) }
        if let file = self.file { send(.restored(file.keptWrites), in: &run) }
        for listen in listens {
            send(.listened(listen.id, listen.path, listen.query, .all), in: &run)
        }
        endTurn(in: &run)
        checkListeners(in: &run)
    }

    /// The program's library wants a value that an earlier process has kept.
    mutating func recall(_ key: String, in run: inout SimulatedRun) {
        let delay = random.time(in: SDKClient.readingTime)
        recalls.append((key, run.now + delay))
        run.schedule(.clientRecalls(index), after: delay)
    }

    /// Values that have been read reach the library.
    mutating func takeRecalls(in run: inout SimulatedRun) {
        if isGone { return }
        for (key, frame) in removeRecalls(at: run.now) {
            if let value = frame?.keptValue { mirror.recall(value) }
            beginTurn(in: &run)
            send(.recalled(key: key, frame: frame), in: &run)
            endTurn(in: &run)
            checkListeners(in: &run)
        }
    }
}

extension [UInt8] {
    /// The value that a persistent client has kept as this frame.
    fileprivate var keptValue: Value? {
        guard
            case .message(.value(_, let value))? = try? FrameReader<NodeMessage>.messages(in: self)
                .first
        else { return nil }
        return value
    }
}
