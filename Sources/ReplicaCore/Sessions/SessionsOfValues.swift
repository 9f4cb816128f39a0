import DataTree
import SyncProtocol

// Sessions of values: a driver passes `ClientMessage`s and receives `SessionAnswer`s, for clients with another
// protocol than that of frames. They differ from sessions of frames in three ways. They are not probed. Their
// answers have no size, because drivers stream them from snapshots. Their answers wait behind data.

extension Sessions {
    /// Whether a session's requests and answers are values.
    func isOfValues(_ session: SessionID) -> Bool { outbox.isOfValues(session) }

    /// Whether a session's answers wait until it has the data that it has missed.
    func withholdsAnswers(of session: SessionID) -> Bool {
        slowClients.withholdsAnswers(of: session) && isOfValues(session)
    }

    /// Postpones a read, if the session's answers wait.
    ///
    /// - Returns: Whether it is postponed.
    mutating func postponesRead(_ message: ClientMessage, of session: SessionID) -> Bool {
        guard withholdsAnswers(of: session), message.request.isTreeRead else { return false }
        slowClients.postpone(.read(message), of: session)
        return true
    }

    /// Refuses a request at once if too many answers of its session wait already.
    ///
    /// - Returns: Whether it is refused.
    mutating func refuseIfAnswersWait(_ id: UInt64, _ session: SessionID) -> Bool {
        guard !slowClients.isEmpty,
            slowClients.postponedCount(of: session) >= slowClients.postponedLimit
        else { return false }
        countRefusal()
        sendAtOnce(
            .error(
                id: id, code: .tooBig,
                problem:
                    "\(slowClients.postponedLimit) answers wait until this connection has room",
                fix: "read the answers before you send more requests"),
            to: session)
        return true
    }
}

extension NodeMessage {
    /// Whether it answers a request, and so may have to wait; the others are data of a listen.
    var isAnswer: Bool {
        switch self {
        case .change, .ranges, .seen: false
        case .ok, .acknowledged, .pushed, .value, .unindexed, .ready, .error, .ended: true
        }
    }
}
