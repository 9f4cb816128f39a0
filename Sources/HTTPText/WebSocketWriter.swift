/// Writes the frames of one end of a WebSocket: each message as one frame.
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
        let isMasked: UInt8 = mask == 0 ? 0 : 0x80
        bytes.append(0x80 | kind.rawValue)
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
