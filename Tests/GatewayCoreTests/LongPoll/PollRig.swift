import Foundation
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// A gateway, and clients that poll as Firebase's client in a browser does.
struct PollRig {
    var node: TestGateway

    init(_ configuration: GatewayConfiguration = GatewayConfiguration(), serving: Bool = true) {
        node = TestGateway(configuration, serving: serving)
    }

    /// A client, as far as it has got.
    struct Client {
        var id: String
        var password: String
        /// The `s` of the handshake.
        var name: String
        var nextSegment = 0
    }

    /// Starts a session.
    mutating func start(_ more: String = "") -> Client {
        let script = node.curl(
            "/.lp?start=t&ser=1&cb=1&v=5&\(more.contains("ns=") ? "" : "ns=x")" + more
        ).body
        let parts = script.split(separator: "\"", omittingEmptySubsequences: false)
        let start = parts.firstIndex(of: "start")!
        let name = script.firstRange(of: "\"s\":\"")!.upperBound
        return Client(
            id: String(parts[start + 2]), password: String(parts[start + 4]),
            name: String(script[name...].prefix(32)))
    }

    /// Sends a poll over a connection of its own, which it returns.
    mutating func poll(_ client: Client, _ more: String = "") -> SessionID {
        let connection = node.connect()
        poll(client, more, on: connection)
        return connection
    }

    mutating func poll(_ client: Client, _ more: String = "", on connection: SessionID) {
        let target =
            "/.lp?id=\(client.id)&pw=\(client.password)&ser=2&\(more.contains("ns=") ? "" : "ns=x")"
            + more
        node.send(TestGateway.request(target), by: connection)
    }

    /// Sends a message by a poll, in segments of some length.
    mutating func upload(
        _ message: String, by client: inout Client, segment length: Int = 1_840
    ) -> SessionID {
        poll(client, PollRig.segments(of: message, by: &client, length: length).joined())
    }

    /// The parameters by which a message is sent, one text for each segment.
    static func segments(
        of message: String, by client: inout Client, length: Int
    ) -> [String] {
        let text = base64(message)
        let count = (text.utf8.count + length - 1) / length
        defer { client.nextSegment += count }
        return (0..<count).map { index in
            let part = text.dropFirst(index * length).prefix(length)
            return parameters(index, client.nextSegment + index, of: count, String(part))
        }
    }

    static func parameters(_ index: Int, _ number: Int, of count: Int, _ text: String) -> String {
        "&seg\(index)=\(number)&ts\(index)=\(count)&d\(index)=\(text)"
    }

    /// Base 64 as Firebase's client writes it.
    static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: ".")
    }

    /// Removes and returns the script that answers a poll; nil while the poll is held.
    mutating func script(_ connection: SessionID) -> String? {
        let answers = node.answers(connection)
        #expect(answers.count <= 1)
        return answers.first.map { $0.body }
    }

    /// Asks for a WebSocket.
    mutating func connect(_ query: String) -> SessionID {
        let connection = node.connect()
        let fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        node.send(TestGateway.request("/.ws?v=5&\(query)", "GET", fields), by: connection)
        return connection
    }

    /// Sends a text message on a WebSocket.
    mutating func send(_ text: String, on connection: SessionID) {
        var bytes: [UInt8] = []
        WebSocketWriter.append(.text, Array(text.utf8), mask: 7, to: &bytes)
        node.send(bytes, by: connection)
    }

    /// Removes and returns the messages that came on a WebSocket, behind the head of the answer if that is there.
    mutating func texts(_ connection: SessionID) -> [String] {
        var bytes = node.read(connection)
        if bytes.starts(with: "HTTP".utf8), let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
            bytes.removeSubrange(..<end.upperBound)
        }
        var reader = WebSocketReader(isMasked: false, messageLimit: 1 << 24)
        var texts: [String] = []
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = reader.next(in: &rest) {
                guard case .text(let text) = event else {
                    texts.append("\(event)")
                    continue
                }
                texts.append(String(decoding: text, as: UTF8.self))
            }
        }
        return texts
    }

    static func request(_ number: Int, _ action: String, _ body: String) -> String {
        RealtimeRig.request(number, action, body)
    }

    static let listen = request(1, "q", #"{"p":"/a","h":""}"#)
}
