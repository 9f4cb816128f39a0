import DataTree
import Testing

@testable import SyncProtocol

@Suite struct FrameTests {
    @Test func `messages come back as they were, many to a frame`() throws {
        var random = Seeded(2)
        for _ in 0..<1_000 {
            let client = (0..<3).map { _ in random.clientMessage() }
            #expect(try roundTrip(client) == client.map(Received.message))
            let node = (0..<3).map { _ in random.nodeMessage() }
            #expect(try roundTrip(node) == node.map(Received.message))
        }
        for _ in 0..<100 {
            let peer = (0..<3).map { _ in random.peerMessage() }
            #expect(try roundTrip(peer) == peer.map(Received.message))
        }
    }

    @Test func `a put has the bytes that the documentation shows`() throws {
        let message = ClientMessage.put(id: 7, path: try Path("a/b"), value: .string("hi"))
        let expected: [UInt8] = [
            1, 0x94, 0xA3, 0x70, 0x75, 0x74, 7, 0xA3, 0x61, 0x2F, 0x62, 0xA2, 0x68, 0x69,
        ]
        #expect(message.frame == expected)
    }

    @Test func `another version is refused by both numbers`() {
        let error = #expect(throws: FrameError.self) {
            try FrameReader<ClientMessage>.messages(in: [2, 0x90])
        }
        #expect(error?.code == .version)
        #expect(error?.problem == "the frame begins with 2, but this protocol has version 1")
    }

    @Test(arguments: [[], [1]] as [[UInt8]])
    func `a frame without messages is refused`(frame: [UInt8]) {
        #expect(throws: FrameError.self) { try FrameReader<ClientMessage>.messages(in: frame) }
    }

    @Test func `a wrong message is refused by its id, and the next one is read`() throws {
        var frame = FrameWriter()
        frame.append(ClientMessage.ping(id: 1))
        var wrong = MessagePackWriter()
        wrong.appendArrayHead(4)
        wrong.append("put")
        wrong.append(UInt64(2))
        wrong.append("a")
        wrong.append(binary: [1, 2, 3])
        var bytes = frame.bytes + wrong.bytes
        bytes += ClientMessage.ping(id: 3).frame.dropFirst()

        let received = try FrameReader<ClientMessage>.messages(in: bytes)
        #expect(received.count == 3)
        #expect(received.first == .message(.ping(id: 1)))
        #expect(received.last == .message(.ping(id: 3)))
        guard case .refused(id: 2, let error) = received[1] else {
            Issue.record("expected a refusal of id 2, got \(received[1])")
            return
        }
        #expect(error.problem == "expected a value at byte 16, found binary data")
    }

    @Test(
        arguments: [
            // ["sing", 5], ["get", 5], ["get", 5, 1], ["get", 5, "a.b"]
            (
                [0x92, 0xA4, 0x73, 0x69, 0x6E, 0x67, 5], "unknown message \"sing\"",
                "use one of put, ping, get"
            ),
            // A name that is no text.
            ([0x92, 0xA2, 0x67, 0xFF, 5], "unknown message \"g\u{FFFD}\"", "use one of put"),
            (
                [0x92, 0xA3, 0x67, 0x65, 0x74, 5],
                "\"get\" at byte 1 has 2 elements, and needs 3 or 4",
                "what the protocol's README shows for \"get\""
            ),
            (
                [0x94, 0xA3, 0x67, 0x65, 0x74, 5, 0xA1, 0x61, 0x81, 0xA1, 0x78, 1],
                "unknown option \"x\"", "\"get\" takes "
            ),
            ([0x93, 0xA3, 0x67, 0x65, 0x74, 5, 1], "expected a path", ""),
            ([0x93, 0xA3, 0x67, 0x65, 0x74, 5, 0xA3, 0x61, 0x2E, 0x62], "contains \".\"", ""),
            // The end is missing.
            ([0x93, 0xA3, 0x67, 0x65, 0x74, 5], "the element at byte 7 needs 1 bytes more", ""),
        ] as [([UInt8], String, String)])
    func `a refusal says what is wrong`(message: [UInt8], problem: String, fix: String) throws {
        let received = try FrameReader<ClientMessage>.messages(in: [1] + message)
        guard case .refused(let id, let error)? = received.first, received.count == 1 else {
            Issue.record("expected one refusal, got \(received)")
            return
        }
        #expect(error.problem.contains(problem), "\(error)")
        #expect(fix.isEmpty || error.fix.contains(fix), "\(error)")
        #expect(id == 5)
    }

    @Test func `junk gets one refusal, however long it is`() throws {
        for junk: UInt8 in [0xC0, 0x90, 0x01, 0xC1] {
            let frame = [1] + [UInt8](repeating: junk, count: 1_000)
            #expect(try FrameReader<ClientMessage>.messages(in: frame).count == 1)
        }
    }

    @Test func `only put and merge reach a priority, and only with what can be one`() throws {
        let priority = try Path("a/.priority")
        let accepted: [ClientMessage] = [
            .put(id: 1, path: priority, value: .string("x")),
            .merge(
                id: 1, path: try Path("a"),
                writes: [Write(path: try Path(".priority"), value: .null)]),
        ]
        for message in accepted { #expect(try roundTrip([message]) == [.message(message)]) }
        let refused: [ClientMessage] = [
            .put(id: 1, path: priority, value: .boolean(true)),
            .merge(id: 1, path: .root, writes: [Write(path: priority, value: .boolean(true))]),
            .merge(id: 1, path: priority, writes: []), .push(id: 1, path: priority, value: .null),
            .listen(id: 1, path: priority),
        ]
        for message in refused {
            guard case .refused(id: 1, _)? = try roundTrip([message]).first else {
                Issue.record("expected a refusal of \(message)")
                continue
            }
        }
    }

    @Test func `a vector with a writer twice and an empty range are refused`() throws {
        for (first, last, isAccepted) in [(3, 2, false), (0, 2, false), (1, 1, true)]
            as [(UInt64, UInt64, Bool)]
        {
            let range = PeerMessage.requestBatches(
                member: "n", origin: WriterID(bits: 1), from: first, through: last)
            let received = try roundTrip([range]).first
            if isAccepted {
                #expect(received == .message(range))
            } else {
                guard case .refused? = received else {
                    Issue.record("expected a refusal of \(range)")
                    return
                }
            }
        }
        let vector: [UInt8] = [0x82, 5, 1, 5, 1]
        vector.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            #expect(throws: FrameError.self) { try reader.vector() }
        }
    }

    private func roundTrip<Message: FrameMessage>(
        _ messages: [Message]
    ) throws -> [Received<Message>] {
        var frame = FrameWriter()
        for message in messages { frame.append(message) }
        var bytes = frame.bytes
        Message.seal(&bytes)
        return try FrameReader<Message>.messages(in: bytes)
    }
}
