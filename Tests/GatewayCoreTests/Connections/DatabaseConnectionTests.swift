import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Connections whose requests name databases.
@Suite struct DatabaseConnectionTests {
    private let chat = DatabaseName("chat")!

    private func node(_ unknown: UnknownDatabases, secret: Bool = false) -> TestGateway {
        var configuration = secret ? TestSecrets.configuration : GatewayConfiguration()
        configuration.unknownDatabases = unknown
        return TestGateway(configuration)
    }

    @Test func `a client without a credential is a user where the database has rules`() {
        var node = node(.create, secret: true)
        node.turn([.hasDatabase(chat), .hasRules(true, of: chat)])
        let user = node.connect()
        node.send(TestGateway.request("/a.json?ns=chat"), by: user)
        #expect(node.identities[user] == [.anonymous] && node.entered[user] == [chat])
        let asks = node.asks
        let stranger = node.connect()
        node.send(TestGateway.request("/a.json"), by: stranger)
        #expect(node.asks == asks && node.identities[stranger] == nil)
    }

    @Test func `a session ends when a request names another database`() {
        var node = node(.create)
        let client = node.connect()
        for target in ["/a.json?ns=chat", "/a.json?ns=chat", "/a.json", "/a.json?ns=game"] {
            node.send(TestGateway.request(target), by: client)
        }
        #expect(node.entered[client]?.map(\.text) == ["chat", "game"])
        #expect(node.sessionOutputs == [.end(client), .end(client)])
    }

    @Test func `Firebase's WebSocket clients get the reason why there is no such database`() {
        var node = node(.refuse)
        let client = node.connect(to: "/.ws?v=5&ns=zoo")
        let text = node.text(client)
        #expect(text.hasPrefix("HTTP/1.1 101 "))
        #expect(text.contains(#"{"t":"c","d":{"t":"s","d":"There is no database zoo."#))
        #expect(node.closed.contains(client) && node.openSessions.isEmpty)
    }

    @Test func `native clients get the reason why there is no such database in headers`() {
        var node = node(.refuse)
        let client = node.connect(to: "/.hearth/zoo", ["Sec-WebSocket-Protocol: hearth.1"])
        let text = node.text(client)
        #expect(text.hasPrefix("HTTP/1.1 404 "))
        #expect(text.contains("Hearth-Problem: There is no database zoo.\r\n"))
        #expect(text.contains("Hearth-Fix: create it with `hearth database create`"))
    }

    @Test func `a stream ends with the reason if its database was removed, and without otherwise`()
    {
        var node = node(.create)
        let headers = ["Accept: text/event-stream"]
        let client = node.connect()
        node.send(TestGateway.request("/a.json?ns=chat", "GET", headers), by: client)
        node.turn([.lost(chat, reason: "the disk is full")])
        #expect(!node.text(client).contains("cancel"))
        let other = node.connect()
        node.send(TestGateway.request("/a.json?ns=chat", "GET", headers), by: other)
        node.turn([.removed(chat), .lost(chat, reason: "the database was removed")])
        #expect(node.text(other).contains("event: cancel\ndata: null\n\n"))
        #expect(node.closed == [client, other])
    }

    @Test func `a page of the console shows the database that its address names`() {
        var configuration = TestSecrets.configuration
        configuration.unknownDatabases = .create
        configuration.console = Console { _ in nil }
        var node = TestGateway(configuration)
        node.turn([.hasDatabase(chat), .hasRules(true, of: chat)])
        func open(_ target: String) -> SessionID {
            let page = node.connect(to: target, ["Sec-WebSocket-Protocol: console.1"])
            let window = #"{"t":"window","id":1,"path":"/a","from":0,"count":9}"#
            for text in [#"{"t":"hello"}"#, window] {
                var bytes: [UInt8] = []
                WebSocketWriter.append(.text, Array(text.utf8), mask: 7, to: &bytes)
                node.send(bytes, by: page)
            }
            return page
        }
        let page = open("/.hearth?ns=chat")
        #expect(node.entered[page] == [chat] && node.asks == 1)
        // The default database has no rules, so it is for administrators alone, and its window is refused at once.
        let other = open("/.hearth")
        #expect(node.entered[other] == nil && node.asks == 1)
        #expect(node.text(other).contains("permission_denied"))
        node.turn([.lost(chat, reason: "the disk is full")])
        #expect(node.closed == [page])
    }

    @Test func `the sessions of a database that cannot be served end, and no others`() {
        var node = node(.create)
        let streams = ["/a.json?ns=chat", "/a.json"].map { target in
            let client = node.connect()
            node.send(
                TestGateway.request(target, "GET", ["Accept: text/event-stream"]), by: client)
            return client
        }
        node.turn([.lost(chat, reason: "the disk is full")])
        #expect(node.closed == [streams[0]] && node.openSessions == [streams[1]])
    }

    @Test func `event streams receive only changes of their database`() {
        var node = node(.create)
        let names = ["chat", "game"]
        let streams = names.map { name in
            let client = node.connect()
            let target = "/a.json?ns=\(name)"
            node.send(
                TestGateway.request(target, "GET", ["Accept: text/event-stream"]), by: client)
            return client
        }
        for client in streams { _ = node.read(client) }
        node.turn(
            zip(names, streams).map { name, client in
                let writes = [Write(path: .root, value: .string(name))]
                let change = NodeMessage.change(listen: 1, writes: writes)
                return .answered(client, [SessionAnswer(change, notice: 7)])
            })
        #expect(zip(names, streams).allSatisfy { node.text($1).contains("\"data\":\"\($0)\"") })
    }

    @Test func `Firebase's WebSocket clients receive only changes of their database`() {
        var node = node(.create)
        let names = ["chat", "game"]
        let clients = names.map { name in
            let client = node.connect(to: "/.ws?v=5&ns=\(name)")
            var bytes: [UInt8] = []
            let listen = #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#
            WebSocketWriter.append(.text, Array(listen.utf8), mask: 7, to: &bytes)
            node.send(bytes, by: client)
            return client
        }
        for client in clients { _ = node.read(client) }
        node.turn(
            zip(names, clients).map { name, client in
                let writes = [Write(path: .root, value: .string(name))]
                let change = NodeMessage.change(listen: 1, writes: writes)
                return .answered(client, [SessionAnswer(change, notice: 7)])
            })
        #expect(zip(names, clients).allSatisfy { node.text($1).contains("\"d\":\"\($0)\"") })
    }
}

extension TestGateway {
    /// Connects a client that asks for a WebSocket.
    mutating func connect(
        to target: String, _ further: [String] = []
    ) -> SessionID {
        let client = connect()
        let fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        send(TestGateway.request(target, "GET", fields + further), by: client)
        return client
    }
}
