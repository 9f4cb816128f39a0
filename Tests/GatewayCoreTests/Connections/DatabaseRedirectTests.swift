import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Requests for databases that are on other nodes.
@Suite struct DatabaseRedirectTests {
    private let chat = DatabaseName("chat")!

    /// A node without the database `chat`.
    private func node(
        _ place: DatabasePlace = .elsewhere(nodes: ["n2", "n3"], epoch: 7),
        unknown: UnknownDatabases = .useDefault
    ) -> TestGateway {
        var node = TestGateway(Self.configuration(unknown: unknown))
        node.turn([.located(chat, place)])
        return node
    }

    private static func configuration(
        unknown: UnknownDatabases = .useDefault
    ) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.clientHosts = ["n1": "a.test:1", "n2": "b.test:2", "n3": "[::1]:3"]
        configuration.hosts = ["chat.db.example.com"]
        configuration.unknownDatabases = unknown
        return configuration
    }

    @Test(arguments: [
        ("/a/b.json?ns=chat", "127.0.0.1", "//b.test:2/a/b.json?ns=chat&placement=7"),
        (
            "/a%20b.json?auth=x%26y&ns=chat&placement=3&print=silent", "127.0.0.1",
            "//b.test:2/a%20b.json?auth=x%26y&ns=chat&print=silent&placement=7"
        ),
        (
            "//evil.test/.json?ns=chat", "127.0.0.1",
            "//b.test:2//evil.test/.json?ns=chat&placement=7"
        ),
        // The other node does not have this name.
        ("/a.json", "chat.db.example.com", "//b.test:2/a.json?ns=chat&placement=7"),
        ("/a.json?ns=&x=1", "chat.db.example.com", "//b.test:2/a.json?x=1&ns=chat&placement=7"),
        ("/.hearth/chat", "127.0.0.1", "//b.test:2/.hearth/chat?placement=7"),
        (
            "/.settings/rules.json?ns=chat", "127.0.0.1",
            "//b.test:2/.settings/rules.json?ns=chat&placement=7"
        ),
    ])
    func `a redirect keeps the path, the query, the database and the scheme`(
        target: String, host: String, location: String
    ) {
        var node = node()
        let answer = node.curl(target, "GET", ["Host: \(host)"])
        #expect(answer.status == 307 && answer["location"] == location)
        #expect(answer.error == "The database chat is on other nodes.")
        #expect(node.openSessions.isEmpty && node.entered.isEmpty)
    }

    @Test func `the creation of a database that exists is redirected`() {
        var node = node()
        let answer = node.curl("/.settings/databases/chat.json", "PUT")
        #expect(answer["location"] == "//b.test:2/.settings/databases/chat.json?placement=7")
    }

    @Test func `each client goes to one of the nodes, from every node that redirects it`() {
        let location = { (node: inout TestGateway) in
            node.curl("/a.json?ns=chat")["location"]?.prefix(9)
        }
        var (first, second) = (node(), node())
        #expect(Set((0..<3).map { _ in location(&first) }).count == 1)
        #expect(location(&second) == location(&first))
        // Clients of several addresses use all nodes.
        var counts: [Substring: Int] = [:]
        for number in 0..<40 {
            let client = first.connect(
                from: RemoteAddress(host: "10.0.0.\(number)", isLoopback: false))
            first.send(TestGateway.request("/a.json?ns=chat"), by: client)
            counts[first.answers(client)[0]["location"]?.prefix(9) ?? "", default: 0] += 1
        }
        #expect(counts.count == 2 && counts.values.allSatisfy { $0 > 10 })
        var third = node(.elsewhere(nodes: ["n9", "n3"], epoch: 1))
        #expect(location(&third) == "//[::1]:3")
        var lost = node(.elsewhere(nodes: ["n9"], epoch: 1))
        let answer = lost.curl("/a.json?ns=chat")
        #expect(answer.status == 503 && answer["location"] == nil)
    }

    @Test func `redirects go to the nodes that this node reaches`() {
        var node = node()
        let location = { (node: inout TestGateway) in
            node.curl("/a.json?ns=chat")["location"]?.prefix(9)
        }
        node.turn([.reaches(["n1", "n3"])])
        #expect((0..<3).map { _ in location(&node) } == ["//[::1]:3", "//[::1]:3", "//[::1]:3"])
        #expect(node.curl("/.hearth/chat")["location"] == "//[::1]:3/.hearth/chat?placement=7")
        let socket = node.openSocket(at: "/.ws?v=5&ns=chat")
        let page = node.connect()
        node.send(TestGateway.request("/.lp?start=t&ser=1&cb=4&v=5&ns=chat"), by: page)
        node.wait(100)
        for client in [socket, page] {
            #expect(node.text(client).contains(#"{"t":"r","d":"[::1]:3"}"#))
        }
        // Clients may reach more than this node does.
        node.turn([.reaches(["n1"])])
        #expect(Set((0..<2).map { _ in location(&node) }) == ["//b.test:"])
    }

    @Test func `a connection is used again after a redirect`() {
        var node = node()
        let client = node.connect()
        node.send(TestGateway.request("/a.json?ns=chat", "PUT", body: "1"), by: client)
        node.send(TestGateway.request("/a.json", "PUT", body: "2"), by: client)
        #expect(node.answers(client).map(\.status) == [307, 200] && node.closed.isEmpty)
    }

    @Test(arguments: [
        (["Content-Length: 9", "Expect: 100-continue"], ""), (["Transfer-Encoding: chunked"], "5"),
        (["Content-Length: 9000000"], "\"aaa"),
    ])
    func `a redirect does not wait for a large body, or for one that the client holds back`(
        fields: [String], beginning: String
    ) {
        var node = node()
        let client = node.connect()
        node.send(TestGateway.request("/a.json?ns=chat", "PUT", fields) + beginning, by: client)
        let text = node.text(client)
        #expect(text.hasPrefix("HTTP/1.1 307 ") && text.contains("Connection: close"))
        #expect(node.closed == [client])
    }

    @Test func `pages may read a redirect, and foreign pages get none`() {
        var node = node()
        let answer = node.curl("/a.json?ns=chat", "GET", ["Origin: http://localhost:3000"])
        #expect(answer.status == 307)
        #expect(answer["access-control-allow-origin"] == "http://localhost:3000")
        #expect(node.curl("/a.json?ns=chat", "GET", ["Origin: http://evil.test"]).status == 403)
        #expect(node.curl("/a.json?ns=chat", "GET", ["Host: evil.test"]).status == 421)
        let preflight = node.curl("/a.json?ns=chat", "OPTIONS", ["Origin: http://localhost:3000"])
        #expect(preflight.status == 204)
    }

    @Test func `a node that knows less than the redirecting one sends nobody back`() {
        var node = node()
        #expect(node.curl("/a.json?ns=chat&placement=6").status == 307)
        #expect(node.curl("/a.json?ns=chat&placement=7").status == 307)
        for target in ["/a.json?ns=chat&placement=8", "/.hearth/chat?placement=8"] {
            let answer = node.curl(target)
            #expect(answer.status == 503 && answer["retry-after"] == "1")
            #expect(answer["location"] == nil)
        }
    }

    @Test(arguments: UnknownDatabases.allCases)
    func `a node does not create a database to which another node redirects`(
        unknown: UnknownDatabases
    ) {
        var node = node(unknown: unknown)
        for target in ["/a.json?ns=zoo&placement=1", "/.hearth/zoo?placement=1"] {
            #expect(node.curl(target).status == 503)
        }
        #expect(node.openSessions.isEmpty)
    }

    @Test func `a database that was placed twice is refused until one placement holds`() {
        var node = node()
        let placement = DatabasePlacement(epoch: 3, nodes: ["n2"])
        let rival = DatabasePlacement(epoch: 3, nodes: ["n3"])
        node.turn([
            .placed(chat, placement, isCopied: false), .members(["n1", "n2"], evicted: ["n2"]),
            .contested(chat, by: rival), .kept([KeptDatabase("chat-1-x", of: chat, bytes: 7)]),
        ])
        let answer = node.curl("/a.json?ns=chat")
        #expect(answer.status == 503 && answer["retry-after"] == "1")
        #expect(answer.error == "The database chat was placed twice, on different nodes.")
        let knowledge = node.curl("/.settings/databases/chat.json").body
        #expect(knowledge.contains(#""rival":{"epoch":3,"nodes":{"n3":true}}"#))
        #expect(knowledge.contains(#""evicted":{"n2":true}"#))
        #expect(knowledge.contains(#""members":{"n1":true,"n2":true}"#))
        let metrics = node.curl("/metrics").body
        #expect(metrics.contains("hearth_contested_databases 1\n"))
        #expect(metrics.contains("hearth_kept_database_bytes 7\n"))
        let list = node.curl("/.inspect/databases.json").body
        #expect(list.contains(#""kept":{"chat-1-x":7}"#) && list.contains(#""rival":{"epoch":3"#))
        node.turn([
            .placed(chat, DatabasePlacement(epoch: 5, nodes: ["n1"]), isCopied: false),
            .located(chat, .here),
        ])
        #expect(node.curl("/a.json?ns=chat").status == 200)
    }

    @Test func `a database that moves is refused for a moment`() {
        var node = node(.moving)
        let answer = node.curl("/a.json?ns=chat")
        #expect(answer.status == 503 && answer["retry-after"] == "1")
        #expect(answer.error == "The database chat moves to other nodes.")
        let client = node.openSocket(at: "/.ws?v=5&ns=chat")
        node.wait(100)
        let text = node.text(client)
        #expect(text.hasPrefix("HTTP/1.1 101 ") && text.contains("chat moves to other nodes"))
        #expect(!text.contains(#""t":"c""#) && node.closed == [client])
        node.turn([.located(chat, .here)])
        #expect(node.curl("/a.json?ns=chat").status == 200)
    }

    @Test func `requests about the node are not redirected`() {
        var node = node()
        for target in ["/health?ns=chat", "/metrics?ns=chat"] {
            #expect(node.curl(target).status == 200)
        }
        #expect(node.curl("/.inspect/databases.json?ns=chat").status == 200)
        #expect(node.entered.isEmpty)
    }

    @Test func `Firebase's WebSocket clients are redirected at most ten times a second`() {
        var node = node()
        let client = node.openSocket(at: "/.ws?v=5&ns=chat")
        node.wait(98)
        #expect(node.text(client).isEmpty)
        node.wait(2)
        #expect(node.text(client).contains(#"{"t":"c","d":{"t":"r","d":"b.test:2"}}"#))
        #expect(node.closed == [client] && node.openSessions.isEmpty)
        #expect(node.curl("/metrics").body.contains("hearth_denied_total 0"))
    }

    @Test func `a page with long polls is redirected as it begins a session`() {
        var node = node()
        let client = node.connect()
        node.send(TestGateway.request("/.lp?start=t&ser=1&cb=4&v=5&ns=chat"), by: client)
        node.wait(100)
        let text = node.text(client)
        #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("pLPCommand4"))
        #expect(
            text.contains(
                "pLPCommand(\"start\",\"elsewhere\",\"elsewhere\");\n"
                    + #"pRTLPCB(0,[{"t":"c","d":{"t":"r","d":"b.test:2"}}]);"#))
        let poll = node.curl("/.lp?id=elsewhere&pw=elsewhere&ser=2&ns=chat")
        #expect(poll.body == "pLPCommand(\"close\");\n")
    }
}

