import SyncProtocol
import Testing

@Suite struct DatabaseNameTests {
    @Test(arguments: [
        "a", "chat", "demo-default-rtdb", "0", "7-", String(repeating: "z", count: 63),
    ])
    func `a name has 1 to 63 characters of a-z, 0-9 and -`(text: String) {
        #expect(DatabaseName(text)?.text == text)
    }

    @Test(arguments: [
        "", "-a", "Chat", "a_b", "a.b", "a/b", "a b", "..", "ä", "_catalog",
        String(repeating: "z", count: 64),
    ])
    func `another text is no name`(text: String) { #expect(DatabaseName(text) == nil) }

    @Test func `capitals of clients are small letters`() {
        #expect(DatabaseName(anyCase: "Chat-DB2")?.text == "chat-db2")
        for text in ["a_b", "Ä", "_Catalog", "\u{212A}", ""] {
            #expect(DatabaseName(anyCase: text) == nil)
        }
    }

    @Test func `the path of a native client names its database`() throws {
        let chat = try #require(DatabaseName("chat"))
        #expect(NativeProtocol.path(of: nil) == "/.hearth")
        #expect(NativeProtocol.path(of: .default) == "/.hearth/default")
        #expect(NativeProtocol.path(of: chat) == "/.hearth/chat")
        #expect(NativeProtocol.path(of: chat, onlyExisting: true) == "/.hearth/chat?create=false")
        #expect(NativeProtocol.path(of: nil, onlyExisting: true) == "/.hearth")
        #expect(NativeProtocol.databaseText(inPath: "/.hearth/chat") == "chat")
        #expect(NativeProtocol.databaseText(inPath: "/.hearth") == nil)
        #expect(NativeProtocol.isPath("/.hearth") && NativeProtocol.isPath("/.hearth/chat"))
        #expect(!NativeProtocol.isPath("/.hearthchat") && !NativeProtocol.isPath("/chat"))
    }
}

@Suite struct DatabaseEnvelopeTests {
    private let chat = DatabaseName("chat")!

    @Test func `an envelope comes back as it was`() {
        let envelope = DatabaseEnvelope(chat, epoch: 0x0102_0304, .synchronizing, [1, 2, 3])
        let bytes = envelope.bytes
        #expect(bytes == [0xD0, 4, 0x63, 0x68, 0x61, 0x74, 4, 3, 2, 1, 1, 1, 2, 3])
        #expect(DatabaseEnvelope.isPresent(in: bytes))
        #expect(DatabaseEnvelope(bytes) == envelope)
    }

    @Test func `a node without named databases refuses an envelope as another version`() {
        let frame = DatabaseEnvelope(chat, .used, PeerMessage.requestHeartbeat.frame).bytes
        let error = #expect(throws: FrameError.self) {
            try FrameReader<PeerMessage>.messages(in: frame)
        }
        #expect(error?.code == .version)
        #expect(!DatabaseEnvelope.isPresent(in: PeerMessage.requestHeartbeat.frame))
    }

    @Test(
        arguments: [
            [], [0xD0], [0xD0, 4], [0xD0, 0, 1], [0xD0, 4, 0x63, 0x68, 0x61, 0x74],
            [0xD0, 4, 0x63, 0x68, 0x61, 0x74, 0, 0, 0, 0],
            [0xD0, 4, 0x63, 0x68, 0x61, 0x74, 0, 0, 0, 0, 2],
            [0xD0, 4, 0x63, 0x68, 0x61, 0x74, 0, 0, 0, 0, 3, 1],
            [0xD0, 255, 0x63, 0, 0, 0, 0, 1, 1], [0xD0, 1, 0x5F, 0, 0, 0, 0, 2, 1],
            [1, 1, 0x63, 0, 0, 0, 0, 2, 1],
            // The default database has no envelope.
            [0xD0, 7, 0x64, 0x65, 0x66, 0x61, 0x75, 0x6C, 0x74, 0, 0, 0, 0, 2, 1],
        ] as [[UInt8]])
    func `other bytes are no envelope`(bytes: [UInt8]) { #expect(DatabaseEnvelope(bytes) == nil) }
}
