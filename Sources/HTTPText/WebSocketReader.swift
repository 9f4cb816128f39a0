/// An event of a WebSocket reader.
public enum WebSocketEvent: Equatable, Sendable {
    /// A message of text, joined from its parts; whether it is UTF-8 is not checked.
    case text([UInt8])
    /// A message of text beyond the limit, which begins with these bytes: of readers that skip such messages.
    case longText([UInt8])
    /// A message of bytes, joined from its parts.
    case binary([UInt8])
    /// To be answered by a pong with the same payload.
    case ping([UInt8])
    /// The answer to a ping.
    case pong([UInt8])
    /// The other end sends nothing more; nil without a reason.
    case closed(WebSocketCloseCode?)
    /// The other end broke a rule; nothing more is read.
    case failed(WebSocketFailure)
}

/// Reads the frames of one end of a WebSocket (RFC 6455, section 5) out of bytes that arrive in any pieces.
///
///     var reader = WebSocketReader(isMasked: true, messageLimit: 16 << 20)
///     while let event = reader.next(in: &bytes) { … }
///
/// No extension is understood. A message that is under way costs its own bytes, at most the limit.
public struct WebSocketReader: Sendable {
    private let isMasked: Bool
    private let messageLimit: Int
    private let skipsLongTexts: Bool
    /// The bytes of a head that is not whole yet, and how many there are.
    private var headBytes = WebSocketFrameHead.Bytes(repeating: 0)
    private var headCount = 0
    /// The frame whose payload is being read, and how much of it there is.
    private var frame: WebSocketFrameHead?
    private var payloadCount = 0
    private var control: [UInt8] = []
    /// The message that is being joined, and its kind once it has begun.
    private var message: [UInt8] = []
    private var messageKind: WebSocketFrameKind?
    /// Whether the message is skipped, since it is beyond the limit.
    private var isSkipped = false
    private var hasEnded = false

    /// So much of a message is kept that is skipped.
    private static let beginningBytes = 64 << 10

    /// - Parameters:
    ///   - isMasked: Whether the other end masks its frames, as clients must and servers must not.
    ///   - messageLimit: How many bytes a message may have.
    ///   - skipsLongTexts: Whether a text beyond the limit is read to its end and dropped but for its beginning. Otherwise, and
    ///     for a binary message, that is a failure.
    public init(isMasked: Bool, messageLimit: Int, skipsLongTexts: Bool = false) {
        self.isMasked = isMasked
        self.messageLimit = messageLimit
        self.skipsLongTexts = skipsLongTexts
    }

    /// The bytes of the message that is not complete.
    public var waitingBytes: Int { message.count }

    /// Reads up to the end of the next event, and removes from `bytes` what it read.
    ///
    /// - Returns: Nil once `bytes` is empty; after a close or a failure, everything that arrives is dropped.
    public mutating func next(in bytes: inout UnsafeRawBufferPointer) -> WebSocketEvent? {
        while !hasEnded {
            do throws(WebSocketFailure) {
                guard try readHead(&bytes), readPayload(&bytes) else { return nil }
                if let event = try finishFrame() { return event }
            } catch {
                hasEnded = true
                return .failed(error)
            }
        }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...])
        return nil
    }
}

// MARK: - Parts of a frame

extension WebSocketReader {
    /// Whether the head of the present frame is whole.
    private mutating func readHead(
        _ bytes: inout UnsafeRawBufferPointer
    ) throws(WebSocketFailure) -> Bool {
        if frame != nil { return true }
        var position = 0
        while position < bytes.count,
            headCount < 2 || headCount < WebSocketFrameHead.size(headBytes)
        {
            headBytes[headCount] = bytes[position]
            headCount += 1
            position += 1
            if headCount == 2 { try WebSocketFrameHead.check(headBytes, isMasked: isMasked) }
        }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[position...])
        guard headCount >= 2, headCount == WebSocketFrameHead.size(headBytes) else { return false }
        headCount = 0
        try begin(try WebSocketFrameHead(headBytes))
        return true
    }

    private mutating func begin(_ head: WebSocketFrameHead) throws(WebSocketFailure) {
        if let kind = head.kind, kind.isControl {
            control = []
        } else {
            guard (head.kind == nil) == (messageKind != nil) else {
                throw .invalid(
                    head.kind == nil
                        ? "a part of a message comes without its beginning"
                        : "a message begins before the one before it ends")
            }
            messageKind = messageKind ?? head.kind
            if head.length > messageLimit - message.count, !isSkipped { try skip() }
        }
        frame = head
        payloadCount = 0
    }

    /// Keeps only the beginning of the present message, which is beyond the limit.
    private mutating func skip() throws(WebSocketFailure) {
        guard skipsLongTexts, messageKind == .text else {
            throw WebSocketFailure(
                code: .tooBig, problem: "a message has more than \(messageLimit) bytes")
        }
        isSkipped = true
        message = Array(message.prefix(WebSocketReader.beginningBytes))
    }

    /// Whether the payload of the present frame is whole.
    private mutating func readPayload(_ bytes: inout UnsafeRawBufferPointer) -> Bool {
        guard let frame else { return false }
        let count = min(frame.length - payloadCount, bytes.count)
        let kept = isSkipped ? min(count, WebSocketReader.beginningBytes - message.count) : count
        let isControl = frame.kind?.isControl == true
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<(isControl ? count : kept)])
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        let mask = frame.mask.rotatedRight(bytes: payloadCount)
        if isControl {
            control.append(piece, unmaskedBy: mask)
        } else {
            // Room for all of it at once, unless the rest may never come.
            if message.isEmpty { message.reserveCapacity(min(frame.length, 64 << 10)) }
            message.append(piece, unmaskedBy: mask)
        }
        payloadCount += count
        return payloadCount == frame.length
    }

    /// The event that ends with the present frame; nil if its message goes on.
    private mutating func finishFrame() throws(WebSocketFailure) -> WebSocketEvent? {
        guard let head = frame.take() else { return nil }
        switch head.kind {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close:
            let code = try closeCode()
            hasEnded = true
            return .closed(code)
        case .text, .binary, nil:
            guard head.isFinal, let kind = messageKind.take() else { return nil }
            let (whole, wasSkipped) = (message, isSkipped)
            (message, isSkipped) = ([], false)
            if wasSkipped { return .longText(whole) }
            return kind == .text ? .text(whole) : .binary(whole)
        }
    }

    private func closeCode() throws(WebSocketFailure) -> WebSocketCloseCode? {
        if control.isEmpty { return nil }
        guard control.count >= 2 else { throw .invalid("a close frame has one byte") }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.isValid else { throw .invalid("\(code.rawValue) is no reason to close") }
        return code
    }
}
