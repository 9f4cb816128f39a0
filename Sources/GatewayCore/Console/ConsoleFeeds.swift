internal import SyncProtocol

/// The connections that are feeds of the console with open windows: all of them read data in the same turns.
struct ConsoleFeeds {
    private var watching: Set<SessionID> = []
    private var dueMilliseconds: UInt64 = 0

    /// Adds or removes a connection.
    ///
    /// - Returns: Whether it is the first one, so that a turn must begin for it.
    mutating func set(_ id: SessionID, isWatching: Bool, at milliseconds: UInt64) -> Bool {
        guard isWatching else {
            watching.remove(id)
            return false
        }
        guard watching.insert(id).inserted, watching.count == 1 else { return false }
        dueMilliseconds = milliseconds + ConsoleSession.windowMilliseconds
        return true
    }

    /// Returns the connections that read data now, in the order of their numbers, and sets the time of the next reads.
    mutating func removeDue(at milliseconds: UInt64) -> [SessionID] {
        guard !watching.isEmpty, milliseconds >= dueMilliseconds else { return [] }
        dueMilliseconds = milliseconds + ConsoleSession.windowMilliseconds
        return watching.sorted()
    }
}
