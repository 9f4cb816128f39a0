internal import HTTPText
internal import Sockets
internal import SyncProtocol

/// One connection of the HTTP port: the gateway reads it, until a request makes it a native client's.
final class HTTPConnection {
    /// Who reads what the connection brings.
    enum State: Equatable {
        /// Nobody yet: the port has TLS, and both ends have to agree on keys by this second.
        case handshaking(deadlineSecond: UInt64)
        /// The gateway.
        case requesting
        /// The replica, as a native client's: each message is a frame.
        case native
        /// Nobody: the last bytes are on their way, and the other end has until this second to close its side.
        case closing(deadlineSecond: UInt64)
    }

    let session: SessionID
    let stream: Stream
    /// The address of the client.
    let host: String
    var state = State.requesting
    var frames = HTTPConnection.makeReader()
    /// The messages that wait behind a large answer to a native client.
    var outgoing = NativeOutgoing()
    /// Whether the next parts of that are to be sent as soon as other connections have been served.
    var arePartsDue = false
    /// The bytes of a frame that is not complete, as they were counted last.
    var countedBytes = 0
    /// When the client sent something last, in seconds since the start of the node.
    var askedSecond: UInt64 = 0
    /// Whether the core waits for the report that all bytes for the client have left.
    var isReportDue = false
    /// The queue in which the connection waits to be flushed, and the bytes of deliveries that wait with it.
    var flushPlace = FlushQueue.Place.none
    var gatheredBytes = 0

    init(_ session: SessionID, on stream: Stream, from host: String) {
        self.session = session
        self.host = host
        self.stream = stream
    }

    /// The bytes that are not sent yet.
    var waitingBytes: Int { stream.waitingBytes + outgoing.byteCount }

    /// The same, or one for the rest of a large answer that has no bytes yet.
    var unsentBytes: Int { outgoing.isEmpty ? stream.waitingBytes : max(1, waitingBytes) }

    /// A reader of what a native client sends.
    static func makeReader() -> WebSocketReader {
        WebSocketReader(isMasked: true, messageLimit: NativeProtocol.requestLimit)
    }

    /// Whether the ends have to agree on keys first.
    var isHandshaking: Bool {
        if case .handshaking = state { !stream.isEncrypted } else { false }
    }

    /// Whether time is up for what the connection does.
    func isOverdue(at second: UInt64) -> Bool {
        switch state {
        case .closing(let deadline): second >= deadline
        case .handshaking(let deadline): second >= deadline && !stream.isEncrypted
        case .requesting, .native: false
        }
    }

    /// Appends the frame of a native client's protocol as one message.
    func append(_ frame: [UInt8], sharedBy messages: inout SharedMessage) {
        guard outgoing.isEmpty else { return outgoing.append(frame: frame) }
        if let message = messages.message(of: frame) { return stream.append(message) }
        guard frame.count < Stream.bytesPerTurn / 4 else {
            stream.append(sizeHint: 10) {
                WebSocketWriter.appendHead(.binary, payloadCount: frame.count, to: &$0)
            }
            return stream.append(frame)
        }
        append(.binary, frame)
    }

    /// Appends a frame of a WebSocket.
    func append(_ kind: WebSocketFrameKind, _ payload: [UInt8]) {
        stream.append(sizeHint: payload.count + 10) {
            WebSocketWriter.append(kind, payload, to: &$0)
        }
    }
}
