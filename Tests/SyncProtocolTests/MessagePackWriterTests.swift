import DataTree
import Testing

@testable import SyncProtocol

/// Elements take their smallest form, on both sides of each bound of the specification.
@Suite struct MessagePackWriterTests {
    private func bytes(_ append: (inout MessagePackWriter) -> Void) -> [UInt8] {
        var writer = MessagePackWriter()
        append(&writer)
        return writer.bytes
    }

    @Test(
        arguments: [
            (15, 1, 1), (16, 3, 3), (255, 3, 3), (65_535, 3, 3), (65_536, 5, 5),
        ] as [(Int, Int, Int)])
    func `the head of an array or a map takes 1, 3 or 5 bytes`(count: Int, array: Int, map: Int) {
        #expect(bytes { $0.appendArrayHead(count) }.count == array)
        #expect(bytes { $0.appendMapHead(count) }.count == map)
    }

    @Test(
        arguments: [
            (31, 1, 2), (32, 2, 2), (255, 2, 2), (256, 3, 3), (65_535, 3, 3), (65_536, 5, 5),
        ] as [(Int, Int, Int)])
    func `the head of a string or of bytes takes 1, 2, 3 or 5 bytes`(
        count: Int, string: Int, binary: Int
    ) {
        #expect(bytes { $0.appendStringHead(count) }.count == string)
        let content = [UInt8](repeating: 7, count: count)
        #expect(bytes { $0.append(binary: content) }.count == binary + count)
    }

    @Test(
        arguments: [
            (0, 1), (127, 1), (128, 2), (255, 2), (256, 3), (65_535, 3), (65_536, 5),
            (4_294_967_295, 5), (4_294_967_296, 9), (.max, 9), (-1, 1), (-32, 1), (-33, 2),
            (-128, 2), (-129, 3), (-32_768, 3), (-32_769, 5), (-2_147_483_648, 5),
            (-2_147_483_649, 9), (.min, 9),
        ] as [(Int64, Int)])
    func `an integer takes its smallest form, and is read as it was`(
        number: Int64, size: Int
    ) throws {
        let bytes = bytes { $0.append(number) }
        #expect(bytes.count == size)
        try bytes.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            guard case .integer(number) = try reader.head() else {
                Issue.record("\(number) came back as something else")
                return
            }
        }
    }

    @Test func `an integer beyond the signed ones keeps its bits`() {
        bytes { $0.append(UInt64.max) }.withUnsafeBytes { bytes in
            var reader = MessagePackReader(bytes)
            #expect((try? reader.unsigned("a number")) == .max)
            #expect(reader.isAtEnd)
        }
    }
}