/// Open sessions of a database that leaves a node.
@Suite struct DatabaseDepartureTests {
    private let chat = DatabaseName("chat")!
    private let away = DatabasePlace.elsewhere(nodes: ["n2", "n3"], epoch: 7)

    private func node() -> TestGateway {
        var configuration = GatewayConfiguration()
        configuration.clientHosts = ["n2": "b.test:2", "n3": "c.test:3"]
        configuration.unknownDatabases = .create
        return TestGateway(configuration)
    }

    @Test func `sessions of Firebase's protocol go to a node of the database, and others stay`() {
        var node = node()
        let clients = ["chat", "chat", "game"].map { node.openSocket(at: "/.ws?v=5&ns=\($0)") }
        for client in clients { _ = node.read(client) }
        node.turn([.located(chat, away)])
        let texts = clients.map { node.text($0) }
        #expect(texts[0].contains(#"{"t":"r","d":"b.test:2"}"#))
        // A client of one address goes to one node.
        #expect(texts[1].contains(#"{"t":"r","d":"b.test:2"}"#) && texts[2].isEmpty)
        #expect(node.openSessions == [clients[2]] && node.closed == Set(clients[..<2]))
        // Nothing changes for a place that is known.
        node.turn([.located(chat, away)])
        #expect(node.closed == Set(clients[..<2]))
    }

