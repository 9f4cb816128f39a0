internal import DataTree
internal import HTTPText
internal import Sockets
internal import SyncProtocol

/// A protocol through which a load client listens to a location.
enum ListenProtocol: String, CaseIterable {
    case native
    /// Server-sent events over REST.
    case events
    /// Firebase's WebSocket protocol.
    case firebase

    /// The bytes with which a client begins: the request of a WebSocket, or the request that listens.
    func opening(to address: HTTPAddress, at path: Path) -> [UInt8] {
        let lines =
            switch self {
            case .events:
                ["GET \(path).json HTTP/1.1", "Accept: text/event-stream"]
            case .native:
                Self.upgrade(NativeProtocol.path)
                    + ["Sec-WebSocket-Protocol: \(NativeProtocol.name)"]
            case .firebase: Self.upgrade("/.ws?v=5")
            }
        let head = lines + ["Host: \(address.authority)"]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    private static func upgrade(_ path: String) -> [String] {
        [
            "GET \(path) HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: \(WebSocketUpgrade.version)",
        ]
    }

    /// The beginning of the answer with which the node accepts the opening.
    var acceptance: [UInt8] { Array((self == .events ? "HTTP/1.1 200 " : "HTTP/1.1 101 ").utf8) }

    /// The message that listens, for the WebSocket that the node has accepted; nil if the opening listens.
    func listen(at path: Path, using random: inout some RandomNumberGenerator) -> [UInt8]? {
        switch self {
        case .events: return nil
        case .native:
            return WebSocketClient.frame(
                .binary, ClientMessage.listen(id: 1, path: path).frame, using: &random)
        case .firebase:
            let text = #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"\#(path)","h":""}}}"#
            return WebSocketClient.frame(.text, Array(text.utf8), using: &random)
        }
    }

    /// Bytes that only an answer to the listen has; an answer of the native protocol comes alone.
    var confirmation: [UInt8] {
        switch self {
        case .native: []
        case .events: Array("event: put".utf8)
        case .firebase: Array(#""s":"ok""#.utf8)
        }
    }
}
