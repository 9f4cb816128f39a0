import Testing

@testable import HTTPText

@Suite struct `A reader of WebSocket frames` {
    @Test(arguments: [
        // The examples of RFC 6455, section 5.7.
        ("81 85 37fa213d 7f9f4d5158", [WebSocketEvent.text(Array("Hello".utf8))]),
        ("89 85 37fa213d 7f9f4d5158", [.ping(Array("Hello".utf8))]),
        ("8a 85 37fa213d 7f9f4d5158", [.pong(Array("Hello".utf8))]),
        ("89 81 00000000 01  89 81 00000000 02", [.ping([1]), .ping([2])]),
        ("82 80 00000000", [.binary([])]),
        ("82 83 00000000 010203", [.binary([1, 2, 3])]),
        ("88 80 00000000", [.closed(nil)]),
        ("88 82 00000000 03e8", [.closed(.normal)]),
        ("88 84 00000000 0fa0 6869", [.closed(WebSocketCloseCode(rawValue: 4000))]),
        // A message in three parts, with a ping between them.
        (
            "02 81 00000000 01  00 81 00000000 02  89 81 00000000 09  80 81 00000000 03",
            [.ping([9]), .binary([1, 2, 3])]
        ),
        ("01 80 00000000  00 80 00000000  80 80 00000000", [.text([])]),
        // Nothing is read behind a close.
        ("88 80 00000000  82 80 00000000", [.closed(nil)]),
    ])
    func `makes messages of frames`(hex: String, events: [WebSocketEvent]) {
        #expect(read(bytes(hex)) == events)
    }

    @Test(arguments: [
        ("c2 80 00000000", "reserved bit"), ("a2 80 00000000", "reserved bit"),
        ("92 80 00000000", "reserved bit"), ("83 80 00000000", "3 is unknown"),
        ("87 80 00000000", "7 is unknown"), ("8b 80 00000000", "11 is unknown"),
        ("8f 80 00000000", "15 is unknown"), ("82 01 00", "not masked"),
        ("09 80 00000000", "has parts"), ("08 80 00000000", "has parts"),
        ("89 fe 007e 00000000", "too long"), ("88 ff 0000000000010000 00000000", "too long"),
        ("80 80 00000000", "without its beginning"), ("00 80 00000000", "without its beginning"),
        ("02 80 00000000 82 80 00000000", "before the one before"),
        ("02 80 00000000 01 80 00000000", "before the one before"),
        ("82 fe 007d 00000000", "more bytes than it needs"),
        ("82 ff 000000000000ffff 00000000", "more bytes than it needs"),
        ("82 ff 8000000000000000 00000000", "highest bit"),
        ("88 81 00000000 03", "one byte"), ("88 82 00000000 03ec", "1004 is no reason"),
        ("88 82 00000000 03ed", "1005 is no reason"), ("88 82 00000000 03ee", "1006 is no reason"),
        ("88 82 00000000 03f7", "1015 is no reason"), ("88 82 00000000 03e7", "999 is no reason"),
        ("88 82 00000000 07d0", "2000 is no reason"), ("88 82 00000000 1388", "5000 is no reason"),
    ])
    func `ends at a frame that breaks the rules`(hex: String, problem: String) throws {
        let events = read(bytes(hex) + bytes("82 80 00000000"))
        guard case .failed(let failure)? = events.last else {
            Issue.record("no failure: \(events)")
            return
        }
        #expect(events.count == 1)
        #expect(failure.code == .protocolError)
        #expect(failure.problem.contains(problem), "\(failure)")
    }

    @Test func `a client's end refuses masks, and reads frames without`() {
        var reader = WebSocketReader(isMasked: false, messageLimit: 100)
        #expect(read(bytes("82 02 0102"), by: &reader) == [.binary([1, 2])])
        let events = read(bytes("82 82 00000000 0102"), by: &reader)
        #expect(events == [.failed(.invalid("a frame is masked"))])
    }

    @Test(arguments: [0, 1, 7, 8, 125, 126, 127, 65_535, 65_536, 100_000])
    func `reads messages of any size, masked and not`(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for mask: UInt32 in [0, 0xA1B2_C3D4] {
            var frame: [UInt8] = []
            WebSocketWriter.append(.binary, payload, mask: mask, to: &frame)
            var reader = WebSocketReader(isMasked: mask != 0, messageLimit: 100_000)
            #expect(read(frame, by: &reader) == [.binary(payload)])
        }
    }

