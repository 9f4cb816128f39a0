import DataTree
import Testing

@testable import SyncProtocol

@Suite struct BatchCodingTests {
    @Test func `a batch comes back as it was, and its head without it`() throws {
        var random = Seeded(4)
        for _ in 0..<300 {
            let batch = random.batch()
            let bytes = BatchCoding.encode(batch)
            #expect(try BatchCoding.decode(bytes) == batch)
            let head = try BatchCoding.decodeHead(bytes)
            #expect(head.origin == batch.origin && head.first == batch.first)
            #expect(head.last == batch.last && head.count == batch.operations.count)
            #expect(head.dependencies == batch.dependencies)
            #expect(head.wallMilliseconds == batch.wallMilliseconds)
        }
    }

    @Test func `a writer used again makes what a new one makes`() {
        var random = Seeded(5)
        var writer = BatchWriter(origin: WriterID(bits: 9))
        for _ in 0..<50 {
            var batch = random.batch()
            batch.origin = writer.origin
            for operation in batch.operations { writer.append(operation) }
            #expect(writer.count == batch.operations.count)
            let bytes = writer.finish(
                first: batch.first, wallMilliseconds: batch.wallMilliseconds,
                dependencies: batch.dependencies)
            #expect(bytes == BatchCoding.encode(batch))
            #expect(writer.isEmpty && writer.byteCount == 0)
        }
    }

    @Test func `one flipped bit anywhere is found`() {
        var random = Seeded(6)
        let bytes = BatchCoding.encode(random.batch())
        #expect(bytes.count > 100)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            if (try? BatchCoding.decode(damaged)) != nil {
                Issue.record("bit \(bit) is not missed")
            }
        }
    }

    @Test func `a batch of no operations or from sequence 0 is refused`() {
        let stamp = Stamp(time: HybridTime(milliseconds: 5), writer: WriterID(bits: 1))
        let operation = Operation(stamp: stamp, writes: [])
        let zero = Batch(
            origin: stamp.writer, first: 0, wallMilliseconds: 1, dependencies: VersionVector(),
            operations: [operation])
        let error = #expect(throws: FrameError.self) {
            try BatchCoding.decode(BatchCoding.encode(zero))
        }
        #expect(error?.problem.contains("found 1 from 0 on") == true)
        #expect(throws: FrameError.self) {
            try BatchCoding.decodeHead([0x95, 1, 1, 1, 0x80, 0x90])
        }
    }

    @Test func `the checksum is CRC-32C`() {
        #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(checksum([]) == 0)
        // RFC 3720, B.4.
        #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(checksum(Array(0..<32)) == 0x46DD_794E)
    }

    private func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBytes { Checksum.crc32c(of: $0) }
    }
}
