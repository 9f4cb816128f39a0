import DataTree
import HTTPText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Large messages of Firebase's WebSocket protocol, and the limits for incomplete ones.
@Suite struct RealtimeLimitTests: RealtimeConnecting {
    var node = TestGateway()

    @Test mutating func `a message above the limit ends with Firebase's words`() {
        var configuration = GatewayConfiguration()
        configuration.messageBytes = 1_000
        node = TestGateway(configuration)
        let id = connect()
        _ = events(id)
        send(String(repeating: "x", count: 1_001), by: id)
        let events = events(id)
        #expect(events.count == 2)
        #expect(events.last == .closed(.tooBig))
        if case .text(let text)? = events.first {
            #expect(String(decoding: text, as: UTF8.self).contains("payload is too large"))
        }
    }

    /// The beginning of a message of some length.
    private static func beginning(_ length: Int, of whole: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketWriter.append(.text, [UInt8](repeating: 0x20, count: whole), mask: 7, to: &bytes)
        return Array(bytes.dropLast(whole - length))
    }

    @Test
    mutating func `messages that are not complete have a bound for all, and the largest ends`() {
        var configuration = GatewayConfiguration()
        configuration.messagesBytes = 10_000
        node = TestGateway(configuration)
        let ids = (0..<4).map { _ in connect() }
        for id in ids { _ = events(id) }
        for id in ids { node.send(Self.beginning(2_500, of: 9_000), by: id) }
        #expect(node.closed.isEmpty)
        node.send([0x20], by: ids[1])
        #expect(node.closed == [ids[1]])
        #expect(events(ids[1]) == [.closed(.tryAgainLater)])
        #expect(node.sessionOutputs == [.end(ids[1])])
        // What it kept is free again, as it is once a message is complete or a client has gone.
        send(
            #"{"t":"c","d":{"t":"p","d":{}}}"# + String(repeating: " ", count: 2_400), by: connect()
        )
        node.send([UInt8](repeating: 0x20, count: 1_500), by: ids[0])
        node.turn([.closed(ids[0])])
        node.send([UInt8](repeating: 0x20, count: 2_000), by: ids[2])
        #expect(node.closed == [ids[1]])
        node.send([UInt8](repeating: 0x20, count: 6_000), by: ids[3])
        #expect(node.closed == [ids[1], ids[3]])
    }

    @Test mutating func `chunks of a message that is not complete count, and texts that wait`() {
        var configuration = GatewayConfiguration()
        configuration.messagesBytes = 50_000
        node = TestGateway(configuration)
        let large = "\"" + String(repeating: "x", count: 300_000) + "\""
        _ = node.curl("/u.json", "PUT", body: large)
        let (chunks, texts) = (connect(), connect())
        _ = (events(chunks), events(texts))
        send("3", by: chunks)
        send(String(repeating: " ", count: 40_000), by: chunks)
        #expect(node.closed.isEmpty)
        node.stopped.insert(texts)
        send(#"{"t":"d","d":{"r":1,"a":"g","b":{"p":"/u","q":{}}}}"#, by: texts)
        for _ in 0..<300 { send(#"{"t":"c","d":{"t":"p","d":{}}}"#, by: texts) }
        #expect(node.closed.isEmpty)
        for _ in 0..<100 { send(#"{"t":"c","d":{"t":"p","d":{}}}"#, by: texts) }
        #expect(node.closed == [chunks])
        node.resume(texts)
        #expect(
            self.texts(texts).suffix(400).allSatisfy { $0 == #"{"t":"c","d":{"t":"o","d":{}}}"# })
        send("3", by: texts)
        send(String(repeating: " ", count: 49_000), by: texts)
        #expect(node.closed == [chunks])
    }

    @Test mutating func `a large update leaves in parts`() {
        let large = "\"" + String(repeating: "x", count: 300_000) + "\""
        _ = node.curl("/u.json", "PUT", body: #"{"z":1}"#)
        let id = connect()
        _ = events(id)
        send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/u","h":""}}}"#, by: id)
        _ = events(id)
        node.stopped.insert(id)
        _ = node.curl("/u.json", "PATCH", body: "{\"a\":\(large),\"b\":\(large)}")
        let first = node.read(id)
        #expect(first.count < 400_000)
        node.resume(id)
        let bytes = first + node.read(id)
        var reader = WebSocketReader(isMasked: false, messageLimit: 1 << 24)
        var joiner = ChunkJoiner()
        var messages: [String] = []
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while case .text(let text)? = reader.next(in: &rest) {
                guard case .message(let whole) = joiner.append(text) else { continue }
                messages.append(String(decoding: whole, as: UTF8.self))
            }
        }
        #expect(
            messages == [
                #"{"t":"d","d":{"a":"m","b":{"p":"u","d":{"a":\#(large),"b":\#(large)}}}}"#
            ])
    }

    @Test mutating func `a large value asks the replica to hold back, and comes whole`() {
        let large = "\"" + String(repeating: "x", count: 300_000) + "\""
        _ = node.curl("/u.json", "PUT", body: "{\"a\":\(large),\"b\":\(large)}")
        let id = connect()
        _ = events(id)
        node.stopped.insert(id)
        send(#"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/u","h":""}}}"#, by: id)
        #expect(node.read(id).count < 400_000)
        #expect(node.sessionOutputs.last == .backpressured(id))
        node.resume(id)
        #expect(node.read(id).count > 200_000)
        #expect(node.sessionOutputs.last == .writable(id))
    }
}
