import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Firebase's WebSocket protocol on a connection of the gateway; its messages have tests of their own.
@Suite struct RealtimeConnectionTests: RealtimeConnecting {
    var node = TestGateway()

    @Test mutating func `a client that is told something may say nothing; both may not`() {
        let id = connect()
        send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#, by: id)
        send(#"{"t":"d","d":{"r":2,"a":"o","b":{"p":"/gone","d":true}}}"#, by: id)
        for number in 1...4 {
            node.wait(60_000)
            _ = node.curl("/a.json", "PUT", body: "\(number)")
            #expect(texts(id).last == #"{"t":"d","d":{"a":"d","b":{"p":"a","d":\#(number)}}}"#)
        }
        #expect(!node.closed.contains(id))
        node.wait(99_000)
        #expect(!node.closed.contains(id))
        node.wait(1_000)
        #expect(node.closed.contains(id))
        #expect(node.curl("/gone.json").body == "true")
    }

    @Test mutating func `the server greets first, without extension or subprotocol`() {
        let id = connect()
        let text = node.text(id)
        #expect(text.hasPrefix("HTTP/1.1 101 "))
        #expect(!text.contains("Sec-WebSocket-Extensions"))
        #expect(!text.contains("Sec-WebSocket-Protocol"))
        #expect(text.contains(#""h":"db.localhost:9000""#))
        #expect(text.contains(#""v":"5""#))
        let names = (0..<20).map { _ in Self.name(in: texts(connect())[0]) }
        #expect(Set(names).count == 20)
        #expect(
            names.allSatisfy { name in
                name.utf8.count == 32 && name.utf8.allSatisfy { $0 > 47 && $0 < 123 }
            })
    }

    @Test mutating func `names of sessions depend on the seed`() {
        var names: Set<String> = []
        for seed in ["one", "two"] {
            var configuration = GatewayConfiguration()
            configuration.nameSeed = seed
            node = TestGateway(configuration)
            names.insert(Self.name(in: texts(connect())[0]))
        }
        #expect(names.count == 2)
    }

    @Test mutating func `a listen and a put of another client meet`() {
        let (one, other) = (connect(), connect())
        _ = (events(one), events(other))
        send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#, by: one)
        #expect(texts(one).count == 2)
        send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/a/b","d":5}}}"#, by: other)
        #expect(texts(other) == [#"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#])
        #expect(texts(one).count == 1)
        #expect(node.curl("/a.json").body == #"{"b":5}"#)
    }

