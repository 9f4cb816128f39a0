/// The kind of a WebSocket frame (RFC 6455, section 5.2).
///
/// A further fragment of a message has the code 0.
public enum WebSocketFrameKind: UInt8, Sendable {
    /// A message of text.
    case text = 1
    /// A message of bytes.
    case binary = 2
    /// The sender's last frame.
    case close = 8
    /// A question that the receiver answers by a pong with the same payload.
    case ping = 9
    /// The answer to a ping.
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// Why an end of a WebSocket closes it (RFC 6455, section 7.4).
public struct WebSocketCloseCode: RawRepresentable, Equatable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// The code with a number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// All is said.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The sender of this code stops, or its page is left.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The receiver of this code broke the rules of WebSocket.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The receiver of this code sent a kind of message that the sender does not understand.
    public static let unsupported = WebSocketCloseCode(rawValue: 1003)
    /// A message was larger than the sender of this code allows.
    public static let tooBig = WebSocketCloseCode(rawValue: 1009)
    /// The sender of this code has no room at the moment.
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

    /// Whether the code may be sent: some numbers stand for what no frame says.
    var isValid: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The payload of a close frame: the number and a reason, of which at most 123 bytes are sent.
    public func payload(_ reason: String = "") -> [UInt8] {
        var text = reason
        while text.utf8.count > 123 { text.removeLast() }
        return [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)] + text.utf8
    }
}

/// The head of a frame: two bytes, the rest of the length in 0, 2 or 8 bytes, and the mask in 0 or 4.
struct WebSocketFrameHead {
    let isFinal: Bool
    /// Nil for a further part of a message.
    let kind: WebSocketFrameKind?
    let length: Int
    /// The first byte of the mask is the lowest; zero changes nothing.
    let mask: UInt32

    /// Enough bytes for the longest head.
    typealias Bytes = InlineArray<14, UInt8>

    /// The size of the head that begins with these two bytes.
    static func size(_ bytes: Bytes) -> Int {
        let extended =
            switch bytes[1] & 0x7F {
            case 126: 2
            case 127: 8
            default: 0
            }
        return 2 + extended + (bytes[1] & 0x80 != 0 ? 4 : 0)
    }

    /// Checks the first two bytes.
    ///
    /// - Throws: what RFC 6455 forbids: extensions that nobody agreed on, unknown codes, and control frames that
    ///   are long or in parts.
    static func check(_ bytes: Bytes, isMasked: Bool) throws(WebSocketFailure) {
        guard bytes[0] & 0x70 == 0 else { throw .invalid("a frame has a reserved bit set") }
        let code = bytes[0] & 0x0F
        let kind = WebSocketFrameKind(rawValue: code)
        guard code == 0 || kind != nil else { throw .invalid("the frame code \(code) is unknown") }
        guard (bytes[1] & 0x80 != 0) == isMasked else {
            throw .invalid(isMasked ? "a client's frame is not masked" : "a frame is masked")
        }
        guard let kind, kind.isControl else { return }
        guard bytes[0] & 0x80 != 0 else { throw .invalid("a control frame has parts") }
        guard bytes[1] & 0x7F <= 125 else { throw .invalid("a control frame is too long") }
    }

    /// Reads a whole head, whose first two bytes were checked.
    ///
    /// - Throws: when the length has more bytes than it needs, or than there can be.
    init(_ bytes: Bytes) throws(WebSocketFailure) {
        isFinal = bytes[0] & 0x80 != 0
        kind = WebSocketFrameKind(rawValue: bytes[0] & 0x0F)
        let size = WebSocketFrameHead.size(bytes)
        let hasMask = bytes[1] & 0x80 != 0
        let lengthEnd = hasMask ? size - 4 : size
        var length = UInt64(bytes[1] & 0x7F)
        if lengthEnd > 2 {
            length = 0
            for index in 2..<lengthEnd { length = length << 8 | UInt64(bytes[index]) }
            guard length >= (lengthEnd == 4 ? 126 : 65_536) else {
                throw .invalid("the length of a frame has more bytes than it needs")
            }
        }
        guard let length = Int(exactly: length) else {
            throw .invalid("the length of a frame has its highest bit set")
        }
        self.length = length
        var mask: UInt32 = 0
        if hasMask {
            for index in (lengthEnd..<size).reversed() { mask = mask << 8 | UInt32(bytes[index]) }
        }
        self.mask = mask
    }
}

/// Why one end of a WebSocket reads no further: what the other end sent, and the code that answers it.
public struct WebSocketFailure: Error, Equatable, Sendable {
    /// To close with.
    public let code: WebSocketCloseCode
    /// What was wrong.
    public let problem: String

    static func invalid(_ problem: String) -> WebSocketFailure {
        WebSocketFailure(code: .protocolError, problem: problem)
    }
}
