internal import JSONText
internal import Marks
internal import SyncProtocol

/// The change of a session from long polls to a WebSocket, which Firebase's clients ask for by `s=`.
///
/// The node sends `a` on the WebSocket. The client, once it finds the WebSocket healthy, sends `a` there and `n` by its last
/// poll; the node sends `n` by a poll behind its last message there. So nothing overtakes anything: messages that come by the
/// WebSocket before the client's `n` wait for it, and the client does the same.
struct TransportSwitch {
    /// The most bytes that wait for the client's `n`.
    static let byteLimit = ChunkJoiner.byteLimit
    /// Messages that can be `a` or a ping are shorter.
    private static let controlBytes = 64

    /// The connection of the WebSocket.
    let connection: SessionID
    /// Since when the client reads from the WebSocket, so that the node sends there.
    private var switchedMilliseconds: UInt64?
    /// Whether the client has sent its last message by polls.
    var hasEndedPolls = false
    /// WebSocket messages that came before that.
    private var early: [[UInt8]] = []
    private(set) var earlyBytes = 0

    init(to connection: SessionID) { self.connection = connection }

    var hasSwitched: Bool { switchedMilliseconds != nil }
    /// Whether the client's messages come by the WebSocket alone.
    var isComplete: Bool { hasSwitched && hasEndedPolls }
    /// Whether too much waits.
    var isFull: Bool { earlyBytes > TransportSwitch.byteLimit || early.count > 20_000 }

    /// Whether the client should have sent and received all by polls that there was.
    func isOverdue(at now: Moment, after milliseconds: UInt64) -> Bool {
        guard let switchedMilliseconds else { return false }
        return now.elapsedMilliseconds >= switchedMilliseconds + milliseconds
    }

    /// The content of a WebSocket message.
    enum Received: Equatable {
        case ping
        /// The client reads from the WebSocket from now on.
        case switched
        /// It waits until polls have ended.
        case waits
    }

    /// Keeps a WebSocket message that came before the switch was complete.
    mutating func receive(_ text: [UInt8], at now: Moment, by reader: JSONReader) -> Received {
        if text.count <= TransportSwitch.controlBytes,
            let message = try? RealtimeMessage(text, by: reader)
        {
            switch message {
            case .ping: return .ping
            case .acknowledgedSwitch:
                switchedMilliseconds = now.elapsedMilliseconds
                return .switched
            case .request, .endedTransmission, .other: break
            }
        }
        sometimes(.messageComesBeforePollsEnd)
        early.append(text)
        earlyBytes += text.count
        return .waits
    }

    /// Whether a message that came by polls is the last one.
    static func isEnd(_ message: [UInt8], by reader: JSONReader) -> Bool {
        guard message.count <= controlBytes else { return false }
        return (try? RealtimeMessage(message, by: reader)) == .endedTransmission
    }

    /// Removes and returns what waited.
    mutating func removeEarly() -> [[UInt8]] {
        defer { (early, earlyBytes) = ([], 0) }
        return early
    }
}
