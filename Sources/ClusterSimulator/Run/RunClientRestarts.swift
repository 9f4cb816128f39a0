import ClientCore
import DataTree
import QueryEngine
import SyncProtocol

// Dense programs whose processes end, and begin again: half of them keep their writes and values in a file, which may be read late.

extension SimulatedRun {
    /// How long it takes to read a value from the file.
    private static let readingTime = TimeRange(0, .milliseconds(80))

    /// A process of a program ends, with notice or without, and the next one begins.
    mutating func restart(dense number: Int, isOrderly: Bool, isOffline: Bool) {
        if isOrderly {
            beginTurn(of: number)
            tell(.ending, to: number)
            endTurn(of: number)
        }
        if let connection = sdkClients[number].connection {
            sdkClients[number].loseConnection()
            close(connection)
        }
        for request in sdkClients[number].open.values {
            guard case .operation(let operation, _) = request else { continue }
            history.operations[operation].outcome = .unknown
            history.operations[operation].completed = now
        }
        let listens = sdkClients[number].restart(isOffline: isOffline)
        names.add(sdkClients[number].writer, client: sdkClients[number].index)
        beginTurn(of: number)
        if isOffline { tell(.wentOffline, to: number) }
        if let file = sdkClients[number].file { tell(.restored(file.keptWrites), to: number) }
        for listen in listens {
            tell(.listened(listen.id, listen.path, listen.query, .all), to: number)
        }
        endTurn(of: number)
        checkListeners(of: number)
    }

    /// The program's library wants a value that an earlier process has kept.
    mutating func recall(_ key: String, for number: Int) {
        let delay = sdkClients[number].random.time(in: SimulatedRun.readingTime)
        sdkClients[number].recalls.append((key, now + delay))
        schedule(.clientRecalls(sdkClients[number].index), after: delay)
    }

    /// Values that have been read reach the library.
    mutating func takeRecalls(of client: Int) {
        guard case .sdk(let number) = place(of: client), !sdkClients[number].isGone else { return }
        for (key, frame) in sdkClients[number].removeRecalls(at: now) {
            if let value = frame?.keptValue { sdkClients[number].mirror.recall(value) }
            beginTurn(of: number)
            tell(.recalled(key: key, frame: frame), to: number)
            endTurn(of: number)
            checkListeners(of: number)
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
