/// The messages of a session with long polls until a poll fetches them.
struct LongPollOutbox {
    /// With more bytes than this the session ends.
    static let byteLimit = ChunkJoiner.byteLimit

    /// With more bytes than this the replica holds back what the session listens to.
    private let backpressureBytes: Int
    /// Texts in JSON, with commas between them.
    private var messages: [UInt8] = []
    /// Chunks are for WebSockets: here each message goes whole.
    private var joiner = ChunkJoiner()
    private var joiningBytes = 0
    /// The number of the next answer.
    private(set) var number = 0

    init(holdingBackAbove backpressureBytes: Int) {
        self.backpressureBytes = backpressureBytes
    }

    /// Whether there is nothing to tell.
    var isEmpty: Bool { messages.isEmpty }
    /// Whether the next part of a large value may come; the rest of a message that has begun always may.
    var hasRoom: Bool { joiningBytes > 0 || messages.count <= backpressureBytes }
    /// Whether so much waits that the replica has to hold back more.
    var isFilling: Bool { waitingBytes > backpressureBytes }
    /// The memory that all takes, and the beginning of a message whose chunks are not complete.
    var waitingBytes: Int { messages.count + joiningBytes }
    /// Whether so much waits that the session has to end.
    private var isFull: Bool { waitingBytes > LongPollOutbox.byteLimit }

    /// Adds a message as a WebSocket would get it: whole, or as the number of its chunks and then these.
    ///
    /// - Returns: Whether the message is short enough.
    mutating func append(_ frame: [UInt8]) -> Bool {
        switch joiner.append(frame) {
        case .nothing, .perhaps: joiningBytes += frame.count
        case .message(let message):
            if !messages.isEmpty { messages.append(UInt8(ascii: ",")) }
            messages += message
            joiningBytes = 0
        case .tooLarge: return false
        }
        return !isFull
    }

    /// An outbox with one message instead of all that wait.
    func replaced(by message: [UInt8]) -> LongPollOutbox {
        var outbox = LongPollOutbox(holdingBackAbove: backpressureBytes)
        (outbox.messages, outbox.number) = (message, number)
        return outbox
    }

    /// Removes all messages and returns them as a script.
    mutating func removeScript() -> [UInt8] {
        var removed: [UInt8] = []
        swap(&removed, &messages)
        number += 1
        return LongPollText.messages(removed, number: number - 1)
    }
}
