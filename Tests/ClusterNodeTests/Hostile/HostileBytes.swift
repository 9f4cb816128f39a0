import HTTPText
import SyncProtocol

// Bytes to the HTTP port that no honest program sends: requests with bytes changed, and frames behind a right one.

extension HostileFrames {
    private static let lines = [
        "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: hearth.1",
    ]

    /// A request and what follows it, either of them damaged.
    mutating func portBytes() -> [UInt8] {
        var request = Array(
            (["GET /.hearth HTTP/1.1"] + Self.lines + ["", ""]).joined(separator: "\r\n").utf8)
        if chance(30) { damage(&request) }
        var following: [UInt8] = []
        for _ in 0..<number(below: 4) { following += webSocketFrame() }
        if chance(50) { damage(&following) }
        return request + following
    }

    private mutating func webSocketFrame() -> [UInt8] {
        let kinds: [WebSocketFrameKind] = [.binary, .binary, .binary, .text, .ping, .pong, .close]
        let kind = kinds[number(below: kinds.count)]
        let payload = kind == .binary ? clientFrame() : Array(noise().prefix(125))
        var frame: [UInt8] = []
        let mask = chance(95) ? UInt32(1 + number(below: 1 << 30)) : 0
        WebSocketWriter.append(kind, payload, mask: mask, to: &frame)
        return frame
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0...number(below: 5) where bytes.count > 1 {
            let place = number(below: bytes.count)
            switch number(below: 4) {
            case 0: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 1: bytes[place] = UInt8(number(below: 256))
            case 2: bytes.remove(at: place)
            default: bytes.insert(UInt8(number(below: 256)), at: place)
            }
        }
        if chance(20) { bytes.removeLast(number(below: bytes.count + 1)) }
    }
}