    @Test func `a message may be as large as the limit, and not a byte larger`() {
        let part = "82 83 00000000 010203"
        #expect(read(bytes(part), limit: 3) == [.binary([1, 2, 3])])
        let tooBig = WebSocketEvent.failed(
            WebSocketFailure(code: .tooBig, problem: "a message has more than 3 bytes"))
        #expect(read(bytes("82 84 00000000"), limit: 3) == [tooBig])
        // The limit is that of the whole message, and begins anew with each.
        let parts = "02 82 00000000 0102 80 81 00000000 03"
        #expect(read(bytes(parts + parts), limit: 3) == [.binary([1, 2, 3]), .binary([1, 2, 3])])
        #expect(read(bytes("02 82 00000000 0102 80 82 00000000"), limit: 3) == [tooBig])
        #expect(read(bytes("82 ff 7fffffffffffffff 00000000"), limit: 3) == [tooBig])
    }

    @Test func `a long text is skipped by readers that want that, and the next message is read`() {
        let text = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 % 95 + 32) }
        let beginning = WebSocketEvent.longText(Array(text.prefix(64 << 10)))
        var whole: [UInt8] = []
        WebSocketWriter.append(.text, text, mask: 0xA1B2_C3D4, to: &whole)
        // In parts of 70,000 bytes, with a ping in between: the second one exceeds the limit.
        var parts: [UInt8] = []
        for (number, start) in stride(from: 0, to: text.count, by: 70_000).enumerated() {
            var frame: [UInt8] = []
            let part = Array(text[start..<min(start + 70_000, text.count)])
            WebSocketWriter.append(.text, part, mask: 7, to: &frame)
            frame[0] = (number == 0 ? 0x01 : 0x00) | (start + 70_000 >= text.count ? 0x80 : 0)
            parts += frame + bytes("89 81 00000000 05")
        }
        let next = bytes("81 81 00000000 61")
        for (long, events) in [
            (whole, [beginning]), (parts, [.ping([5]), .ping([5]), beginning, .ping([5])]),
        ] {
            for size in [1, 1_000, long.count + next.count] {
                var reader = WebSocketReader(
                    isMasked: true, messageLimit: 100_000, skipsLongTexts: true)
                var found: [WebSocketEvent] = []
                let all = long + next
                for start in stride(from: 0, to: all.count, by: size) {
                    found += read(Array(all[start..<min(start + size, all.count)]), by: &reader)
                    #expect(reader.waitingBytes <= 100_000)
                }
                #expect(found == events + [.text([0x61])])
            }
        }
        var reader = WebSocketReader(isMasked: true, messageLimit: 3, skipsLongTexts: true)
        let tooBig = WebSocketFailure(code: .tooBig, problem: "a message has more than 3 bytes")
        #expect(read(bytes("82 84 00000000"), by: &reader) == [.failed(tooBig)])
    }

    @Test func `makes the same of the bytes, however they are cut`() {
        var random = Seeded(7)
        for _ in 0..<60 {
            let bytes = Conversation.bytes(using: &random)
            let whole = read(bytes)
            for cut in 0...bytes.count {
                #expect(read([bytes[..<cut], bytes[cut...]]) == whole)
            }
            #expect(read(bytes.map { [$0][...] }) == whole)
        }
    }

    private func read(_ bytes: [UInt8], limit: Int = 1 << 20) -> [WebSocketEvent] {
        var reader = WebSocketReader(isMasked: true, messageLimit: limit)
        return read(bytes, by: &reader)
    }

    private func read(_ pieces: [ArraySlice<UInt8>]) -> [WebSocketEvent] {
        var reader = WebSocketReader(isMasked: true, messageLimit: 400)
        return pieces.flatMap { read(Array($0), by: &reader) }
    }

    private func read(_ bytes: [UInt8], by reader: inout WebSocketReader) -> [WebSocketEvent] {
        bytes.withUnsafeBytes { bytes in
            var (rest, events) = (bytes, [WebSocketEvent]())
            while let event = reader.next(in: &rest) { events.append(event) }
            #expect(rest.isEmpty)
            return events
        }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// Frames as a client may send them, some of them invalid.
private enum Conversation {
    static func bytes(using random: inout Seeded) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<6 {
            let size = Int.random(
                in: 0..<(Int.random(in: 0..<8, using: &random) == 0 ? 200 : 12), using: &random)
            let payload = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            let kinds: [WebSocketFrameKind] = [.text, .binary, .ping, .pong]
            var kind = kinds.randomElement(using: &random) ?? .text
            if size > 125 { kind = .binary }
            let start = bytes.count
            WebSocketWriter.append(
                kind, payload, mask: .random(in: 1 ... .max, using: &random), to: &bytes)
            if Int.random(in: 0..<12, using: &random) == 0 {
                bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
        return bytes
    }
}

/// Numbers of chance from a seed: SplitMix64, by Steele, Lea and Flood.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
