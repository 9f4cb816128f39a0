import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Streams of server-sent events as Firebase sends them.
@Suite struct EventStreamTests {
    private var node = TestGateway()

    /// An event as a client reads it.
    struct Event: Equatable {
        var name: String
        var data: String

        init(_ name: String, _ data: String) { (self.name, self.data) = (name, data) }

        /// A put at a path relative to the stream.
        static func put(_ path: String, _ data: String) -> Event {
            Event("put", "{\"path\":\"\(path)\",\"data\":\(data)}")
        }
    }

    /// Begins a stream.
    private mutating func stream(_ target: String, from host: String = "127.0.0.1") -> SessionID {
        let id = node.connect()
        node.send(
            TestGateway.request(target, "GET", ["Accept: text/event-stream"]), by: id)
        return id
    }

    /// Removes and returns the events that a client got.
    private mutating func events(_ id: SessionID) -> [Event] {
        let text = node.text(id)
        let body =
            text.hasPrefix("HTTP/")
            ? TestAnswer.all(in: Array(text.utf8))[0].body
            : TestAnswer.all(in: Array(EventStreamTests.anyHead.utf8) + text.utf8)[0].body
        var events: [Event] = []
        for block in body.split(separator: "\n\n") {
            let lines = block.split(separator: "\n")
            events.append(
                Event(
                    String(lines[0].dropFirst("event: ".count)),
                    String(lines[1].dropFirst("data: ".count))))
        }
        return events
    }

    private static let anyHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test mutating func `the first event is a put with all`() {
        _ = node.curl("/u.json", "PUT", body: #"{"a":1,"l":[1,2]}"#)
        let id = stream("/u.json")
        let text = node.text(id)
        let answer = TestAnswer.all(in: Array(text.utf8))[0]
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/event-stream; charset=utf-8")
        #expect(answer["cache-control"] == "no-cache")
        #expect(
            answer.body == "event: put\ndata: {\"path\":\"/\",\"data\":{\"a\":1,\"l\":[1,2]}}\n\n")
        #expect(!node.closed.contains(id))
    }

    @Test mutating func `a stream of nothing begins with null`() {
        let id = stream("/none.json")
        #expect(events(id) == [.put("/", "null")])
    }

