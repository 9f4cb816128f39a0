import DataTree
import EventLoop
import GatewayCore
import HTTPText
import ReplicaCore
import Rules
import Sockets
import SyncProtocol
import Testing

@testable import ClusterAdministration
@testable import ClusterNode

/// The port of a node with real sockets, on one thread: the loop runs between what a client does.
@Suite(.timeLimit(.minutes(1))) final class `A node's HTTP port` {
    let loop: Loop
    let node: PortNode
    let address: HTTPAddress
    var port: HTTPPort { node.port }
    var inputs: [Input] {
        get { node.inputs }
        set { node.inputs = newValue }
    }

    init() throws {
        loop = try Loop()
        var configuration = GatewayConfiguration()
        configuration.deadlines.headMilliseconds = 100
        configuration.messagesBytes = 200_000
        configuration.waitingBytes = 22 << 20
        configuration.connectionLimit = 8
        node = PortNode(on: loop, configuration)
        var bound: HTTPAddress?
        for _ in 0..<100 where bound == nil {
            let text = "http://127.0.0.1:\(Int.random(in: 21_340...21_399))"
            if node.open(at: text) { bound = HTTPAddress(text) }
        }
        address = try #require(bound)
    }

    /// Runs the loop for some turns.
    func turn(_ times: Int = 3) throws {
        for _ in 0..<times {
            let end = try loop.timer(after: .milliseconds(3)) { [loop] in loop.stop() }
            loop.run()
            withExtendedLifetime(end) {}
        }
    }

    func connect() throws -> NodeSocket {
        let client = try NodeSocket(to: address)
        for _ in 0..<20 where !client.isOpen {
            _ = client.receive { _ in }
            try turn(1)
        }
        try #require(client.isOpen)
        return client
    }

    /// A connection that says what it wants.
    func plain() throws -> PolledSocket {
        let socket = try PolledSocket(to: address)
        #expect(socket.wait(upTo: .seconds(1)))
        #expect(try socket.finishConnecting())
        return socket
    }

    /// What the port answers to these bytes, and whether it closes the connection.
    func answer(to text: String) throws -> (text: String, isClosed: Bool) {
        let socket = try plain()
        #expect(socket.send(Array(text.utf8)))
        try turn()
        var answer: [UInt8] = []
        var isOpen = true
        for _ in 0..<5 where isOpen {
            isOpen = socket.receive { answer += $0 }
            try turn(1)
        }
        return (String(decoding: answer, as: UTF8.self), !isOpen)
    }

    var session: SessionID? {
        for case .requested(_, let session) in inputs { return session }
        return nil
    }

    @Test func `hands over the frames of a client, and sends it the replies of a turn together`()
        throws
    {
        let client = try connect()
        client.send([1, 2, 3])
        client.send([])
        client.send([UInt8](repeating: 9, count: 100_000))
        try turn()
        let frames = inputs.compactMap { input -> [UInt8]? in
            if case .requested(let frame, _) = input { frame } else { nil }
        }
        #expect(frames == [[1, 2, 3], [], [UInt8](repeating: 9, count: 100_000)])
        let session = try #require(session)
        let large = [UInt8](repeating: 7, count: 70_000)
        for reply in [[4], [], large, [5]] { port.reply(reply, to: session) }
        var replies: [[UInt8]] = []
        for _ in 0..<20 where replies.count < 4 {
            try turn(1)
            #expect(client.receive { replies.append($0) })
        }
        #expect(replies.map(\.count) == [1, 0, 70_000, 1])
        #expect(replies.count == 4 && replies[2].allSatisfy { $0 == 7 } && replies[3] == [5])
        #expect(port.count == 1)
    }

    @Test func `reads nothing while it is paused, and all of it later`() throws {
        let client = try connect()
        try turn()
        port.isPaused = true
        client.send([1])
        try turn()
        #expect(session == nil)
        port.isPaused = false
        try turn()
        #expect(session != nil)
    }

    @Test(arguments: [
        ("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", "421"),
        ("GET /.hearth HTTP/1.1\r\nHost: evil.test\r\n\r\n", "421"),
        ("GET /.hearth HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.test\r\n\r\n", "403"),
        ("GET /nothing HTTP/1.0\r\nHost: localhost\r\n\r\n", "404"),
        ("GET /.hearth HTTP/1.0\r\nHost: localhost\r\n\r\n", "426"),
        ("GET /.hearth HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "400"),
        (
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", "413"
        ),
        (upgrade.replacing("Version: 13", with: "Version: 8"), "426"),
        (upgrade.replacing("hearth.1", with: "hearth.2"), "400"),
        (upgrade.replacing("==", with: ""), "400"),
        (upgrade.replacing("GET", with: "POST"), "426"),
        (upgrade.replacing("Upgrade: websocket", with: "Upgrade: h2c"), "426"),
        ("\0\0\0\r\n\r\n", "400"),
    ])
    func `answers other requests with a status`(request: String, status: String) throws {
        let answer = try answer(to: request)
        #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "), "\(answer.text)")
        #expect(inputs.isEmpty)
    }

    @Test(arguments: [
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", false),
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", true),
        ("\0\0\0\r\n\r\n", true),
    ])
    func `closes a connection after its last answer`(request: String, isClosed: Bool) throws {
        #expect(try answer(to: request).isClosed == isClosed)
    }

    /// Writes a value, and forgets what the replica got for that.
    private func put(_ value: Value) throws {
        let session = SessionID(number: 1 << 40)
        node.step(.replica(.opened(session)))
        node.step(
            .replica(
                .requestedMessages(
                    [.put(id: 1, path: Path([Key(unchecked: "a")]), value: value)], by: session)))
        node.step(.replica(.closed(session)))
        try turn()
        inputs = []
    }

    @Test func `asks the replica, and sends its answer`() throws {
        try put(.integer(7))
        let answer = try answer(to: "GET /a.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(answer.text.hasPrefix("HTTP/1.1 200 ") && answer.text.hasSuffix("\r\n\r\n7"))
        guard inputs.count == 2, case .opened(let session) = inputs[0],
            case .requestedMessages(_, session) = inputs[1]
        else {
            Issue.record("\(inputs)")
            return
        }
    }

    @Test func `a large answer leaves in parts, as the client reads them`() throws {
        var children = Children()
        for number in 0..<1_000 {
            children[Key(unchecked: "k\(number)")] = .string(String(repeating: "x", count: 20_000))
        }
        try put(Value(children))
        let socket = try plain()
        #expect(socket.send(Array("GET /a.json HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8)))
        // The client reads nothing: what is made for it has a bound.
        for _ in 0..<500 where port.waitingBytes == 0 { try turn(1) }
        try turn(20)
        let waiting = port.waitingBytes
        #expect(waiting < 1 << 20)
        try turn(20)
        #expect(port.waitingBytes == waiting)
        var received = 0
        for _ in 0..<10_000 where socket.receive({ received += $0.count }) { try turn(1) }
        #expect(received > 20_000_000)
    }

    static let upgrade =
        "GET /.hearth HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + "Sec-WebSocket-Protocol: hearth.1\r\n\r\n"

    @Test func `takes a frame that comes with the request`() throws {
        let socket = try plain()
        var bytes = Array(Self.upgrade.utf8)
        WebSocketWriter.append(.binary, [1, 2], mask: 77, to: &bytes)
        #expect(socket.send(bytes))
        try turn()
        guard case .requested([1, 2], _)? = inputs.first else {
            Issue.record("\(inputs)")
            return
        }
        #expect(node.principals == [.administrator(name: nil)])
    }

    @Test(arguments: [
        (WebSocketFrameKind.text, UInt32(9), [UInt8]("hi".utf8), [UInt8]([0x88, 2, 3, 240])),
        (.binary, 0, [1], [0x88, 2, 3, 234]),
        (.close, 9, [3, 232], [0x88, 2, 3, 232]),
    ])
    func `closes a WebSocket with the reason`(
        kind: WebSocketFrameKind, mask: UInt32, payload: [UInt8], end: [UInt8]
    ) throws {
        let socket = try plain()
        var bytes = Array(Self.upgrade.utf8)
        WebSocketWriter.append(.binary, [1], mask: 77, to: &bytes)
        WebSocketWriter.append(kind, payload, mask: mask, to: &bytes)
        #expect(socket.send(bytes))
        try turn()
        var answer: [UInt8] = []
        _ = socket.receive { answer += $0 }
        #expect(!socket.receive { answer += $0 })
        #expect(answer.suffix(4) == end[...])
        guard case .closed? = inputs.last else {
            Issue.record("\(inputs)")
            return
        }
        #expect(inputs.count == 2)
    }

    @Test func `answers pings`() throws {
        let socket = try plain()
        var bytes = Array(Self.upgrade.utf8)
        WebSocketWriter.append(.ping, [8, 9], mask: 77, to: &bytes)
        #expect(socket.send(bytes))
        try turn()
        var answer: [UInt8] = []
        #expect(socket.receive { answer += $0 })
        #expect(answer.suffix(4) == [0x8A, 2, 8, 9])
        // By itself, too.
        #expect(socket.send([0x89, 0x81, 0, 0, 0, 0, 5]))
        try turn()
        answer = []
        #expect(socket.receive { answer += $0 })
        #expect(answer == [0x8A, 1, 5])
    }

    @Test func `reads data beyond the limit of a turn in later turns`() throws {
        let client = try connect()
        let frame = [UInt8](repeating: 9, count: 100_000)
        for count in 1...100 {
            client.send(frame)
            for _ in 0..<100 where inputs.count < count { try turn(1) }
        }
        #expect(inputs.count == 100)
    }

    @Test func `a value whose chunks take long to count reaches a client of Firebase`() throws {
        try put(.string(String(repeating: "x", count: 3_000_000)))
        let socket = try plain()
        let upgrade = Self.upgrade.replacing("/.hearth", with: "/.ws?v=5")
        var bytes = Array(upgrade.utf8)
        let get = #"{"t":"d","d":{"r":1,"a":"g","b":{"p":"/a","q":{}}}}"#
        WebSocketWriter.append(.text, Array(get.utf8), mask: 77, to: &bytes)
        #expect(socket.send(bytes))
        try turn()
        var received = 0
        for _ in 0..<1_000 where received < 3_000_000 {
            #expect(socket.receive { received += $0.count })
            try turn(1)
        }
        #expect(received > 3_000_000)
    }
}
