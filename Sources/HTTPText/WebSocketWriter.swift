/// Writes the frames of one end of a WebSocket: each message as one frame, or a large one as several.
public enum WebSocketWriter {
    /// Appends a frame to what is sent.
    ///
    /// - Parameter mask: Four bytes of chance in a client, a new one for each frame; zero in a server, whose frames
    ///   are not masked.
    public static func append(
        _ kind: WebSocketFrameKind, _ payload: [UInt8], mask: UInt32 = 0, to bytes: inout [UInt8]
    ) {
        appendHead(kind, payloadCount: payload.count, mask: mask, to: &bytes)
        payload.withUnsafeBytes { bytes.append($0, unmaskedBy: mask) }
    }

    /// Appends the head of a frame alone: for a large payload that a server sends from where it is.
    public static func appendHead(
        _ kind: WebSocketFrameKind, payloadCount: Int, mask: UInt32 = 0, to bytes: inout [UInt8]
    ) {
        precondition(
            !kind.isControl || payloadCount <= 125,
            "a control frame has at most 125 bytes, got \(payloadCount)")
        bytes.append(0x80 | kind.rawValue)
        appendLength(payloadCount, mask: mask, to: &bytes)
    }

    /// Appends a fragment of a message that a server sends in parts: the first one has the kind of the message, the others none.
    public static func append(
        fragment payload: [UInt8], _ kind: WebSocketFrameKind?, isLast: Bool,
        to bytes: inout [UInt8]
    ) {
        precondition(kind?.isControl != true, "a control frame has no fragments")
        bytes.append((isLast ? 0x80 : 0) | (kind?.rawValue ?? 0))
        appendLength(payload.count, mask: 0, to: &bytes)
        bytes += payload
    }

    private static func appendLength(
        _ payloadCount: Int, mask: UInt32, to bytes: inout [UInt8]
    ) {
        let isMasked: UInt8 = mask == 0 ? 0 : 0x80
        switch payloadCount {
        case ..<126: bytes.append(isMasked | UInt8(payloadCount))
        case ..<65_536:
            bytes.append(isMasked | 126)
            withUnsafeBytes(of: UInt16(payloadCount).bigEndian) { bytes.append(contentsOf: $0) }
        default:
            bytes.append(isMasked | 127)
            withUnsafeBytes(of: UInt64(payloadCount).bigEndian) { bytes.append(contentsOf: $0) }
        }
        if mask != 0 {
            withUnsafeBytes(of: mask.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }
}