    @Test func `sessions end without a redirect while the database moves`() {
        var node = node()
        let socket = node.openSocket(at: "/.ws?v=5&ns=chat")
        let native = node.openSocket(at: "/.hearth/chat", ["Sec-WebSocket-Protocol: hearth.1"])
        let stream = node.connect()
        node.send(
            TestGateway.request("/a.json?ns=chat", "GET", ["Accept: text/event-stream"]),
            by: stream)
        _ = node.read(socket)
        node.turn([.located(chat, .moving)])
        #expect(node.closed == [socket, native, stream] && node.openSessions.isEmpty)
        let text = node.text(socket)
        #expect(text.contains("moves to other nodes") && !text.contains(#""t":"r""#))
    }

    @Test func `a session with long polls is redirected by its poll`() {
        var rig = PollRig(Self.polls)
        let client = rig.start()
        let poll = rig.poll(client)
        _ = rig.node.read(poll)
        let held = rig.poll(client)
        rig.node.turn([.located(DatabaseName("x")!, away)])
        #expect(rig.node.text(held).contains(#"{"t":"r","d":"b.test:2"}"#))
        #expect(rig.node.openSessions.isEmpty)
    }

    private static var polls: GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.clientHosts = ["n2": "b.test:2"]
        configuration.unknownDatabases = .create
        return configuration
    }

    /// Sends requests to a gateway whose replica does not answer, and returns the texts of its answers once the database moves.
    private func answers(to requests: [String]) -> [String] {
        var gateway = Gateway(Self.polls)
        _ = gateway.step(.turnBegan(Moment(wallMilliseconds: 1, elapsedMilliseconds: 1)))
        _ = gateway.step(.became(.serving))
        for (index, request) in requests.enumerated() {
            let id = SessionID(number: UInt64(index + 1))
            _ = gateway.step(
                .opened(id, from: RemoteAddress(host: "127.0.0.1", isLoopback: true)))
            _ = gateway.step(.received(id, Array(request.utf8)))
        }
        let outputs = gateway.step(.located(chat, away))
        let later = (1...requests.count).flatMap {
            gateway.step(.received(SessionID(number: UInt64($0)), Array("1".utf8)))
        }
        var texts = [String](repeating: "", count: requests.count)
        for case .send(let id, let bytes) in outputs + later {
            texts[Int(id.number) - 1] += String(decoding: bytes, as: UTF8.self)
        }
        return texts
    }

    @Test func `waiting requests are answered, and no client repeats a write unseen`() {
        let texts = answers(to: [
            TestGateway.request("/a.json?ns=chat"),
            TestGateway.request("/a.json?ns=chat", "POST", body: "1"),
            TestGateway.request("/a.json?ns=chat", "PUT", ["Content-Length: 1"]),
            TestGateway.request("/a.json", "POST", body: "1"),
        ])
        #expect(texts.map { $0.prefix(12).suffix(3) } == ["503", "504", "503", ""])
        #expect(texts[0].contains("Retry-After: 1") && !texts[1].contains("Retry-After"))
    }
}

extension TestGateway {
    /// Connects a client that asks for a WebSocket.
    fileprivate mutating func openSocket(at target: String, _ further: [String] = []) -> SessionID {
        let client = connect()
        let fields = [
            "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        send(TestGateway.request(target, "GET", fields + further), by: client)
        return client
    }
}
