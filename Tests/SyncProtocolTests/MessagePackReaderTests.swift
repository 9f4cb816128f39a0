import Testing

@testable import SyncProtocol

/// Elements that a reader passes over without knowing them.
@Suite struct MessagePackReaderTests {
    /// One element of each form, by the specification of MessagePack.
    static let elements: [[UInt8]] = [
        [0x05], [0xFF], [0xC0], [0xC2], [0xC3],
        [0xCA, 0, 0, 0, 0], [0xCB, 0, 0, 0, 0, 0, 0, 0, 0],
        [0xCC, 1], [0xCD, 0, 1], [0xCE, 0, 0, 0, 1], [0xCF, 0, 0, 0, 0, 0, 0, 0, 1],
        [0xD0, 1], [0xD1, 0, 1], [0xD2, 0, 0, 0, 1], [0xD3, 0, 0, 0, 0, 0, 0, 0, 1],
        [0xA2, 0x61, 0x62], [0xD9, 2, 0x61, 0x62], [0xDA, 0, 2, 0x61, 0x62],
        [0xDB, 0, 0, 0, 2, 0x61, 0x62],
        [0xC4, 2, 7, 8], [0xC5, 0, 2, 7, 8], [0xC6, 0, 0, 0, 2, 7, 8],
        // A type, then as many bytes as the head counts.
        [0xC7, 3, 1, 7, 8, 9], [0xC8, 0, 3, 1, 7, 8, 9], [0xC9, 0, 0, 0, 3, 1, 7, 8, 9],
        [0xC7, 0, 1],
        [0xD4, 1, 7], [0xD5, 1, 7, 8], [0xD6, 1, 6, 7, 8, 9], [0xD7, 1, 1, 2, 3, 4, 5, 6, 7, 8],
        [0xD8, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        [0x90], [0x92, 1, 0x91, 2], [0xDC, 0, 2, 1, 2], [0xDD, 0, 0, 0, 2, 1, 2],
        [0x80], [0x82, 1, 2, 3, 0x81, 4, 5], [0xDE, 0, 1, 1, 2], [0xDF, 0, 0, 0, 1, 1, 2],
    ]

    @Test(arguments: elements)
    func `an element of any form is passed over as a whole`(element: [UInt8]) throws {
        try (element + [0x2A]).withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            try reader.skip()
            #expect(reader.position == element.count)
            #expect(try reader.unsigned("the number behind it") == 42)
            #expect(reader.isAtEnd)
        }
    }

    @Test(arguments: elements)
    func `an element that ends early is refused`(element: [UInt8]) {
        for count in 0..<element.count {
            element.prefix(count).withUnsafeBytes { bytes in
                var reader = MessagePackReader(bytes)
                #expect(throws: FrameError.self) { try reader.skip() }
            }
        }
    }

    @Test func `a count is refused where less bytes follow than it needs`() {
        // Arrays need a byte for each element, maps two.
        for (bytes, isEnough) in [
            ([0x93, 1, 2, 3], true), ([0x93, 1, 2], false),
            ([0x82, 1, 2, 3, 4], true), ([0x82, 1, 2, 3], false),
        ] as [([UInt8], Bool)] {
            bytes.withUnsafeBytes { bytes in
                var reader = MessagePackReader(bytes)
                #expect(((try? reader.head()) != nil) == isEnough)
            }
        }
    }

    @Test(
        arguments: [[0xA1, 0x80], [0xA2, 0x00, 0x80], [0xA1, 0xFF], [0xA2, 0xC3, 0x28]] as [[UInt8]]
    )
    func `a string that is no UTF-8 is refused`(element: [UInt8]) {
        element.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            #expect(throws: FrameError.self) { try reader.string("a text") }
        }
    }
}
