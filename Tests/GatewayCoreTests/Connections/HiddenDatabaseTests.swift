import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Names of databases, which only administrators learn, and databases, which only they create by a name.
@Suite struct HiddenDatabaseTests: RealtimeConnecting {
    var node = TestGateway()
    private let chat = DatabaseName("chat")!
    private let zoo = DatabaseName("zoo")!
    private static let administrator = "Authorization: Bearer alpha-secret"

    private func node(
        _ unknown: UnknownDatabases,
        _ configuration: GatewayConfiguration = TestTokens.configuration
    ) -> TestGateway {
        var configuration = configuration
        configuration.unknownDatabases = unknown
        var node = TestGateway(configuration)
        node.turn([.hasDatabase(chat)])
        return node
    }

    /// The answer after a tenth of a second, with the milliseconds before it.
    private func answer(
        _ node: inout TestGateway, _ target: String, _ method: String = "GET",
        _ fields: [String] = [], body: String? = nil
    ) -> (text: String, isDelayed: Bool) {
        let client = node.connect()
        node.send(TestGateway.request(target, method, fields, body: body), by: client)
        let soon = node.text(client)
        if soon.isEmpty { node.wait(DelayedRefusals.delayMilliseconds) }
        let text = soon + node.text(client)
        // A connection goes on after the refusal.
        if !node.closed.contains(client) {
            node.send(TestGateway.request("/health"), by: client)
            #expect(node.text(client).hasPrefix("HTTP/1.1 200 "))
        }
        node.turn([.closed(client)])
        return (text, soon.isEmpty)
    }

    @Test(arguments: [UnknownDatabases.refuse, .create])
    func `a client without a credential cannot tell an absent database from one that refuses it`(
        unknown: UnknownDatabases
    ) {
        for configuration in [TestTokens.configuration, TestSecrets.configuration] {
            for (method, fields, body) in [
                ("GET", [], nil), ("PUT", [], "1"), ("GET", ["Accept: text/event-stream"], nil),
                ("DELETE", [], nil), ("POST", [], "not JSON"), ("BREW", [], nil),
            ] as [(String, [String], String?)] {
                var node = node(unknown, configuration)
                let targets = ["chat", "zoo"].map { "/a.json?ns=\($0)" }
                let answers = targets.map { answer(&node, $0, method, fields, body: body) }
                #expect(answers[0] == answers[1], "\(method)")
                #expect(node.entered.values.allSatisfy { $0 == [chat] })
            }
            var node = node(unknown, configuration)
            let invalid = ["chat", "zoo"].map { answer(&node, "/a.json?ns=\($0)&orderBy=x").text }
            #expect(invalid[0] == invalid[1])
            let changes = ["chat", "zoo"].map {
                answer(&node, "/.settings/databases/\($0).json", "DELETE").text
            }
            #expect(changes[0] == changes[1])
            #expect(changes[0].hasPrefix("HTTP/1.1 401 "), "\(changes)")
        }
    }

    @Test func `an administrator learns that there is no such database, and the log names it`() {
        var node = node(.refuse)
        #expect(node.curl("/a.json?ns=zoo", "GET", [Self.administrator]).status == 404)
        _ = answer(&node, "/a.json?ns=zoo")
        #expect(node.refusals.map(\.problem) == ["there is no database zoo"])
        // A name that no database can have is no secret.
        #expect(answer(&node, "/a.json?ns=a_b").text.hasPrefix("HTTP/1.1 404 "))
        node.turn([.removed(chat)])
        #expect(answer(&node, "/a.json?ns=chat").text.hasPrefix("HTTP/1.1 401 "))
        #expect(node.curl("/a.json?ns=chat", "GET", [Self.administrator]).status == 404)
    }

