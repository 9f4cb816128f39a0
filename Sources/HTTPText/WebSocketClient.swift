/// A client's end of a WebSocket, from the request that makes it one: bytes in, messages out.
///
/// The caller sends `request` first, and messages after `.opened`.
public struct WebSocketClient: Sendable {
    /// What has arrived.
    public enum Event: Equatable, Sendable {
        /// Messages may be sent from now on.
        case opened
        /// A message of bytes.
        case message([UInt8])
        /// A message of text.
        case text([UInt8])
        /// These bytes are to be sent: the server wants an answer.
        case answer([UInt8])
        /// Nothing more will arrive: the server wants another authorization.
        case denied
        /// Nothing more will arrive: the server takes no clients now, by its status 503.
        case unavailable
        /// Nothing more will arrive: the WebSocket is at another address, in the form of the header `Location`.
        case moved(to: String)
        /// Nothing more will arrive: the server refuses the client for this reason. A wrong request, of status 400 or 404, is
        /// refused whenever it is repeated.
        case refused(problem: String, fix: String, isWrong: Bool)
        /// Nothing more will arrive.
        case ended(problem: String)
    }

    /// The bytes to begin with.
    public let request: [UInt8]
    private var answer: UpgradeAnswer?
    private var reader: WebSocketReader

    /// - Parameters:
    ///   - host: The host and the port that the request names.
    ///   - path: What is asked for there.
    ///   - subprotocol: What the messages are; the server has to say it too.
    ///   - authorization: What shows that the client may do this, as the value of `Authorization`.
    ///   - messageLimit: How many bytes a message may have.
    public init(
        to host: String, path: String, subprotocol: String, authorization: String? = nil,
        messageLimit: Int, using random: inout some RandomNumberGenerator
    ) {
        let key = WebSocketUpgrade.key(using: &random)
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: \(host)", "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: \(WebSocketUpgrade.version)",
                "Sec-WebSocket-Protocol: \(subprotocol)",
            ] + (authorization.map { ["Authorization: \($0)"] } ?? [])
        request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        answer = UpgradeAnswer(to: key, subprotocol: subprotocol)
        reader = WebSocketReader(isMasked: false, messageLimit: messageLimit)
    }

    /// Reads up to the end of the next event, and removes from `bytes` what it read; nil once all is read.
    public mutating func next(
        in bytes: inout UnsafeRawBufferPointer, using random: inout some RandomNumberGenerator
    ) -> Event? {
        switch answer?.next(in: &bytes) {
        case .accepted?:
            answer = nil
            return .opened
        case .denied?: return .denied
        case .unavailable?: return .unavailable
        case .moved(let location)?: return .moved(to: location)
        case .refused(let problem, let fix?, let isWrong)?:
            return .refused(problem: problem, fix: fix, isWrong: isWrong)
        case .refused(let problem, nil, _)?: return .ended(problem: problem)
        case nil where answer != nil: return nil
        case nil: break
        }
        while let event = reader.next(in: &bytes) {
            switch event {
            case .binary(let message): return .message(message)
            case .ping(let payload):
                return .answer(WebSocketClient.frame(.pong, payload, using: &random))
            case .pong: continue
            case .text(let message): return .text(message)
            case .closed(let code):
                return .ended(problem: "it closed the connection (\(code?.rawValue ?? 1005))")
            case .longText: return .ended(problem: "it sent a message that is too long")
            case .failed(let failure): return .ended(problem: failure.problem)
            }
        }
        return nil
    }

    /// The frame of a message, or of a word on the connection itself.
    public static func frame(
        _ kind: WebSocketFrameKind = .binary, _ payload: [UInt8],
        using random: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 14)
        WebSocketWriter.append(
            kind, payload, mask: .random(in: 1 ... .max, using: &random), to: &frame)
        return frame
    }
}