    @Test mutating func `on-disconnect writes of a client are executed`() {
        let id = connect()
        send(#"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/gone","d":true}}}"#, by: id)
        node.turn([.closed(id)])
        #expect(node.curl("/gone.json").body == "true")
    }

    @Test mutating func `a returning client ends its previous session by its name`() {
        let old = connect()
        let name = Self.name(in: texts(old)[0])
        send(#"{"t":"d","d":{"r":1,"a":"o","b":{"p":"/x","d":1}}}"#, by: old)
        _ = connect("v=5&ls=" + String(repeating: "x", count: 32))
        #expect(!node.closed.contains(old))
        let new = connect("v=5&ls=\(name)")
        #expect(node.closed.contains(old))
        #expect(texts(new).count == 1)
        #expect(node.curl("/x.json").body == "1")
        #expect(node.sessionOutputs.filter { $0 == .end(old) }.count == 1)
        node.turn([.closed(old)])
        #expect(node.sessionOutputs.filter { $0 == .end(old) }.count == 1)
        // The name is used up.
        _ = connect("v=5&ls=\(name)")
        #expect(!node.closed.contains(new))
    }

    @Test mutating func `pings are answered, and a close is returned`() {
        let id = connect()
        _ = events(id)
        send(.ping, [1, 2], by: id)
        #expect(events(id) == [.pong([1, 2])])
        send(.close, WebSocketCloseCode.normal.payload(), by: id)
        #expect(events(id) == [.closed(.normal)])
        #expect(node.closed.contains(id))
        #expect(node.sessionOutputs == [.end(id)])
    }

    @Test mutating func `a binary message and a broken frame close the connection, and no other`() {
        let (binary, unmasked, fine) = (connect(), connect(), connect())
        _ = (events(binary), events(unmasked), events(fine))
        send(.binary, [1], by: binary)
        #expect(events(binary) == [.closed(.unsupported)])
        node.send([0x81, 0x01, 0x30], by: unmasked)
        #expect(events(unmasked) == [.closed(.protocolError)])
        #expect(node.closed == [binary, unmasked])
        send("0", by: fine)
        send(#"{"t":"c","d":{"t":"p","d":{}}}"#, by: fine)
        #expect(texts(fine) == [#"{"t":"c","d":{"t":"o","d":{}}}"#])
    }

    @Test mutating func `content that is no data closes no connection`() {
        let id = connect()
        _ = events(id)
        send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/x","d":"\ud83d"}}}"#, by: id)
        #expect(texts(id).first?.hasPrefix(#"{"t":"d","d":{"r":1,"b":{"s":"failure""#) == true)
        let large = String(repeating: "x", count: 17 << 20)
        send(#"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/x","d":"\#(large)"}}}"#, by: id)
        #expect(
            texts(id).first?.hasPrefix(#"{"t":"d","d":{"r":2,"b":{"s":"write_too_big""#) == true)
        send(#"{"t":"d","d":{"r":3,"a":"s","b":{}}}"#, by: id)
        #expect(texts(id) == [#"{"t":"d","d":{"r":3,"b":{"s":"ok","d":""}}}"#])
        #expect(!node.closed.contains(id))
    }

    @Test mutating func `why sessions end is counted, and logged once a second`() {
        for text in ["{", "nope", "{}x"] { send(text, by: connect()) }
        #expect(
            node.log == [
                "ended sessions of Firebase's clients: 1 unreadable "
                    + "(line 1, column 2: expected a key in double quotes, found the end of the text)"
            ])
        let client = connect()
        _ = events(client)
        send("nope", by: client)
        guard case .closed(let code)? = events(client).last else {
            Issue.record("the client is not told that its session ends")
            return
        }
        #expect(code == .protocolError)
        node.wait(1_000)
        #expect(node.log.count == 2)
        #expect(node.log.last?.contains(": 3 unreadable (") == true)
        let gone = connect()
        node.turn([.closed(gone)])
        send(.close, [3, 232], by: connect())
        send(.binary, [1], by: connect())
        let metrics = node.curl("/metrics").body
        for (reason, count) in [("unreadable", 4), ("client", 2), ("frames", 1), ("too_large", 0)] {
            let name = "hearth_realtime_sessions_ended_total{reason=\"\(reason)\"}"
            #expect(metrics.contains("\(name) \(count)\n"), "\(reason)")
        }
    }

    @Test mutating func `a silent client counts as gone, and one that sends 0 does not`() {
        let (silent, awake) = (connect(), connect())
        for _ in 0..<3 {
            node.wait(45_000)
            send("0", by: awake)
        }
        #expect(node.closed == [silent])
    }

    @Test mutating func `a node that does not serve refuses, and one that stops redirects`() {
        var configuration = GatewayConfiguration()
        configuration.redirectHost = "db2.example.com"
        node = TestGateway(configuration)
        let id = connect()
        _ = events(id)
        node.turn([.became(.unavailable(reason: "stopping"))])
        let events = events(id)
        #expect(
            events.first
                == .text(Array(#"{"t":"c","d":{"t":"r","d":"db2.example.com"}}"#.utf8)))
        #expect(events.last == .closed(.goingAway))
        let refused = connect()
        #expect(node.answers(refused).map(\.status) == [503])
    }

    @Test mutating func `a node that stops leaves other connections as they are`() {
        let stream = node.connect()
        node.send(TestGateway.request("/a.json", "GET", ["Accept: text/event-stream"]), by: stream)
        let request = node.connect()
        node.send(
            "PUT /a.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n", by: request)
        _ = (node.read(stream), node.read(request))
        node.turn([.became(.unavailable(reason: "stopping"))])
        node.send("5", by: request)
        #expect(node.answers(request).map(\.status) == [200])
        #expect(node.text(stream).contains(#"{"path":"/","data":5}"#))
    }

    @Test mutating func `nothing is read behind the end of a WebSocket`() {
        let id = connect()
        _ = events(id)
        var bytes: [UInt8] = []
        WebSocketWriter.append(.close, WebSocketCloseCode.normal.payload(), mask: 7, to: &bytes)
        node.send(bytes + Array(TestGateway.request("/health").utf8), by: id)
        node.send(TestGateway.request("/health"), by: id)
        #expect(events(id) == [.closed(.normal)])
    }

    @Test mutating func `only version 5 is served, and only as a WebSocket`() {
        let id = connect("v=4")
        #expect(node.answers(id).map(\.status) == [400])
        #expect(node.curl("/.ws?v=5").status == 426)
    }

    @Test mutating func `behind the end of a WebSocket nothing is a request`() {
        let id = connect()
        _ = events(id)
        send(.close, WebSocketCloseCode.normal.payload(), by: id)
        _ = events(id)
        node.send(TestGateway.request("/a.json", "PUT", body: "1"), by: id)
        #expect(node.read(id) == [])
        #expect(node.curl("/a.json").body == "null")
    }

    @Test mutating func `streams and requests outlive a moment without service`() {
        let (stream, body) = (node.connect(), node.connect())
        node.send(
            TestGateway.request("/a.json", "GET", ["Accept: text/event-stream"]), by: stream)
        node.send("PUT /b.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n", by: body)
        node.turn([.became(.unavailable(reason: "catching up"))])
        node.turn([.became(.serving)])
        _ = node.read(stream)
        node.send("2", by: body)
        #expect(node.answers(body).map(\.status) == [200])
        _ = node.curl("/a.json", "PUT", body: "1")
        #expect(node.text(stream).contains(#""data":1"#))
    }

    @Test mutating func `a session that has ended is not ended by its name`() {
        for closes in [true, false] {
            let old = connect()
            let name = Self.name(in: texts(old)[0])
            if closes { node.turn([.closed(old)]) } else { send(.binary, [1], by: old) }
            _ = connect("v=5&ls=\(name)")
            #expect(node.sessionOutputs.filter { $0 == .end(old) }.count == 1)
        }
    }
}
