import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import GatewayCore

/// Long messages, which travel in chunks.
@Suite struct ChunkTests {
    private typealias Rig = RealtimeRig

    /// Chunks as the JavaScript client cuts them: by UTF-16 code units.
    private func chunks(_ text: String, of count: Int = 16_384) -> [[UInt8]] {
        let units = Array(text.utf16)
        let parts = stride(from: 0, to: units.count, by: count).map {
            Array(
                String(decoding: units[$0..<min($0 + count, units.count)], as: UTF16.self).utf8)
        }
        return [Array(String(parts.count).utf8)] + parts
    }

    /// Chunks as the C++ client cuts them: by bytes.
    private func byteChunks(_ text: String, announcing extra: Int = 0) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        let parts = stride(from: 0, to: bytes.count, by: 16_384).map {
            Array(bytes[$0..<min($0 + 16_384, bytes.count)])
        }
        return [Array(String(parts.count + extra).utf8)] + parts
    }

    private func put(_ text: String, _ number: Int = 1) -> String {
        Rig.request(number, "p", #"{"p":"/a","d":"\#(text)"}"#)
    }

    @Test(arguments: [16_383, 16_384, 16_385, 40_000, 200_000])
    func `a long message of a client is joined, and a long one to it is cut`(length: Int) throws {
        var rig = Rig()
        _ = rig.connect()
        let text = String(repeating: "x", count: length)
        #expect(rig.send(chunks(put(text))) == [Rig.answer(1)])
        let answer = rig.request(2, "g", #"{"p":"/a","q":{}}"#)
        let whole = Rig.answer(2, "ok", #""\#(text)""#)
        #expect(answer == chunks(whole).map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: ["ü", "日", "😀", "x😀", "xy😀"])
    func `chunks to a client are cut between characters, and fit a frame`(character: String) throws
    {
        var rig = Rig()
        _ = rig.connect()
        let text = String(repeating: character, count: 60_000 / character.utf16.count)
        _ = rig.send(byteChunks(put(text)))
        let answer = rig.request(2, "g", #"{"p":"/a","q":{}}"#)
        #expect(answer.count == Int(answer[0])! + 1)
        #expect(answer.dropFirst().joined() == Rig.answer(2, "ok", #""\#(text)""#))
        for chunk in answer.dropFirst() {
            #expect(chunk.utf16.count <= 16_384 && chunk.utf8.count < 65_536)
            #expect(!chunk.contains("\u{FFFD}"))
        }
    }

    @Test(arguments: 1..<24)
    func `chunks may be cut inside a character`(offset: Int) {
        var rig = Rig()
        _ = rig.connect()
        let text = String(repeating: "x", count: offset) + String(repeating: "😀", count: 9_000)
        #expect(rig.send(byteChunks(put(text))) == [Rig.answer(1)])
        #expect(rig.replica.value[Key(unchecked: "a")] == .string(text))
    }

    @Test func `a client that announces one chunk too many is understood`() {
        let short = put("").utf8.count
        for count in 1...3 {
            let text = String(repeating: "x", count: count * 16_384 - short)
            var rig = Rig()
            _ = rig.connect()
            #expect(rig.send(byteChunks(put(text), announcing: 1)) == [Rig.answer(1)])
            #expect(rig.request(2, "s", "{}") == [Rig.answer(2)])
            #expect(rig.send(byteChunks(put(text, 3), announcing: 1) + [[]]) == [Rig.answer(3)])
            #expect(rig.send(byteChunks(put(text, 4), announcing: 1)) == [Rig.answer(4)])
            #expect(rig.send(chunks(put(text + "yz", 5))) == [Rig.answer(5)])
            #expect(rig.closed.isEmpty)
        }
    }

    @Test func `a chunk that ends with a brace is no whole message`() {
        let text = String(repeating: "}", count: 50_000)
        var rig = Rig()
        _ = rig.connect()
        #expect(rig.send(chunks(put(text))) == [Rig.answer(1)])
        #expect(rig.replica.value[Key(unchecked: "a")] == .string(text))
    }

    @Test func `a message beyond the limits that shows no number ends its session with a word`() {
        let chunk = [UInt8](repeating: 0x20, count: 60_000)
        let tooMuch = [
            [Array("300".utf8)] + Array(repeating: chunk, count: 280),
            [Array("10000".utf8), chunk],
        ]
        for messages in tooMuch {
            var rig = Rig()
            _ = rig.connect()
            #expect(
                rig.send(messages) == [
                    #"{"t":"c","d":{"t":"e","d":"The specified payload is too large, please request a location with less data."}}"#
                ])
            #expect(rig.closed == [SessionID(number: 1): 1_009])
        }
    }

    /// Requests of 17 MB and of 10,000 chunks are refused by their numbers, and the rest of their chunks is dropped.
    @Test(arguments: [(17 << 20, 16_384), (10_000 * 200, 200)])
    func `a request beyond the limits is refused, and the session goes on`(count: Int, size: Int) {
        let text = Array(put(String(repeating: "x", count: count), 5).utf8)
        let starts = Array(stride(from: 0, to: text.count, by: size))
        let chunks = starts.map { Array(text[$0..<min($0 + size, text.count)]) }
        var rig = Rig()
        _ = rig.connect()
        let told = rig.send([Array("\(chunks.count)".utf8)] + chunks)
        #expect(told.count == 1)
        #expect(told[0].hasPrefix(#"{"t":"d","d":{"r":5,"b":{"s":"write_too_big","d":""#))
        #expect(rig.request(6, "s", "{}") == [Rig.answer(6)])
        #expect(rig.closed.isEmpty && rig.replica.value.isNull)
    }

    @Test func `a large value is sent in parts, and later messages wait`() throws {
        var rig = Rig()
        _ = rig.connect()
        var children = Children()
        for number in 0..<40 {
            let text = String(repeating: "é\(number)", count: 10_000)
            children[Key(unchecked: "k\(10 + number)")] = .string(text)
        }
        let value = Value(children)
        let put = ClientMessage.put(id: 1, path: try Path("a"), value: value)
        rig.turn { rig in
            rig.step(.opened(SessionID(number: 9)))
            rig.step(.requestedMessages([put], by: SessionID(number: 9)))
        }
        var frames = rig.send(
            Rig.request(1, "q", #"{"p":"/a","h":""}"#), Rig.request(2, "s", "{}"))
        #expect(frames.first == Rig.answer(2), "it needs no data")
        frames.removeFirst()
        #expect(rig.request(8, "g", #"{"p":"/a/k10","q":{}}"#) == [], "it waits")
        #expect(rig.request(9, "g", #"{"p":"/a","q":{}}"#) == [], "it waits")
        var parts = 0
        while rig.isWaiting() {
            let part = rig.resume()
            #expect(part.reduce(0) { $0 + $1.utf8.count } < 400_000)
            frames += part
            parts += 1
        }
        #expect(parts > 6)
        let end = try #require(frames.firstIndex(of: Rig.answer(1, "ok", "{}")))
        #expect(frames[(end + 1)...].joined().contains(#""r":8"#))
        #expect(frames.last?.hasSuffix("}}}") == true)
        frames.removeSubrange(end...)
        #expect(frames.count == Int(frames[0])! + 1)
        let text = JSONWriter.text(of: value, form: .export)
        #expect(frames.dropFirst().joined() == Rig.push("d", "a", text))
        #expect(frames.dropFirst().allSatisfy { $0.utf16.count <= 16_384 })
        #expect(
            rig.request(3, "p", #"{"p":"/a","d":1}"#) == [Rig.push("d", "a", "1"), Rig.answer(3)])
    }

    @Test func `a large value begins once the one before it has left`() {
        var outgoing = RealtimeOutgoing()
        func text(of character: String) -> AnswerText {
            AnswerText(.string(String(repeating: character, count: 300 << 10)))
        }
        #expect(outgoing.send(value: text(of: "a")) == [])
        var parts = [outgoing.next()]
        while parts == [[]] { parts = [outgoing.next()] }
        #expect(outgoing.send(value: text(of: "b")) == [])
        while outgoing.isWaiting, parts.count < 20 {
            let part = outgoing.next()
            // None while its chunks are counted.
            if !part.isEmpty { parts.append(part) }
        }
        let both = parts.map { part in
            ["a", "b"].filter { character in part.contains { $0.contains(character.utf8.first!) } }
        }
        #expect(both == [["a"], ["a"], ["b"], ["b"]])
    }

    @Test func `chunks are counted some at a time, and there are as many`() {
        for (character, count) in [("x", 5_000_000), ("é", 3_000_001), ("x😀", 900_000)] {
            let text = String(repeating: character, count: count)
            var stream = ChunkStream(AnswerText(.string(text)))
            var counts = 0
            while case .counts = stream.next() { counts += 1 }
            var chunks: [[UInt8]] = []
            while case .frame(let chunk) = stream.next() { chunks.append(chunk) }
            #expect(counts > 1)
            #expect(chunks.joined().elementsEqual("\"\(text)\"".utf8))
            #expect(chunks.allSatisfy { (1..<65_536).contains($0.count) })
            var again = ChunkStream(AnswerText(.string(text)))
            var step = again.next()
            while case .counts = step { step = again.next() }
            #expect(step == .frame(Array("\(chunks.count)".utf8)))
            #expect(stream.next() == .ended)
        }
    }

    @Test func `a text that is not large is sent whole, at its end`() {
        for length in [0, 10, 16_384, 16_385, PartSizes().textBytes - 2] {
            let text = [UInt8](repeating: 0x78, count: length)
            var stream = ChunkStream(AnswerText(text))
            #expect(stream.next() == .whole(ChunkCutter.frames(of: text)))
            #expect(stream.next() == .ended)
        }
    }

    @Test func `many values that are asked for at once are made as the client reads them`() throws {
        var rig = Rig()
        _ = rig.connect()
        let text = String(repeating: "x", count: 100_000)
        _ = rig.send(chunks(put(text)))
        let requests = (2..<102).map { Rig.request($0, "g", #"{"p":"/a","q":{}}"#) }
        var frames = rig.send(requests.map { Array($0.utf8) })
        #expect((1 << 20..<1_200_000).contains(frames.reduce(0) { $0 + $1.utf8.count }))
        while rig.isWaiting() {
            let part = rig.resume()
            #expect(part.reduce(0) { $0 + $1.utf8.count } < 400_000)
            frames += part
        }
        let joined = frames.filter { $0.utf8.count > 6 }.joined()
        #expect(joined == (2..<102).map { Rig.answer($0, "ok", #""\#(text)""#) }.joined())
        // The next turn counts anew.
        #expect(rig.request(200, "g", #"{"p":"/a","q":{}}"#).count == 8)
    }
}
