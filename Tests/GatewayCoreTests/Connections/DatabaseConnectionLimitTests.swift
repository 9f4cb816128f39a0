import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// How many lasting connections a database may have.
@Suite struct DatabaseConnectionLimitTests {
    private static let chat = DatabaseName("chat")!
    private static let problem = "Too many connections: the database permits 1."

    /// A node whose database `chat` may have one connection.
    private func node() -> TestGateway {
        var configuration = GatewayConfiguration()
        configuration.unknownDatabases = .create
        configuration.databaseLimits.configured[Self.chat] = DatabaseLimits()
        configuration.databaseLimits.configured[Self.chat]?[.connections] = 1
        return TestGateway(configuration)
    }

    private static let native = ["Sec-WebSocket-Protocol: hearth.1"]

    private func stream(_ node: inout TestGateway, of database: String = "chat") -> SessionID {
        let client = node.connect()
        let target = "/a.json?ns=\(database)"
        node.send(TestGateway.request(target, "GET", ["Accept: text/event-stream"]), by: client)
        return client
    }

    @Test func `a stream above the limit is refused, and requests are not`() throws {
        var node = node()
        let first = stream(&node)
        #expect(node.text(first).hasPrefix("HTTP/1.1 200 "))
        let second = node.text(stream(&node))
        #expect(second.hasPrefix("HTTP/1.1 429 ") && second.contains("Retry-After: 1\r\n"))
        #expect(second.contains(Self.problem))
        #expect(node.curl("/a.json?ns=chat").status == 200)
        #expect(node.text(stream(&node, of: "game")).hasPrefix("HTTP/1.1 200 "))
        node.turn([.closed(first)])
        #expect(node.text(stream(&node)).hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `all kinds of connections share the limit`() {
        var node = node()
        let native = node.connect(to: "/.hearth/chat", Self.native)
        #expect(node.text(native).hasPrefix("HTTP/1.1 101 "))
        #expect(node.text(stream(&node)).hasPrefix("HTTP/1.1 429 "))
        let another = node.connect(to: "/.hearth/chat", Self.native)
        #expect(node.text(another).hasPrefix("HTTP/1.1 429 "))
        let poll = node.curl("/.lp?start=t&ser=1&cb=1&v=5&ns=chat")
        #expect(poll.status == 429)
        node.turn([.closed(native)])
        #expect(node.curl("/.lp?start=t&ser=1&cb=1&v=5&ns=chat").status == 200)
        #expect(node.text(stream(&node)).hasPrefix("HTTP/1.1 429 "))
    }

    @Test func `Firebase's clients log the reason, and connect again later`() {
        var node = node()
        let first = node.connect(to: "/.ws?v=5&ns=chat")
        #expect(node.text(first).contains(#""t":"h""#))
        let second = node.connect(to: "/.ws?v=5&ns=chat")
        let text = node.text(second)
        #expect(text.hasPrefix("HTTP/1.1 101 "))
        #expect(text.contains(#"{"t":"c","d":{"t":"e","d":"\#(Self.problem)"#))
        #expect(!text.contains(#""t":"s""#))
        #expect(node.closed == [second])
    }

    @Test func `the catalog changes the limit, and connections stay`() {
        var node = node()
        _ = stream(&node)
        var limits = DatabaseLimits()
        limits[.connections] = 2
        node.turn([.limits(Self.chat, limits)])
        let second = stream(&node)
        #expect(node.text(second).hasPrefix("HTTP/1.1 200 "))
        #expect(node.text(stream(&node)).hasPrefix("HTTP/1.1 429 "))
        node.turn([.limits(Self.chat, DatabaseLimits())])
        #expect(node.text(stream(&node)).hasPrefix("HTTP/1.1 429 "))
        #expect(!node.closed.contains(second))
    }

    @Test func `the list counts connections and refusals`() {
        var node = node()
        node.uses = [DatabaseUse(Self.chat, .awake, dataBytes: 7)]
        _ = stream(&node)
        _ = stream(&node)
        #expect(
            node.curl("/.inspect/databases.json").body
                == #"[{"connections":1,"dataBytes":7,"limits":{"connections":1},"name":"chat","#
                + #""refusals":{"connections":1},"state":"awake"}]"# + "\n")
    }

    @Test func `the list says which sizes are not exact`() {
        var node = node()
        node.uses = [DatabaseUse(Self.chat, .awake, dataBytes: 7, isEstimate: true)]
        #expect(node.curl("/.inspect/databases.json").body.contains(#""isEstimate":true"#))
    }

    @Test func `the list shows the nodes of databases, also of those that are elsewhere`() {
        var node = node()
        node.uses = [DatabaseUse(Self.chat, .awake, dataBytes: 7)]
        let game = DatabaseName("game")!
        node.turn([
            .placed(
                Self.chat, DatabasePlacement(epoch: 2, movingFrom: ["n1"], to: ["n2"]),
                isCopied: false),
            .placed(game, DatabasePlacement(epoch: 1, nodes: ["n2"]), isCopied: false),
            .located(game, .elsewhere(nodes: ["n2"], epoch: 1)),
        ])
        let list = node.curl("/.inspect/databases.json").body
        #expect(
            list.contains(
                #""moving":{"from":{"n1":true},"to":{"n2":true}},"name":"chat","#
                    + #""nodes":{"n1":true,"n2":true},"state":"awake"}"#), "\(list)")
        #expect(
            list.contains(
                #"{"epoch":1,"name":"game","nodes":{"n2":true},"state":"elsewhere"}"#), "\(list)")
        node.turn([.removed(game)])
        #expect(!node.curl("/.inspect/databases.json").body.contains("game"))
    }

    @Test func `a session that changes from polls to a WebSocket counts once`() {
        var rig = PollRig()
        rig.node.uses = [DatabaseUse(.default, .awake, dataBytes: 0)]
        func count() -> Bool {
            rig.node.curl("/.inspect/databases.json").body.contains(#""connections":1"#)
        }
        var client = rig.start()
        _ = rig.poll(client)
        let socket = rig.connect("s=\(client.name)")
        #expect(count())
        rig.send(#"{"t":"c","d":{"t":"a","d":{}}}"#, on: socket)
        _ = rig.upload(#"{"t":"c","d":{"t":"n","d":{}}}"#, by: &client)
        #expect(count())
        rig.node.turn([.closed(socket)])
        #expect(!count())
    }
}

@Suite struct DatabaseRowTests {
    @Test func `the largest databases have rows of their own, and the others one together`() {
        let rows = DatabaseRow.rows(
            (0..<60).map { number in
                DatabaseRow(
                    name: "d\(100 + number)", isAwake: number % 2, dataBytes: number, operations: 1,
                    connections: 2, refusals: [.connections: 1])
            })
        #expect(rows.count == 51)
        #expect(rows.first?.name == "d110" && rows[49].name == "d159")
        #expect(
            rows.last
                == DatabaseRow(
                    name: "_other", isAwake: 5, dataBytes: 45, operations: 10, connections: 20,
                    refusals: [.connections: 10]))
        #expect(DatabaseRow.rows(Array(rows.prefix(50))).count == 50)
    }
}
