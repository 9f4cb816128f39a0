import SyncProtocol
import Testing

@Suite struct DatabaseListTests {
    private let list = DatabaseList(
        of: "a", names: [DatabaseName("chat")!], removed: [DatabaseName("x")!])

    @Test func `a list comes back as it was`() {
        let bytes = list.bytes
        #expect(
            bytes.dropLast(4)
                == [0xD1, 1, 0x61, 0, 4, 0x63, 0x68, 0x61, 0x74, 1, 1, 0x78])
        #expect(DatabaseList.isPresent(in: bytes) && DatabaseList(bytes) == list)
        let empty = DatabaseList(of: "cluster", names: [], removed: [])
        #expect(DatabaseList(empty.bytes) == empty)
    }

    @Test func `damaged and other bytes are no list`() {
        for index in list.bytes.indices {
            var bytes = list.bytes
            bytes[index] ^= 1
            #expect(DatabaseList(bytes) == nil, "byte \(index)")
            #expect(DatabaseList(Array(list.bytes[..<index])) == nil)
        }
        let name = DatabaseList(of: "a", names: [.default], removed: [])
        #expect(DatabaseList(name.bytes) == nil)
    }

    @Test func `a node without named databases refuses a list as another version`() {
        let error = #expect(throws: FrameError.self) {
            try FrameReader<PeerMessage>.messages(in: list.bytes)
        }
        #expect(error?.code == .version)
    }
}
