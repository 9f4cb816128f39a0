internal import HTTPText
internal import SyncProtocol

/// The present activity of a connection.
enum Activity {
    /// It waits for a request, or for the rest of its head.
    case idle
    /// The body of a request arrives.
    case receiving(OpenRequest)
    /// The replica works on a request.
    case asking(OpenRequest, Exchange, sinceMilliseconds: UInt64)
    /// The hash is computed that is the ETag of an answer.
    case hashing(OpenRequest, TaggedAnswer)
    /// A large answer leaves in parts; the last one at this time.
    case answering(AnswerText, ChunkedBody, sinceMilliseconds: UInt64)
    /// The node writes a backup. The body is there once the answer has begun; the time is that of the last piece, until it has left.
    case copying(OpenRequest, ChunkedBody?, sinceMilliseconds: UInt64?)
    /// The answer is a stream of events, which has no end.
    case streaming(EventStream)
    /// The request showed no secret, or a wrong one, is redirected, or is above a limit. The answer waits a moment; without one, that
    /// is the answer of the request's plan, and what still arrives is dropped.
    case refusing(OpenRequest, Answer?)
    /// A session with long polls will answer the request.
    case polling(OpenRequest, SessionID)
    /// The client speaks Firebase's WebSocket protocol.
    case realtime(RealtimeConnection)
    /// A native client speaks with the replica, past the gateway.
    case native
    /// A page of the console follows the data.
    case console(ConsoleConnection)
    /// Nothing more is read, and what was sent leaves.
    case closing

    /// The kinds of connections that `/metrics` tells apart.
    var kind: ConnectionKind {
        switch self {
        case .idle, .receiving, .asking, .hashing, .answering, .copying, .refusing, .closing: .http
        case .streaming: .eventStream
        case .polling: .longPoll
        case .realtime: .realtime
        case .native: .native
        case .console: .console
        }
    }
}
