import DataTree
import Foundation
import HTTPText
import Randomness
import ReplicaCore
import SyncProtocol
import Testing

@testable import GatewayCore

/// A gateway and its replica get damaged requests, frames and polls on many connections: honest clients notice nothing, and
/// nothing is left of the others.
///
/// A longer run: `HEARTH_HTTP_CASES=1000000`.
@Suite struct HostileBytesTests {
    private static let cases =
        ProcessInfo.processInfo.environment["HEARTH_HTTP_CASES"].flatMap { Int($0) } ?? 5_000

    private var rig = PollRig()
    private var random = SplitMix64(seed: 1)

    private static let host = "Host: localhost\r\n"
    private static let requests = [
        "GET /g/a.json?shallow=true HTTP/1.1\r\n\(host)\r\n",
        "PUT /g/a.json HTTP/1.1\r\n\(host)Content-Length: 13\r\n\r\n{\"a\":{\"b\":1}}",
        "POST /g.json HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5\r\n[1,2,\r\n2;a=b\r\n3]\r\n0\r\n\r\n",
        "GET /g.json?orderBy=\"$key\"&startAt=\"a\"&limitToFirst=3&callback=f HTTP/1.1\r\n\(host)\r\n",
        "GET /g.json HTTP/1.1\r\n\(host)Accept: text/event-stream\r\n\r\n",
        "PATCH /g.json HTTP/1.1\r\n\(host)Expect: 100-continue\r\nContent-Length: 9\r\n\r\n{\"a/b\":1}",
        "DELETE /g.json HTTP/1.1\r\n\(host)if-match: null_etag\r\n\r\nGET /health HTTP/1.1\r\n\(host)\r\n",
    ]
    private static let messages = [
        #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/g","h":""}}}"#,
        #"{"t":"d","d":{"r":2,"a":"p","b":{"p":"/g/a","d":{"x":[1,2]},"h":"x"}}}"#,
        #"{"t":"d","d":{"r":3,"a":"m","b":{"p":"/g","d":{"a/b":1,"c":null}}}}"#,
        #"{"t":"d","d":{"r":4,"a":"q","b":{"p":"/g","q":{"i":"x","sp":1,"l":3,"vf":"l"},"t":5}}}"#,
        #"{"t":"d","d":{"r":5,"a":"o","b":{"p":"/g/o","d":{".sv":"timestamp"}}}}"#,
        #"{"t":"c","d":{"t":"p","d":{}}}"#, #"{"t":"c","d":{"t":"a","d":{}}}"#,
        #"{"t":"c","d":{"t":"n","d":{}}}"#, "0", "2", "",
    ]

    @Test mutating func `damaged bytes do no harm and leave nothing behind`() {
        var honest = rig.start()
        _ = rig.upload(PollRig.request(1, "q", #"{"p":"/h","h":""}"#), by: &honest)
        var open: [SessionID] = []
        for count in 1...Self.cases {
            let id = rig.node.connect()
            open.append(id)
            send(next(), by: id)
            // In any order, and some stay for long.
            if open.count > 30 { close(open.remove(at: number(below: open.count))) }
            guard count.isMultiple(of: 50) else { continue }
            let poll = rig.poll(honest)
            _ = rig.node.curl("/h.json", "PUT", body: "\(count)")
            #expect(rig.script(poll)?.contains(#""p":"h","d":\#(count)"#) == true)
        }
        for id in open { close(id) }
        #expect(rig.node.curl("/.lp?disconn=t&id=\(honest.id)&pw=\(honest.password)").status == 200)
        rig.node.wait(200_000)
        #expect(rig.node.curl("/metrics").body.contains("\nhearth_listens 0\n"))
        #expect(rig.node.openSessions == [])
    }

    private mutating func close(_ id: SessionID) {
        _ = rig.node.read(id)
        rig.node.turn([.closed(id)])
    }

    /// Sends bytes in pieces.
    private mutating func send(_ bytes: [UInt8], by id: SessionID) {
        var rest = bytes[...]
        while !rest.isEmpty, !rig.node.closed.contains(id) {
            let piece = rest.prefix(1 + number(below: chance(50) ? 8 : 4_096))
            rig.node.send(Array(piece), by: id)
            rest = rest.dropFirst(piece.count)
        }
    }

    // MARK: Bytes

    private mutating func next() -> [UInt8] {
        var bytes: [UInt8]
        switch number(below: 4) {
        case 0, 1: bytes = Array(Self.requests[number(below: Self.requests.count)].utf8)
        case 2: bytes = polls()
        default: bytes = webSocket()
        }
        if chance(70) { damage(&bytes) }
        return bytes
    }

    /// Polls of a session that is really there, some of which change it to a WebSocket.
    private mutating func polls() -> [UInt8] {
        var client = rig.start()
        var text = ""
        for _ in 0...number(below: 3) {
            var message = Array(Self.messages[number(below: Self.messages.count)].utf8)
            if chance(30) { damage(&message) }
            let segments = PollRig.segments(
                of: String(decoding: message, as: UTF8.self), by: &client,
                length: 1 + number(below: 60))
            text += TestGateway.request(
                "/.lp?id=\(client.id)&pw=\(client.password)\(segments.joined())")
        }
        return chance(30) ? webSocket("s=\(client.name)") : Array(text.utf8)
    }

    private mutating func webSocket(_ query: String = "ns=x") -> [UInt8] {
        var bytes = Array(
            ("GET /.ws?v=5&\(query) HTTP/1.1\r\n\(Self.host)Upgrade: websocket\r\n"
                + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Version: 13\r\n\r\n").utf8)
        let kinds: [WebSocketFrameKind] = [
            .text, .text, .text, .text, .binary, .ping, .pong, .close,
        ]
        for _ in 0..<number(below: 6) {
            var message = Array(Self.messages[number(below: Self.messages.count)].utf8)
            if chance(30) { damage(&message) }
            let kind = kinds[number(below: kinds.count)]
            WebSocketWriter.append(
                kind, Array(message.prefix(125)), mask: UInt32(1 + number(below: 1 << 30)),
                to: &bytes)
        }
        return bytes
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0...number(below: 4) where bytes.count > 1 {
            let place = number(below: bytes.count)
            switch number(below: 4) {
            case 0: bytes[place] ^= 1 << UInt8(number(below: 8))
            case 1: bytes[place] = UInt8(number(below: 256))
            case 2: bytes.remove(at: place)
            default: bytes.insert(UInt8(number(below: 256)), at: place)
            }
        }
        if chance(20) { bytes.removeLast(number(below: bytes.count + 1)) }
    }

    private mutating func number(below bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &random)
    }

    private mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }
}
