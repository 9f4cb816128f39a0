internal import HTTPText

/// The WebSocket message of the last frame that was sent. Many listeners receive the same frame one after the other, and share its
/// message.
struct SharedMessage {
    private var frame: [UInt8] = []
    private var message: [UInt8] = []

    /// The message of a frame that is in the memory of the last one; nil for another frame, which most often has one receiver.
    mutating func message(of next: [UInt8]) -> [UInt8]? {
        guard next.isInMemory(of: frame) else {
            (frame, message) = (next, [])
            return nil
        }
        if message.isEmpty { WebSocketWriter.append(.binary, frame, to: &message) }
        return message
    }
}

extension [UInt8] {
    /// Whether two arrays share their memory, and so are equal.
    fileprivate func isInMemory(of other: [UInt8]) -> Bool {
        guard !isEmpty, count == other.count else { return false }
        return withUnsafeBytes { own in other.withUnsafeBytes { own.baseAddress == $0.baseAddress }
        }
    }
}
