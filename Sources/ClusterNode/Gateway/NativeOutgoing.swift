internal import HTTPText
internal import SyncProtocol

/// The messages to a native client from a frame with large values on. Such a frame is encoded in parts as the client reads
/// them, and leaves as one WebSocket message in fragments; later messages wait behind it.
struct NativeOutgoing {
    private enum Waiting {
        /// A frame of the native protocol.
        case frame([UInt8])
        /// Frames of the WebSocket.
        case bytes([UInt8])
        case large(LargeFrameReader, hasBegun: Bool)
    }

    /// About the size of a fragment.
    private static let fragmentBytes = 64 << 10
    /// The most messages that wait.
    private static let countLimit = 25_000

    private var waiting: ArraySlice<Waiting> = []
    /// The bytes that wait; large values take no memory of their own.
    private(set) var byteCount = 0

    var isEmpty: Bool { waiting.isEmpty }
    /// Whether too many messages wait.
    var isFull: Bool { waiting.count > NativeOutgoing.countLimit }

    mutating func append(_ frame: LargeFrame) {
        waiting.append(.large(LargeFrameReader(frame), hasBegun: false))
    }

    mutating func append(frame: [UInt8]) {
        waiting.append(.frame(frame))
        byteCount += frame.count
    }

    mutating func append(bytes: [UInt8]) {
        waiting.append(.bytes(bytes))
        byteCount += bytes.count
    }

    mutating func removeAll() { self = NativeOutgoing() }

    /// Removes and returns the next bytes for the wire: a message, or a fragment of a large one.
    mutating func removeNext() -> [UInt8] {
        guard let next = waiting.popFirst() else { return [] }
        var bytes: [UInt8] = []
        switch next {
        case .frame(let frame):
            byteCount -= frame.count
            WebSocketWriter.append(.binary, frame, to: &bytes)
        case .bytes(let waited):
            byteCount -= waited.count
            return waited
        case .large(var reader, let hasBegun):
            let fragment = reader.next(atLeast: NativeOutgoing.fragmentBytes)
            WebSocketWriter.append(
                fragment: fragment, hasBegun ? nil : .binary, isLast: reader.isAtEnd, to: &bytes)
            if !reader.isAtEnd {
                waiting.insert(.large(reader, hasBegun: true), at: waiting.startIndex)
            }
        }
        return bytes
    }
}
