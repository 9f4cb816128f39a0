import HTTPText
import ReplicaCore

/// A Firebase client's end of a WebSocket, from the request that makes it one: bytes in any pieces, and text messages.
struct FirebaseSocket {
    enum Event: Equatable {
        case message([UInt8])
        /// The node has ended it, with a code.
        case ended(UInt16)
        /// There is no WebSocket: the node has answered with another status.
        case refused(Int)
        /// An action that no correct node takes.
        case failure(String)
    }

    /// The example of RFC 6455, section 1.3, and what has to come back for it.
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private var answer: AnswerReader?
    private var reader = WebSocketReader(isMasked: false, messageLimit: 16 << 20)
    /// The payloads of pings that have no answer.
    private var pings: [[UInt8]] = []

    init() {
        var answer = AnswerReader()
        answer.expect()
        self.answer = answer
    }

    /// The request with which it begins.
    ///
    /// - Parameter parameters: The parameters of its query after the version, as in `&ls=NAME`.
    static func request(to host: String, _ parameters: String) -> [UInt8] {
        let lines = [
            "GET /.ws?v=5&ns=simulated\(parameters) HTTP/1.1", "Host: \(host)",
            "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Whether each ping has got its pong.
    var isAtRest: Bool { pings.isEmpty }
    /// Whether the node has accepted the WebSocket.
    var isOpen: Bool { answer == nil }

    // MARK: What comes

    /// Reads bytes that have come.
    mutating func receive(_ bytes: [UInt8]) -> [Event] {
        guard var answer else { return events(in: bytes) }
        let heads = answer.receive(bytes)
        self.answer = answer
        guard case .head(let head)? = heads.first else {
            return heads.isEmpty ? [] : [.failure("no answer to a WebSocket: \(heads)")]
        }
        guard head.status == 101 else { return [.refused(head.status)] }
        guard head.fields["sec-websocket-accept"] == FirebaseSocket.accept else {
            return [.failure("the answer to another request for a WebSocket")]
        }
        self.answer = nil
        return events(in: answer.removeRest())
    }

    private mutating func events(in bytes: [UInt8]) -> [Event] {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            var events: [Event] = []
            while let event = reader.next(in: &rest) {
                switch event {
                case .text(let text): events.append(.message(text))
                case .closed(let code): events.append(.ended(code?.rawValue ?? 1_005))
                case .longText: events.append(.failure("a node's message is too long"))
                case .failed(let failure): events.append(.failure(failure.problem))
                case .pong(let payload):
                    if pings.isEmpty || pings.removeFirst() != payload {
                        events.append(.failure("a pong for no ping"))
                    }
                case .binary, .ping: events.append(.failure("a node sends no such frame"))
                }
            }
            return events
        }
    }

    // MARK: What goes

    /// The frames of a message: now and then it is cut into chunks, or into parts, or has a ping before it.
    mutating func frames(of text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        switch random.index(below: 12) {
        case 0 where text.count > 1:
            let cut = 1 + random.index(below: text.count - 1)
            return frame(.text, Array("2".utf8), &random)
                + frame(.text, Array(text[..<cut]), &random)
                + frame(.text, Array(text[cut...]), &random)
        case 1 where text.count > 1:
            let cut = 1 + random.index(below: text.count - 1)
            var first = frame(.text, Array(text[..<cut]), &random)
            var second = frame(.text, Array(text[cut...]), &random)
            // Neither the last part, nor the beginning of a message.
            first[0] &= 0x7F
            second[0] &= 0xF0
            return first + second
        case 2:
            let payload = Array("p\(random.index(below: 100))".utf8)
            pings.append(payload)
            return frame(.ping, payload, &random) + frame(.text, text, &random)
        default: return frame(of: text, &random)
        }
    }

    /// A message as one frame.
    func frame(of text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        frame(.text, text, &random)
    }

    private func frame(
        _ kind: WebSocketFrameKind, _ payload: [UInt8], _ random: inout SplitMix64
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let mask = UInt32(1 + random.number(below: 0xFFFF_FFFF))
        WebSocketWriter.append(kind, payload, mask: mask, to: &bytes)
        return bytes
    }
}