    @Test func `only an administrator creates a database by its name`() {
        var node = node(.create)
        let user = "Authorization: Bearer \(TestTokens.token("ada"))"
        for fields in [[], [user], ["Authorization: Bearer \(TestSecrets.monitor)"]] {
            #expect(
                !answer(&node, "/a.json?ns=zoo", "PUT", fields, body: "1").text.contains("200 "))
        }
        #expect(node.entered.isEmpty)
        let put = node.curl("/a.json?ns=zoo", "PUT", [Self.administrator], body: "1")
        #expect(put.status == 200 && node.entered.values.map { $0 } == [[zoo]])
    }

    @Test func `in an emulator, each client creates databases, and learns which there are`() {
        var configuration = TestTokens.configuration
        configuration.isEmulator = true
        var node = node(.create, configuration)
        _ = node.curl("/a.json?ns=zoo")
        #expect(node.entered.values.map { $0 } == [[zoo]])
        node = self.node(.refuse, configuration)
        #expect(node.curl("/a.json?ns=zoo").status == 404)
    }

    @Test mutating func `Firebase's sessions are refused until an administrator signs in`() {
        node = node(.create)
        let client = connect("v=5&ns=zoo")
        send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#, by: client)
        #expect(texts(client).last == Self.denial(1))
        let token = TestTokens.token("ada")
        send(#"{"t":"d","d":{"r":2,"a":"auth","b":{"cred":"\#(token)"}}}"#, by: client)
        send(#"{"t":"d","d":{"r":3,"a":"p","b":{"p":"/a","d":1}}}"#, by: client)
        #expect(texts(client).last == Self.denial(3))
        #expect(node.entered.isEmpty && node.openSessions.isEmpty)
        send(#"{"t":"d","d":{"r":4,"a":"auth","b":{"cred":"alpha-secret"}}}"#, by: client)
        #expect(node.entered[client] == [zoo] && node.openSessions == [client])
        node.turn([.hasDatabase(zoo)])
        send(#"{"t":"d","d":{"r":5,"a":"p","b":{"p":"/a","d":1}}}"#, by: client)
        #expect(texts(client).last == #"{"t":"d","d":{"r":5,"b":{"s":"ok","d":""}}}"#)
        node.turn([.closed(client)])
        #expect(node.openSessions.isEmpty)
    }

    @Test mutating func `Firebase's sessions end with the reason once an administrator signs in`() {
        node = node(.refuse)
        let client = connect("v=5&ns=zoo")
        #expect(node.refusals.map(\.problem) == ["there is no database zoo"])
        #expect(texts(client).count == 1)
        send(#"{"t":"d","d":{"r":4,"a":"auth","b":{"cred":"alpha-secret"}}}"#, by: client)
        #expect(
            texts(client)[0].hasPrefix(#"{"t":"c","d":{"t":"s","d":"There is no database zoo."#))
        #expect(node.closed == [client] && node.entered.isEmpty)
    }

    @Test mutating func `Firebase's sessions go on at a database that is created later`() {
        node = node(.refuse)
        let client = connect("v=5&ns=zoo")
        node.turn([.hasDatabase(zoo)])
        send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#, by: client)
        #expect(node.entered[client] == [zoo] && node.openSessions == [client])
        #expect(node.identities[client] == [.anonymous])
    }

    @Test
    func `long polls of an absent database reach no replica, until an administrator signs in`() {
        for unknown in [UnknownDatabases.create, .refuse] {
            var rig = PollRig()
            rig.node = node(unknown)
            var client = rig.start("&ns=zoo")
            _ = rig.upload(#"{"t":"d","d":{"r":1,"a":"g","b":{"p":"/a"}}}"#, by: &client)
            #expect(rig.node.entered.isEmpty && rig.node.openSessions.isEmpty)
            let auth = #"{"t":"d","d":{"r":4,"a":"auth","b":{"cred":"alpha-secret"}}}"#
            _ = rig.upload(auth, by: &client)
            #expect(rig.node.entered.values.map { $0 } == (unknown == .create ? [[zoo]] : []))
            #expect(rig.node.openSessions.count == (unknown == .create ? 1 : 0))
        }
    }

    private static func denial(_ number: Int) -> String {
        #"{"t":"d","d":{"r":\#(number),"b":{"s":"permission_denied","d":"Permission denied"}}}"#
    }
}
