import DataTree
import HTTPText
import JSONText
import Rules
import SyncProtocol
import Testing

@testable import GatewayCore

/// The feed of a page of the console, over a gateway with a replica.
@Suite struct ConsoleFeedTests {
    private var node = TestGateway()

    private static let upgrade = [
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: console.1",
    ]

    private mutating func connect(token: String? = nil) -> SessionID {
        let id = node.connect()
        node.send(TestGateway.request("/.hearth", "GET", Self.upgrade), by: id)
        send("{\"t\":\"hello\"\(token.map { ",\"token\":\"\($0)\"" } ?? "")}", by: id)
        return id
    }

    private mutating func send(_ text: String, by id: SessionID) {
        var bytes: [UInt8] = []
        WebSocketWriter.append(.text, Array(text.utf8), mask: 0x1234_5678, to: &bytes)
        node.send(bytes, by: id)
    }

    /// Removes and returns the messages that a page got.
    private mutating func messages(_ id: SessionID) -> [String] {
        var bytes = node.read(id)
        if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)), bytes.starts(with: "HTTP".utf8) {
            bytes.removeSubrange(..<end.upperBound)
        }
        var reader = WebSocketReader(isMasked: false, messageLimit: 1 << 24)
        var messages: [String] = []
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = reader.next(in: &rest) {
                if case .text(let text) = event {
                    messages.append(String(decoding: text, as: UTF8.self))
                } else {
                    messages.append("\(event)")
                }
            }
        }
        return messages
    }

    private mutating func put(_ json: String, at path: String) {
        let secret = node.curl("\(path)?auth=alpha-secret", "PUT", body: json)
        #expect(secret.status == 200)
    }

    private static let window = #"{"t":"window","id":1,"path":"/a","from":0,"count":9}"#

    @Test mutating func `a page learns its identity first`() {
        let id = connect()
        #expect(messages(id).map { $0.hasPrefix(#"{"t":"ready""#) } == [true])
    }

    @Test mutating func `a window shows rows at once and changes within a tenth of a second`() {
        put(#"{"x":1}"#, at: "/a.json")
        let id = connect()
        _ = messages(id)
        send(Self.window, by: id)
        #expect(messages(id).map { $0.contains(#"["x","number","1",0]"#) } == [true])
        put("2", at: "/a/y.json")
        #expect(messages(id) == [])
        node.wait(100)
        #expect(messages(id).map { $0.contains(#""rows":[0,["y","number","2",0]]"#) } == [true])
    }

    @Test mutating func `a long list is read from an index of the replica`() {
        let children = (0...ConsoleList.sortLimit).map { "\"k\($0)\":\(-$0)" }
        put("{\(children.joined(separator: ","))}", at: "/a.json")
        let id = connect()
        _ = messages(id)
        send(#"{"t":"window","id":1,"path":"/a","from":1,"count":2,"order":"value"}"#, by: id)
        let rows = #""rows":[["k4999","number","-4999",0],["k4998","number","-4998",0]]"#
        #expect(messages(id).map { $0.contains(rows) && $0.contains(#""total":5001"#) } == [true])
        put("-4998.5", at: "/a/new.json")
        node.wait(500)
        let changed = #""from":1,"total":5002"#
        let next = messages(id)
        #expect(next.map { $0.contains(changed) } == [true])
        #expect(next.first?.contains(#""rows":[0,["new","number","-4998.5",0]]"#) == true)
    }

    @Test mutating func `changes of a tenth of a second arrive as one message`() {
        let id = connect()
        send(Self.window, by: id)
        node.wait(100)
        _ = messages(id)
        for index in 0..<20 { put("\(index)", at: "/a/x.json") }
        node.wait(100)
        #expect(messages(id).map { $0.contains(#"["x","number","19",0]"#) } == [true])
    }

    @Test func `a window has one request at a time`() throws {
        let reader = JSONReader()
        func moment(_ milliseconds: UInt64) -> Moment {
            Moment(wallMilliseconds: 0, elapsedMilliseconds: milliseconds)
        }
        var authentication = Authentication()
        var session = ConsoleSession(
            nil, as: authentication.initial, isEmulator: false, at: moment(0))
        func send(_ text: String) -> [ConsoleEffect] {
            session.receive(
                Array(text.utf8), by: reader, at: moment(0), with: &authentication)
        }
        _ = send(#"{"t":"hello"}"#)
        let opened = send(Self.window)
        guard case .ask(let asked)? = opened.first else {
            Issue.record("a window asks at once")
            return
        }
        #expect(session.refresh(at: moment(5_000), with: authentication) == [])
        let answer = SessionAnswer(.value(id: asked[0].id, value: .null))
        _ = session.process([answer], at: moment(5_000), with: authentication)
        #expect(session.refresh(at: moment(5_099), with: authentication) == [])
        #expect(session.refresh(at: moment(5_100), with: authentication).count == 1)
    }

    @Test mutating func `a page that does not read asks for nothing`() {
        let id = connect()
        send(Self.window, by: id)
        node.stopped.insert(id)
        node.turn([.backpressured(id)])
        let asks = node.asks
        node.wait(1_000)
        #expect(node.asks == asks)
        node.resume(id)
        node.wait(100)
        #expect(node.asks > asks)
    }

    @Test mutating func `a node without a console wakes for none`() {
        let id = connect()
        node.wait(100)
        #expect(node.wakes == [])
        send(Self.window, by: id)
        #expect(node.wakes == [100])
        send(#"{"t":"close","id":1}"#, by: id)
        node.wait(100)
        let asks = node.asks
        node.wait(100)
        #expect(node.asks == asks)
    }

    @Test func `the feed makes connections of other clients no larger`() {
        #expect(MemoryLayout<ConsoleConnection>.size <= MemoryLayout<RealtimeConnection>.size)
    }

    @Test mutating func `a page has a bounded number of windows`() {
        let id = connect()
        for number in 0...ConsoleSession.windowLimit {
            send("{\"t\":\"window\",\"id\":\(number),\"path\":\"/a\"}", by: id)
        }
        let refused = messages(id).filter { $0.contains(#""t":"refused""#) }
        #expect(refused.count == 1)
        #expect(refused.first?.contains("\"id\":\(ConsoleSession.windowLimit)") == true)
    }

    private static let unusable = [
        "x", "[]", #"{"t":"other"}"#, #"{"t":"window","path":"/a"}"#,
        #"{"t":"window","id":1,"path":"/a.b"}"#, #"{"t":"window","id":1,"path":"/a","order":"x"}"#,
        #"{"t":"window","id":1,"path":"/a","key":"$"}"#,
    ]

    @Test(arguments: unusable)
    mutating func `an unusable message ends the feed`(text: String) {
        let id = connect()
        send(text, by: id)
        #expect(node.closed.contains(id))
    }

    @Test mutating func `a page that sends no greeting is disconnected`() {
        let id = node.connect()
        node.send(TestGateway.request("/.hearth", "GET", Self.upgrade), by: id)
        node.wait(ConsoleSession.greetingMilliseconds - 1_000)
        #expect(!node.closed.contains(id))
        node.wait(2_000)
        #expect(node.closed.contains(id))
    }

    @Test mutating func `a request before the greeting is ignored`() {
        let id = node.connect()
        node.send(TestGateway.request("/.hearth", "GET", Self.upgrade), by: id)
        send(Self.window, by: id)
        #expect(node.asks == 0)
    }

    @Test mutating func `a status arrives each second while it is wanted`() {
        let id = connect()
        send(#"{"t":"status"}"#, by: id)
        for _ in 0..<25 { node.wait(100) }
        let statuses = messages(id).filter { $0.hasPrefix(#"{"t":"status","status":{"#) }
        #expect((2...3).contains(statuses.count))
        send(#"{"t":"status","on":false}"#, by: id)
        for _ in 0..<25 { node.wait(100) }
        #expect(messages(id) == [])
    }

    private static let peerStatus = Value.object(named: [("lag", .integer(3))])

    @Test mutating func `a status has those of the other nodes, as this node knows them`() {
        node.peers = [PeerReport(of: "n2", Self.peerStatus, ageMilliseconds: 70)]
        let id = connect()
        _ = messages(id)
        send(#"{"t":"status"}"#, by: id)
        let text = messages(id).joined()
        #expect(text.hasSuffix(#","peers":{"n2":{"age":70,"status":{"lag":3}}}}"#), "\(text)")
    }

    @Test mutating func `the other nodes are asked for administrators and monitors alone`() {
        useTokens()
        node.peers = [PeerReport(of: "n2", Self.peerStatus, ageMilliseconds: 70)]
        for (token, isShown) in [
            (TestTokens.token("ada"), false), (TestSecrets.monitor, true),
        ] {
            let id = connect(token: token)
            send(#"{"t":"status"}"#, by: id)
            #expect(messages(id).joined().contains("peers") == isShown)
        }
    }

    @Test mutating func `a question about a location waits for the log`() {
        put("1", at: "/a.json")
        let id = connect()
        send(#"{"t":"why","id":7,"path":"/a"}"#, by: id)
        node.wait(100)
        #expect(
            messages(id).count == 1, "a node without a disk reads no log, and so answers nothing")
    }
}

// MARK: - Events and verdicts

extension ConsoleFeedTests {
    private static let path = Path([Key(unchecked: "a")])

    private func report(_ operations: [(path: String, sequence: Int)]) -> Value {
        var report = LocationReport()
        report.operations = operations.map { path, sequence in
            var write = LocatedOperation.LocatedWrite()
            (write.path, write.kind, write.text) = (path, "value", "1")
            var operation = LocatedOperation()
            (operation.origin, operation.sequence, operation.writes) = ("1v", sequence, [write])
            operation.milliseconds = sequence
            return operation
        }
        return report.value
    }

    @Test func `events begin with what the node holds and go on after what was read`() throws {
        var events = ConsoleEvents(id: 4, path: Self.path, at: 0)
        #expect(events.next(1) == .hello(id: 1, seen: VersionVector()))
        let origin = WriterID(bits: UInt64("1v", radix: 32)!)
        var held = VersionVector()
        held[origin] = 6
        events.begin(after: held, at: 100)
        #expect(!events.isDue(at: 599) && events.isDue(at: 600))
        #expect(events.next(2) == .why(id: 2, path: .root, beyond: held))
        let text = events.append(report([("/a/x", 7), ("/b", 8), ("/", 9)]), at: 600)
        let message = String(decoding: try #require(text), as: UTF8.self)
        #expect(message.hasPrefix(#"{"t":"events","id":4,"left":0,"skipped":false,"report":{"#))
        #expect(message.contains(#""/a/x""#) && !message.contains(#""/b""#))
        held[origin] = 9
        #expect(events.next(3) == .why(id: 3, path: .root, beyond: held))
        #expect(events.append(report([]), at: 1_200) == nil)
    }

    @Test func `a message has the last operations and the number of the others`() throws {
        var events = ConsoleEvents(id: 4, path: .root, at: 0)
        events.begin(after: VersionVector(), at: 0)
        _ = events.next(1)
        let text = events.append(report((1...40).map { ("/k\($0)", $0) }), at: 0)
        let message = String(decoding: try #require(text), as: UTF8.self)
        #expect(message.contains(#""left":15"#))
        #expect(message.contains(#""/k40""#) && !message.contains(#""/k15""#))
    }

    @Test mutating func `a page asks what the rules say of an operation`() {
        let id = connect()
        _ = messages(id)
        send(#"{"t":"explain","id":4,"statement":"read /a as none"}"#, by: id)
        #expect(messages(id).map { $0.hasPrefix(#"{"t":"explained","id":4,"#) } == [true])
        send(
            #"{"t":"explain","id":5,"statement":"read /a as none","source":"{\"rules\":{}}"}"#,
            by: id)
        #expect(messages(id).map { $0.contains("no .read stands at or above /a") } == [true])
    }

    @Test mutating func `events and verdicts are for administrators`() {
        useTokens()
        let id = connect(token: TestTokens.token("ada"))
        _ = messages(id)
        send(#"{"t":"explain","id":3,"statement":"read /a as none"}"#, by: id)
        #expect(messages(id).map { $0.hasPrefix(#"{"t":"refused","id":3,"#) } == [true])
        send(#"{"t":"events","id":5,"path":"/"}"#, by: id)
        for _ in 0..<20 { node.wait(100) }
        #expect(messages(id).map { $0.hasPrefix(#"{"t":"refused","id":5,"#) } == [true])
    }
}

// MARK: - Users

extension ConsoleFeedTests {
    private mutating func useTokens() {
        node = TestGateway(TestTokens.configuration)
        put(#"{"rules":{"open":{".read":"auth != null"}}}"#, at: "/.settings/rules.json")
        put(#"{"open":{"x":1},"closed":{"x":2}}"#, at: "/.json")
    }

    private func window(_ path: String) -> String {
        "{\"t\":\"window\",\"id\":1,\"path\":\"\(path)\",\"count\":9}"
    }

    @Test(arguments: [("/open", true), ("/closed", false), ("/", false)])
    mutating func `a user sees what the rules permit`(path: String, isShown: Bool) {
        useTokens()
        let id = connect(token: TestTokens.token("ada"))
        #expect(messages(id).allSatisfy { $0.contains(#""uid":"ada""#) })
        send(window(path), by: id)
        let answer = messages(id).joined()
        #expect(answer.contains(#"["x","number""#) == isShown)
        #expect(answer.contains(#""code":"permission_denied""#) == !isShown)
    }

    @Test mutating func `a wrong token is refused after a moment, and shows nothing`() {
        useTokens()
        let id = connect(token: "wrong")
        #expect(messages(id) == [])
        node.wait(DelayedRefusals.delayMilliseconds)
        #expect(messages(id).map { $0.hasPrefix(#"{"t":"denied""#) } == [true])
        let asks = node.asks
        send(window("/open"), by: id)
        #expect(node.asks == asks)
        #expect(messages(id) == [])
    }

    @Test mutating func `a second wrong token at once ends the feed`() {
        useTokens()
        let id = connect(token: "wrong")
        send(#"{"t":"hello","token":"other"}"#, by: id)
        #expect(node.closed.contains(id))
    }

    @Test mutating func `a page that signs out loses its windows`() {
        useTokens()
        let id = connect(token: TestTokens.token("ada"))
        send(window("/open"), by: id)
        _ = messages(id)
        send(#"{"t":"hello"}"#, by: id)
        _ = messages(id)
        put("5", at: "/open/x.json")
        node.wait(1_000)
        #expect(messages(id) == [])
        send(window("/open"), by: id)
        #expect(messages(id).joined().contains("permission_denied"))
    }

    @Test mutating func `a token that expires ends the windows of its user`() {
        useTokens()
        let id = connect(token: TestTokens.token("ada", seconds: 2))
        send(window("/open"), by: id)
        _ = messages(id)
        // A token holds for a minute more than it says, as clocks differ.
        node.wait(63_000)
        let told = messages(id)
        #expect(told.contains { $0.hasPrefix(#"{"t":"denied""#) })
        put("5", at: "/open/x.json")
        node.wait(1_000)
        #expect(messages(id) == [])
    }

    @Test mutating func `new rules end what they no longer permit`() {
        useTokens()
        let id = connect(token: TestTokens.token("ada"))
        send(window("/open"), by: id)
        _ = messages(id)
        put(#"{"rules":{}}"#, at: "/.settings/rules.json")
        node.wait(100)
        #expect(messages(id).joined().contains("permission_denied"))
    }

    @Test(arguments: [(false, false), (true, true)])
    mutating func `only signed-in users see the names of nodes`(
        isSignedIn: Bool, isShown: Bool
    ) {
        var configuration = TestTokens.configuration
        configuration.console = Console { _ in nil }
        configuration.console!.node = "amethyst"
        configuration.console!.cluster = "opal"
        configuration.console!.nodes = [
            ConsoleNode(name: "beryl", address: "", page: "http://jade:1")
        ]
        node = TestGateway(configuration)
        let id = connect(token: isSignedIn ? TestTokens.token("ada") : nil)
        let ready = messages(id).joined()
        for word in ["amethyst", "opal", "beryl", "jade"] {
            #expect(ready.contains(word) == isShown)
        }
    }

    @Test mutating func `a monitor gets the status, and no data`() {
        useTokens()
        let id = connect(token: TestSecrets.monitor)
        #expect(messages(id).joined().contains(#""user":"monitor""#))
        send(#"{"t":"status","on":true}"#, by: id)
        #expect(messages(id).joined().contains(#""member":"n1""#))
        send(window("/open"), by: id)
        #expect(messages(id).joined().contains(#""code":"permission_denied""#))
    }

    @Test mutating func `a user gets no status`() {
        useTokens()
        let id = connect(token: TestTokens.token("ada"))
        _ = messages(id)
        send(#"{"t":"status"}"#, by: id)
        #expect(messages(id) == [#"{"t":"status","status":null}"#])
    }
}
