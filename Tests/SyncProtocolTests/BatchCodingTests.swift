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

    @Test func `only a batch with an operation for a user says for whom they are`() throws {
        let stamp = Stamp(time: HybridTime(milliseconds: 5), writer: WriterID(bits: 1))
        func bytes(_ attributions: [Attribution?]) -> [UInt8] {
            BatchCoding.encode(
                Batch(
                    origin: stamp.writer, first: 1, wallMilliseconds: 1,
                    dependencies: VersionVector(),
                    operations: attributions.map {
                        Operation(stamp: stamp, writes: [], attribution: $0)
                    }))
        }
        let ada = Attribution(user: "ada", rules: "digest")
        let nobody = Attribution(user: nil, rules: "digest")
        let none = bytes([nil, nil, nil])
        #expect(none[0] == 0x95)
        // The last operations need no run; the digest occurs once.
        #expect(bytes([ada, nil, nil]).count == none.count + 1 + 1 + 1 + 4 + 7)
        #expect(bytes([ada, ada, ada]).count == bytes([ada, nil, nil]).count)
        #expect(bytes([nil, nil, ada]).count == bytes([ada, nil, nil]).count + 2)
        #expect(bytes([nobody, ada, nil]).count == bytes([ada, nil, nil]).count + 3)
        #expect(
            try BatchCoding.decode(bytes([nil, ada, nobody])).operations[2].attribution == nobody)
        // An administrator is a user under rules with an empty digest.
        let owner = Attribution(administrator: "secret:5f0c96a1")
        #expect(bytes([owner, nil, nil]).count == none.count + 1 + 1 + 1 + 16 + 1)
        #expect(bytes([owner, owner, owner]).count == bytes([owner, nil, nil]).count)
        #expect(
            try BatchCoding.decode(bytes([ada, owner, owner])).operations.map(\.attribution) == [
                ada, owner, owner,
            ])
    }

    @Test(
        arguments: [
            [], [0x91, 1], [0x93, 0xC0, 1], [0x91, 0x91, 0], [0x91, 0x91, 2], [0x91, 0x90],
            [0x91, 0x94, 1, 0xC0, 0xA0, 0xA0], [0x91, 0x92, 1, 0xC0], [0x91, 0x93, 1, 1, 0xA0],
            [0x92, 0x91, 1, 0x91, 1], [0x91, 0x93, 1, 0xC0, 0xA0, 0xC0],
        ] as [[UInt8]])
    func `runs that are none are refused`(runs: [UInt8]) {
        let head: [UInt8] = [0x96, 1, 1, 1, 0x80, 0x91, 0x93, 0, 0xC0, 0x90]
        func decoded(_ runs: [UInt8]) throws -> Batch {
            let content = head + runs
            let sum = checksum(content)
            return try BatchCoding.decode(
                content + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) })
        }
        #expect((try? decoded([0x91, 0x93, 1, 0xC0, 0xA0])) != nil)
        #expect(throws: FrameError.self) { try decoded(runs) }
    }

    @Test func `of the longest names only the beginning is noted, and equal bytes are one user`() {
        func attribution(_ user: String?, _ rules: String = "a") -> Attribution {
            Attribution(user: user, rules: rules)
        }
        let limit = Attribution.nameLimit
        let name = String(repeating: "é", count: limit / 2)
        #expect(attribution(name).user == name)
        #expect(attribution(name + "x").user == name)
        #expect(attribution("x" + name).user == "x" + name.dropLast())
        #expect(attribution("é") == attribution("é") && attribution(nil) == attribution(nil))
        #expect(attribution("é") != attribution("e\u{301}"))
        #expect(attribution("") != attribution(nil) && attribution(nil) != attribution(""))
        #expect(attribution("x") != attribution("x", "b"))
        #expect(attribution(nil) != attribution(nil, "b"))
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