    @Test mutating func `22: one operation is one event, with a path relative to the stream`() {
        _ = node.curl("/u/bob.json", "PUT", body: #"{"n":1}"#)
        let id = stream("/u.json")
        _ = events(id)
        _ = node.curl("/u/ada.json", "PUT", body: #"{"n":3}"#)
        #expect(events(id) == [.put("/ada", #"{"n":3}"#)])
        _ = node.curl("/u.json", "PATCH", body: #"{"ada/n":4,"cy":{"n":9}}"#)
        #expect(
            events(id) == [Event("patch", #"{"path":"/","data":{"ada/n":4,"cy":{"n":9}}}"#)])
        _ = node.curl("/u/ada.json", "DELETE")
        #expect(events(id) == [.put("/ada", "null")])
        _ = node.curl("/.json", "PUT", body: #"{"u":{"x":1},"v":2}"#)
        #expect(events(id).last?.data.contains(#""x":1"#) == true)
        _ = node.curl("/v.json", "PUT", body: "3")
        #expect(events(id) == [])
    }

    @Test mutating func `an object in place of an object is a put at its location`() {
        _ = node.curl("/p/k1.json", "PUT", body: #"{"x":1,"y":2}"#)
        let id = stream("/p.json")
        let below = stream("/p/k1.json")
        _ = (events(id), events(below))
        _ = node.curl("/p/k1.json", "PUT", body: #"{"z":3}"#)
        #expect(events(id) == [.put("/k1", #"{"z":3}"#)])
        #expect(events(below) == [.put("/", #"{"z":3}"#)])
        _ = node.curl("/p.json", "PUT", body: #"{"k1":{"a":1},"k2":2}"#)
        #expect(events(id) == [.put("/", #"{"k1":{"a":1},"k2":2}"#)])
        #expect(events(below) == [.put("/", #"{"a":1}"#)])
    }

    @Test mutating func `a patch has the location that its writes have in common`() {
        _ = node.curl("/p/k1.json", "PUT", body: #"{"x":1,"y":2}"#)
        let id = stream("/p.json")
        _ = events(id)
        _ = node.curl("/p/k1.json", "PATCH", body: #"{"a":1,"b":2,"x":null}"#)
        #expect(
            events(id) == [Event("patch", #"{"path":"/k1","data":{"a":1,"b":2,"x":null}}"#)])
        _ = node.curl("/p.json", "PATCH", body: #"{"k1/a":5,"k2/c":6}"#)
        #expect(
            events(id) == [Event("patch", #"{"path":"/","data":{"k1/a":5,"k2":{"c":6}}}"#)])
    }

    @Test mutating func `the stream of a query shows entering and leaving children`() {
        _ = node.curl("/u.json", "PUT", body: #"{"a":{"n":1},"b":{"n":2}}"#)
        let id = stream(#"/u.json?orderBy="n"&limitToLast=1"#)
        #expect(events(id) == [.put("/", #"{"b":{"n":2}}"#)])
        _ = node.curl("/u/c.json", "PUT", body: #"{"n":3}"#)
        #expect(
            events(id) == [Event("patch", #"{"path":"/","data":{"b":null,"c":{"n":3}}}"#)])
    }

    @Test mutating func `plain streams have no priorities, and exports have`() {
        _ = node.curl("/u.json", "PUT", body: #"{"a":{".value":1,".priority":5}}"#)
        let plain = stream("/u.json")
        let export = stream("/u.json?format=export")
        #expect(events(plain) == [.put("/", #"{"a":1}"#)])
        #expect(events(export) == [.put("/", #"{"a":{".value":1,".priority":5}}"#)])
        _ = node.curl("/u/a/.priority.json", "PUT", body: "6")
        #expect(events(plain) == [])
        #expect(events(export) == [.put("/a/.priority", "6")])
    }

    @Test mutating func `a quiet stream shows that it is alive, every thirty seconds`() {
        let id = stream("/u.json")
        _ = events(id)
        node.wait(29_000)
        #expect(events(id) == [])
        node.wait(1_500)
        #expect(events(id) == [Event("keep-alive", "null")])
        node.wait(20_000)
        _ = node.curl("/u.json", "PUT", body: "1")
        _ = events(id)
        node.wait(20_000)
        #expect(events(id) == [])
        node.wait(11_000)
        #expect(events(id) == [Event("keep-alive", "null")])
    }

    @Test mutating func `many streams get the same bytes`() {
        _ = node.curl("/u/b.json", "PUT", body: "1")
        let ids = (0..<5).map { _ in stream("/u.json") }
        for id in ids { _ = events(id) }
        _ = node.curl("/u/a.json", "PUT", body: #""text""#)
        let texts = ids.map { node.text($0) }
        let data = #"{"path":"/a","data":"text"}"#
        #expect(texts.allSatisfy { $0 == "2e\r\nevent: put\ndata: \(data)\n\n\r\n" })
    }

    @Test mutating func `the end of the connection ends the session`() {
        let id = stream("/u.json")
        node.turn([.closed(id)])
        #expect(node.sessionOutputs.contains(.end(id)))
        _ = node.curl("/u.json", "PUT", body: "1")
        #expect(!node.text(id).contains("\"data\":1"))
    }

    @Test mutating func `a client of HTTP 1.0 gets a stream without chunks`() {
        let id = node.connect()
        node.send("GET /u.json HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n", by: id)
        let text = node.text(id)
        #expect(text.hasSuffix("\r\n\r\nevent: put\ndata: {\"path\":\"/\",\"data\":null}\n\n"))
        // Others, who have chunks, share the text of an event.
        let other = stream("/u.json")
        _ = events(other)
        _ = node.curl("/u.json", "PUT", body: "1")
        let event = "event: put\ndata: {\"path\":\"/\",\"data\":1}\n\n"
        #expect(node.text(id) == event)
        #expect(node.text(other) == "\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n")
    }

    @Test mutating func `a stream asks the replica to hold back while a large event leaves`() {
        let large = "\"" + String(repeating: "x", count: 300_000) + "\""
        _ = node.curl("/u.json", "PUT", body: "{\"a\":\(large),\"b\":\(large),\"c\":\(large)}")
        let id = node.connect()
        node.stopped.insert(id)
        node.send(TestGateway.request("/u.json", "GET", ["Accept: text/event-stream"]), by: id)
        #expect(node.read(id).count < 400_000)
        #expect(node.sessionOutputs.last == .backpressured(id))
        for number in 0..<100 { _ = node.curl("/u/n.json", "PUT", body: "\(number)") }
        #expect(node.read(id) == [])
        node.resume(id)
        let text = node.text(id)
        #expect(text.utf8.count > 800_000)
        // All that was held back comes as one put of what is different.
        #expect(text.hasSuffix("{\"path\":\"/n\",\"data\":99}\n\n\r\n"))
        #expect(text.components(of: "event: put") == 1)
        #expect(!text.contains("\"n\":98"))
        #expect(
            node.sessionOutputs.filter { $0 == .backpressured(id) }.count
                == node.sessionOutputs.filter { $0 == .writable(id) }.count)
    }

    @Test mutating func `a large update leaves in parts`() {
        let large = "\"" + String(repeating: "x", count: 300_000) + "\""
        _ = node.curl("/u.json", "PUT", body: #"{"z":1}"#)
        let id = stream("/u.json")
        _ = events(id)
        node.stopped.insert(id)
        _ = node.curl("/u.json", "PATCH", body: "{\"a\":\(large),\"b\":\(large)}")
        let first = node.text(id)
        #expect(first.utf8.count < 100_000)
        node.resume(id)
        let bytes = EventStreamTests.anyHead + first + node.text(id)
        let data = #"{"path":"/","data":{"a":\#(large),"b":\#(large)}}"#
        #expect(
            TestAnswer.all(in: Array(bytes.utf8))[0].body == "event: patch\ndata: \(data)\n\n")
    }

    @Test mutating func `the replica holds back until the last part has left`() {
        let large = "\"" + String(repeating: "x", count: 100_000) + "\""
        _ = node.curl("/u.json", "PUT", body: "{\"a\":\(large),\"b\":\(large),\"c\":\(large)}")
        let id = node.connect()
        node.stopped.insert(id)
        node.send(TestGateway.request("/u.json", "GET", ["Accept: text/event-stream"]), by: id)
        for _ in 0..<3 {
            node.turn([.writable(id)])
            #expect(!node.text(id).hasSuffix("}}\n\n\r\n"))
            #expect(!node.sessionOutputs.contains(.writable(id)))
        }
        for _ in 0..<2 { node.turn([.writable(id)]) }
        #expect(node.text(id).hasSuffix("}}\n\n\r\n"))
        #expect(node.sessionOutputs.contains(.writable(id)))
    }

    @Test func `changes during a large event wait behind it`() {
        let head = ResponseHead(status: 200)
        let body = head.stream(form: .afterFailure, date: HTTPDate(unixSeconds: 0)).body
        var stream = EventStream(of: 1, in: .plain, body, sharesTexts: true, at: 0)
        var texts = GatewayTexts()
        var children = Children()
        for key in ["a", "b"] {
            children[Key(unchecked: key)] = .string(String(repeating: "x", count: 100_000))
        }
        let large = [Write(path: .root, value: Value(children))]
        let small = [Write(path: Path([Key(unchecked: "c")]), value: .integer(1))]
        var sent: [UInt8] = []
        for (notice, writes) in [(UInt64(1), large), (2, small)] {
            let answer = SessionAnswer(.change(listen: 1, writes: writes), notice: notice)
            if case .sends(let bytes) = stream.step(answer, &texts, at: 0) { sent += bytes }
        }
        #expect(stream.isPartWay)
        #expect(sent.count < 150_000)
        while stream.isPartWay { sent += stream.nextPart(at: 0) }
        let text = String(decoding: sent, as: UTF8.self)
        let ends = text.firstRange(of: "}}\n\n")!.upperBound
        #expect(text[ends...].contains(#"{"path":"/c","data":1}"#))
    }

    @Test func `changes between two parts wait behind earlier ones`() {
        let head = ResponseHead(status: 200)
        let body = head.stream(form: .afterFailure, date: HTTPDate(unixSeconds: 0)).body
        var stream = EventStream(
            of: 1, in: .plain, body, sharesTexts: true, partBytes: 90, at: 0)
        var texts = GatewayTexts()
        var sent: [UInt8] = []
        var last: UInt64 = 0
        func tell(_ value: Value) {
            last += 1
            let writes = [Write(path: .root, value: value)]
            let answer = SessionAnswer(.change(listen: 1, writes: writes), notice: last)
            if case .sends(let bytes) = stream.step(answer, &texts, at: 0) { sent += bytes }
        }
        // The first one takes several parts, and of the others a part has two.
        var children = Children()
        for key in ["a", "b", "c"] {
            children[Key(unchecked: key)] = .string(String(repeating: "x", count: 100))
        }
        tell(Value(children))
        while last < 7 { tell(.integer(Int64(last) + 1)) }
        #expect(stream.isPartWay)
        while stream.isPartWay {
            sent += stream.nextPart(at: 0)
            if last < 12 { tell(.integer(Int64(last) + 1)) }
        }
        let text = String(decoding: sent, as: UTF8.self)
        let told = text.split(separator: "\"data\":").dropFirst(2).compactMap { piece in
            Int(piece.prefix { $0.isNumber })
        }
        #expect(told == Array(2...12))
    }

    @Test mutating func `a slow client receives nothing until it has room`() {
        let id = stream("/u.json")
        _ = events(id)
        node.turn([.backpressured(id)])
        #expect(node.sessionOutputs.last == .backpressured(id))
        for number in 0..<10 { _ = node.curl("/u/\(number).json", "PUT", body: "1") }
        #expect(events(id) == [])
        node.turn([.writable(id)])
        #expect(node.sessionOutputs.contains(.writable(id)))
        #expect(events(id) == [.put("/", "[1,1,1,1,1,1,1,1,1,1]")])
        _ = node.curl("/u/0.json", "PUT", body: "2")
        #expect(events(id) == [.put("/0", "2")])
    }

    @Test mutating func `a client that does not read a large event is closed`() {
        let large = "\"" + String(repeating: "x", count: 300_000) + "\""
        _ = node.curl("/u.json", "PUT", body: "{\"a\":\(large),\"b\":\(large)}")
        let id = node.connect()
        node.stopped.insert(id)
        node.send(TestGateway.request("/u.json", "GET", ["Accept: text/event-stream"]), by: id)
        node.wait(59_000)
        #expect(!node.closed.contains(id))
        node.wait(2_000)
        #expect(node.closed.contains(id))
    }

    @Test mutating func `where indexes are demanded, a stream without one is refused as a read is`()
    {
        node = TestGateway(demandingIndexes: true)
        let target = #"/u.json?orderBy="n"&limitToLast=1"#
        let read = node.curl(target)
        #expect(read.status == 400)
        #expect(read.body.contains(#"add \".indexOn\": \"n\", for path \"/u\", to the rules"#))
        let id = stream(target)
        #expect(node.answers(id).map(\.status) == [400])
        #expect(node.curl(target, "GET", ["Accept: text/event-stream"]).body == read.body)
        #expect(
            node.answers(stream(#"/u.json?orderBy="$key"&limitToLast=1"#)).map(\.status) == [200])
    }

    @Test mutating func `an invalid query begins no stream`() {
        let id = stream("/u.json?limitToFirst=1")
        #expect(node.answers(id).map(\.status) == [400])
        let other = stream("/u/.priority.json")
        #expect(node.answers(other).map(\.status) == [400])
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
