import HTTPText
import SyncProtocol

@testable import GatewayCore

/// Tests of clients that speak Firebase's WebSocket protocol with a gateway.
protocol RealtimeConnecting {
    var node: TestGateway { get set }
}

extension RealtimeConnecting {
    /// Asks for a WebSocket; returns the connection.
    mutating func connect(_ query: String = "v=5&ns=default") -> SessionID {
        let id = node.connect()
        node.send(TestGateway.request("/.ws?\(query)", "GET", upgradeHeaders), by: id)
        return id
    }

    mutating func send(_ kind: WebSocketFrameKind, _ payload: [UInt8], by id: SessionID) {
        var bytes: [UInt8] = []
        WebSocketWriter.append(kind, payload, mask: 0x1234_5678, to: &bytes)
        node.send(bytes, by: id)
    }

    mutating func send(_ text: String, by id: SessionID) {
        send(.text, Array(text.utf8), by: id)
    }

    /// Removes and returns what a client got, as events of a WebSocket; behind the head of the answer, if that is there.
    mutating func events(_ id: SessionID) -> [WebSocketEvent] {
        var bytes = node.read(id)
        if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)), bytes.starts(with: "HTTP".utf8) {
            bytes.removeSubrange(..<end.upperBound)
        }
        var reader = WebSocketReader(isMasked: false, messageLimit: 1 << 24)
        var events: [WebSocketEvent] = []
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = reader.next(in: &rest) { events.append(event) }
        }
        return events
    }

    mutating func texts(_ id: SessionID) -> [String] {
        events(id).map { event in
            if case .text(let text) = event {
                String(decoding: text, as: UTF8.self)
            } else {
                "\(event)"
            }
        }
    }

    /// The `s` of a handshake.
    static func name(in handshake: String) -> String {
        let start = handshake.firstRange(of: "\"s\":\"")!.upperBound
        return String(handshake[start...].prefix(32))
    }
}

private let upgradeHeaders = [
    "Connection: keep-alive, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Extensions: permessage-deflate", "Host: db.localhost:9000",
]
