import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Firebase's long polling, by its requests and scripts.
@Suite struct LongPollTests {
    private var rig = PollRig()

    private static func push(_ path: String, _ data: String) -> String {
        RealtimeRig.push("d", path, data)
    }

    // MARK: Start

    @Test mutating func `a session begins with a script that leads to the page's functions`() {
        let answer = rig.node.curl(
            "/.lp?start=t&ser=1&cb=12&v=5&ns=x", "GET", ["Host: db.localhost:9000"])
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "application/javascript; charset=utf-8")
        #expect(answer["x-content-type-options"] == "nosniff")
        let lines = answer.body.split(separator: "\n")
        #expect(
            lines[0]
                == #"function pLPCommand(a,b,c){var f=parent.window["pLPCommand12"];if(f)f(a,b,c)}"#
        )
        #expect(
            lines[1] == #"function pRTLPCB(a,b,c){var f=parent.window["pRTLPCB12"];if(f)f(a,b,c)}"#)
        #expect(lines[2].wholeMatch(of: /pLPCommand\("start","\w{32}","\w{32}"\);/) != nil)
        let handshake =
            /pRTLPCB\(0,\[{"t":"c","d":{"t":"h","d":{"ts":\d+,"v":"5","h":"db.localhost:9000","s":"\w{32}"}}}\]\);/
        #expect(lines[3].wholeMatch(of: handshake) != nil)
        #expect(lines.count == 4)
    }

    @Test mutating func `each session has its own id, password and name`() {
        let clients = (0..<10).map { _ in rig.start() }
        let texts = clients.flatMap { [$0.id, $0.password, $0.name] }
        #expect(Set(texts).count == 30)
        #expect(texts.allSatisfy { $0.utf8.count == 32 })
    }

    @Test mutating func `without a number, the functions are those beside the script`() {
        let script = rig.node.curl("/.lp?start=t&v=5").body
        #expect(script.hasPrefix(#"pLPCommand("start","#))
    }

    @Test(
        arguments: [
            ("/.lp?start=t&cb=1&v=4", "GET", [], 400),
            ("/.lp?start=t&cb=1x&v=5", "GET", [], 400),
            ("/.lp?start=t&cb=&v=5", "GET", [], 400),
            ("/.lp?start=t&cb=1234567890&v=5", "GET", [], 400),
            ("/.lp", "GET", [], 400),
            ("/.lp?id=1", "GET", [], 400),
            ("/.lp?id=1&pw=2&seg0=0&ts0=1", "GET", [], 400),
            ("/.lp?id=1&pw=2&seg0=-1&ts0=1&d0=e30.", "GET", [], 400),
            ("/.lp?id=1&pw=2&seg0=0&ts0=0&d0=e30.", "GET", [], 400),
            ("/.lp?id=1&pw=%ff", "GET", [], 400),
            ("/.lp?start=t&v=5", "POST", [], 405),
            ("/.lp?start=t&v=5", "GET", ["Sec-Fetch-Site: cross-site"], 403),
            (
                "/.lp?start=t&v=5", "GET",
                ["Sec-Fetch-Site: cross-site", "Referer: http://evil.test/"], 403
            ),
            (
                "/.lp?start=t&v=5", "GET",
                ["Sec-Fetch-Site: cross-site", "Referer: http://localhost:3000/"], 200
            ),
            ("/.lp?start=t&v=5", "GET", ["Origin: http://evil.test"], 403),
            ("/.lp?start=t&v=5", "GET", ["Host: evil.test"], 421),
        ] as [(String, String, [String], Int)])
    mutating func `only requests of the protocol are served`(
        target: String, method: String, fields: [String], status: Int
    ) {
        let answer = rig.node.curl(target, method, fields)
        #expect(answer.status == status)
        #expect(rig.node.sessionOutputs.isEmpty)
    }

    @Test mutating func `a node that does not serve refuses`() {
        rig = PollRig(serving: false)
        #expect(rig.node.curl("/.lp?start=t&v=5").status == 503)
    }

    // MARK: Polls

    @Test mutating func `a poll is held for twenty seconds, and answers are numbered`() {
        let client = rig.start()
        for number in 1...3 {
            let poll = rig.poll(client)
            rig.node.wait(19_000)
            #expect(rig.script(poll) == nil)
            rig.node.wait(1_000)
            #expect(rig.script(poll) == "pRTLPCB(\(number),[]);\n")
        }
    }

    @Test mutating func `a poll brings a request, and gets all that follows at once`() {
        var client = rig.start()
        let poll = rig.upload(PollRig.listen, by: &client)
        #expect(
            rig.script(poll) == "pRTLPCB(1,[\(Self.push("a", "null")),"
                + "\(RealtimeRig.answer(1, "ok", "{}"))]);\n")
        let next = rig.poll(client)
        #expect(rig.script(next) == nil)
        _ = rig.node.curl("/a.json", "PUT", body: "5")
        #expect(rig.script(next) == "pRTLPCB(2,[\(Self.push("a", "5"))]);\n")
    }

    @Test mutating func `messages between two polls wait for the second one`() {
        var client = rig.start()
        _ = rig.upload(PollRig.listen, by: &client)
        _ = rig.node.curl("/a.json", "PUT", body: "1")
        _ = rig.node.curl("/a.json", "PUT", body: "2")
        #expect(
            rig.script(rig.poll(client))
                == "pRTLPCB(2,[\(Self.push("a", "1")),\(Self.push("a", "2"))]);\n")
    }

    @Test mutating func `a poll releases the one before`() {
        let client = rig.start()
        let (first, second) = (rig.poll(client), rig.poll(client))
        #expect(rig.script(first) == "pRTLPCB(1,[]);\n")
        #expect(rig.script(second) == nil)
        let third = rig.poll(client)
        #expect(rig.script(second) == "pRTLPCB(2,[]);\n")
        #expect(rig.script(third) == nil)
    }

    @Test mutating func `polls of one connection follow each other`() {
        var client = rig.start()
        let connection = rig.node.connect()
        rig.poll(client, on: connection)
        // Sent ahead: it is read once the first one is answered.
        rig.poll(
            client,
            PollRig.segments(of: PollRig.listen, by: &client, length: 1_840).joined(),
            on: connection)
        #expect(rig.script(connection) == nil)
        rig.node.wait(20_000)
        let scripts = rig.node.answers(connection).map(\.body)
        #expect(scripts.count == 2)
        #expect(scripts.first == "pRTLPCB(1,[]);\n")
        #expect(scripts.last?.hasPrefix("pRTLPCB(2,[{") == true)
    }

    // MARK: Ends

    @Test mutating func `leaving a page ends its session and executes its on-disconnect writes`() {
        var client = rig.start()
        _ = rig.upload(PollRig.request(1, "o", #"{"p":"/gone","d":true}"#), by: &client)
        let poll = rig.poll(client)
        let answer = rig.node.curl(
            "/.lp?disconn=t&id=\(client.id)&pw=\(client.password)")
        #expect(answer.status == 200)
        #expect(answer.body == "")
        #expect(rig.script(poll) == "pRTLPCB(2,[]);\npLPCommand(\"close\",2);\n")
        #expect(rig.node.curl("/gone.json").body == "true")
        #expect(rig.script(rig.poll(client)) == "pLPCommand(\"close\");\n")
        let ended = rig.node.sessionOutputs.filter { output in
            if case .end(let session) = output { session.number > 1 << 62 } else { false }
        }
        #expect(ended.count == 1)
    }

    @Test mutating func `a frame ends the session of the page around it`() {
        let answer = rig.node.curl("/.lp?dframe=t&id=1&pw=2")
        #expect(answer["content-type"] == "text/html; charset=utf-8")
        #expect(answer.body.contains(#".replace("dframe=t", "disconn=t")"#))
        #expect(answer.body.contains("pagehide"))
    }

    @Test mutating func `a client without the password receives nothing and ends nothing`() {
        var client = rig.start()
        _ = rig.upload(PollRig.listen, by: &client)
        let held = rig.poll(client)
        var thief = client
        for password in ["", "x", String(repeating: "a", count: 32), client.id] {
            thief.password = password
            #expect(rig.script(rig.poll(thief)) == "pLPCommand(\"close\");\n")
            _ = rig.node.curl("/.lp?disconn=t&id=\(client.id)&pw=\(password)")
        }
        #expect(rig.script(held) == nil)
        _ = rig.node.curl("/a.json", "PUT", body: "5")
        #expect(rig.script(held) == "pRTLPCB(2,[\(Self.push("a", "5"))]);\n")
    }

    @Test mutating func `a session without polls is over after a hundred seconds`() {
        var client = rig.start()
        _ = rig.upload(PollRig.request(1, "o", #"{"p":"/gone","d":true}"#), by: &client)
        for _ in 0..<3 {
            rig.node.wait(99_000)
            #expect(rig.script(rig.poll(client)) == nil)
        }
        #expect(rig.node.value[Key(unchecked: "gone")] == .null)
        rig.node.wait(100_000)
        #expect(rig.node.curl("/gone.json").body == "true")
    }

    @Test mutating func `a browser may repeat a poll whose connection was lost`() {
        var client = rig.start()
        let lost = rig.poll(client)
        rig.node.turn([.closed(lost)])
        _ = rig.upload(PollRig.listen, by: &client)
        _ = rig.node.curl("/a.json", "PUT", body: "1")
        #expect(rig.script(rig.poll(client)) == "pRTLPCB(2,[\(Self.push("a", "1"))]);\n")
    }

    @Test(arguments: [
        PollRig.parameters(0, 0, of: 1, "?x"), PollRig.parameters(0, 0, of: 1, "e30"),
        PollRig.parameters(0, 0, of: 1, PollRig.base64(#"{"t":"#)),
        PollRig.parameters(0, 1_000, of: 1, "e30."),
    ])
    mutating func `a message that is none ends its session, and no other`(segment: String) {
        let (client, other) = (rig.start(), rig.start())
        let script = rig.script(rig.poll(client, segment))
        #expect(script?.hasSuffix("pLPCommand(\"close\",1);\n") == true)
        #expect(rig.script(rig.poll(client)) == "pLPCommand(\"close\");\n")
        #expect(rig.script(rig.poll(other)) == nil)
    }

    @Test
    mutating func `a client that comes back ends its session before, whatever it comes back by`() {
        var client = rig.start()
        for number in 1...2 {
            _ = rig.upload(
                PollRig.request(1, "o", #"{"p":"/gone\#(number)","d":true}"#), by: &client)
            let poll = rig.poll(client)
            let next = rig.start("&ls=\(client.name)")
            #expect(rig.script(poll)?.contains("close") == true)
            #expect(rig.node.curl("/gone\(number).json").body == "true")
            client = next
        }
        let poll = rig.poll(client)
        let socket = rig.connect("ls=\(client.name)")
        #expect(rig.script(poll)?.contains("close") == true)
        #expect(rig.texts(socket).count == 1)
    }

    @Test mutating func `a stopping node names the next node`() {
        var configuration = GatewayConfiguration()
        configuration.redirectHost = "db2.example.com"
        rig = PollRig(configuration)
        let poll = rig.poll(rig.start())
        rig.node.turn([.became(.unavailable(reason: "stopping"))])
        #expect(
            rig.script(poll)
                == "pRTLPCB(1,[{\"t\":\"c\",\"d\":{\"t\":\"r\",\"d\":\"db2.example.com\"}}]);\n"
                + "pLPCommand(\"close\",1);\n")
    }

    // MARK: Bounds

    @Test mutating func `there are as many sessions as connections, at most`() {
        var configuration = GatewayConfiguration()
        configuration.connectionLimit = 3
        rig = PollRig(configuration)
        let client = rig.start()
        _ = (rig.start(), rig.start())
        #expect(rig.node.curl("/.lp?start=t&v=5").status == 503)
        _ = rig.node.curl("/.lp?disconn=t&id=\(client.id)&pw=\(client.password)")
        #expect(rig.node.curl("/.lp?start=t&v=5").status == 200)
    }

    @Test mutating func `a large value comes whole, and the replica holds back meanwhile`() {
        let text = String(repeating: "x", count: 700_000)
        _ = rig.node.curl("/a.json", "PUT", body: #"{"b":"\#(text)","c":"\#(text)"}"#)
        var client = rig.start()
        var poll = rig.upload(PollRig.listen, by: &client)
        let script = rig.script(poll)
        #expect(
            script?.count == "pRTLPCB(1,[,]);\n".count + Self.push("a", "").count
                + #"{"b":"","c":""}"#.count + 1_400_000 + RealtimeRig.answer(1, "ok", "{}").count)
        #expect(
            rig.node.sessionOutputs.contains { if case .backpressured = $0 { true } else { false } }
                == false)
        _ = rig.upload(PollRig.request(2, "g", #"{"p":"/a","q":{}}"#), by: &client)
        poll = rig.upload(PollRig.request(3, "g", #"{"p":"/a","q":{}}"#), by: &client)
        #expect(rig.script(poll)?.contains(#""r":3"#) == true)
    }

    @Test mutating func `data that wait for polls are bounded, in all sessions together`() {
        var configuration = GatewayConfiguration()
        configuration.bodiesBytes = 1_000_000
        rig = PollRig(configuration)
        let text = String(repeating: "x", count: 400_000)
        _ = rig.node.curl("/a.json", "PUT", body: "\"\(text)\"")
        var clients = (0..<3).map { _ in rig.start() }
        for index in clients.indices {
            let poll = rig.upload(PollRig.listen, by: &clients[index])
            _ = rig.script(poll)
        }
        _ = rig.node.curl("/a.json", "PUT", body: "\"\(text)y\"")
        let scripts = clients.map { client in rig.script(rig.poll(client)) }
        #expect(scripts.count { $0 == "pLPCommand(\"close\");\n" } == 1)
        #expect(scripts.count { $0?.utf8.count ?? 0 > 400_000 } == 2)
        // What those that have ended held is free again.
        for end in 0..<5 {
            var client = rig.start()
            _ = rig.upload(PollRig.listen, by: &client)
            _ = rig.node.curl("/a.json", "PUT", body: "\"\(text)\(end)\"")
            for client in clients.prefix(2) {
                #expect(rig.script(rig.poll(client))?.contains("x\(end)") == true)
            }
            _ = rig.node.curl("/.lp?disconn=t&id=\(client.id)&pw=\(client.password)")
        }
    }

    @Test mutating func `a client that does not poll receives combined changes`() {
        var client = rig.start()
        rig.node.turn([.closed(rig.upload(PollRig.listen, by: &client))])
        let text = String(repeating: "x", count: 600_000)
        for end in ["1", "2", "3", "4"] {
            _ = rig.node.curl("/a.json", "PUT", body: "\"\(text)\(end)\"")
        }
        let outputs = rig.node.sessionOutputs.filter { output in
            if case .backpressured = output { true } else { false }
        }
        #expect(outputs.count == 1)
        #expect(rig.script(rig.poll(client))?.contains("x4") == false)
        #expect(rig.script(rig.poll(client))?.contains("x4") == true)
    }
}
