internal import HTTPText

/// Why a gateway ends a session of Firebase's protocol, and with it a WebSocket.
package struct SessionEnd: Equatable, Sendable {
    /// The kinds of ends, as `/metrics` names them.
    package enum Reason: String, CaseIterable, Sendable {
        /// The client has closed its connection, or has left its page.
        case client
        /// The client has connected again, or its polls have gone on at another WebSocket.
        case replaced
        /// The client has said nothing for long.
        case silent
        /// The node serves no more.
        case stopping
        /// The outcome of a transaction is unknown.
        case undecided
        /// A message is not JSON, and shows no number of a request that could be refused.
        case unreadable
        /// Frames break the rules of WebSocket.
        case frames
        /// A message beyond the limit shows no number of a request that could be refused.
        case tooLarge = "too_large"
        /// The client reads more slowly than it is sent to, and too much waits for it.
        case unread
        /// Too many wrong credentials wait for their refusals.
        case credentials
        /// The messages that wait in all sessions take too much memory.
        case memory
    }

    package let reason: Reason
    /// The problem, for the close frame and the log; empty if there was none.
    package let problem: String

    package init(_ reason: Reason, _ problem: String = "") {
        (self.reason, self.problem) = (reason, problem)
    }

    /// The number in the close frame.
    package var code: UInt16 {
        switch reason {
        case .client, .replaced: WebSocketCloseCode.normal.rawValue
        case .silent, .stopping: WebSocketCloseCode.goingAway.rawValue
        case .undecided: 1_011
        case .unreadable, .frames: WebSocketCloseCode.protocolError.rawValue
        case .tooLarge: WebSocketCloseCode.tooBig.rawValue
        case .unread, .credentials: 1_008
        case .memory: WebSocketCloseCode.tryAgainLater.rawValue
        }
    }

    static let undecided = SessionEnd(.undecided, "the outcome of a transaction is unknown")
    static let unread = SessionEnd(.unread, "too much data waits for this client")
    static let credentials = SessionEnd(.credentials, "too many wrong credentials")
    static let memory = SessionEnd(.memory, "too many messages wait at this node")
    static let tooLarge = SessionEnd(
        .tooLarge, "a message is too large, and its beginning has no request number")
    static let silent = SessionEnd(.silent, "the client was silent for too long")
}

extension SessionEnd.Reason {
    /// Whether it is a line in the log: not for the daily ends.
    var isLogged: Bool {
        switch self {
        case .client, .replaced, .silent, .stopping, .undecided: false
        case .unreadable, .frames, .tooLarge, .unread, .credentials, .memory: true
        }
    }
}
