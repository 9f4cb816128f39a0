import Testing

@testable import SyncProtocol

@Suite struct `The records of a node` {
    private let records: [NodeRecord] = {
        var random = Seeded(11)
        let writer = WriterID(bits: 7)
        var vector = VersionVector()
        vector[writer] = 4
        var more = vector
        more[WriterID(bits: 3)] = 1
        var less = VersionVector()
        less[WriterID(bits: 3)] = 2
        return [
            NodeRecord(microseconds: 1, .started(writer: writer, holds: vector)),
            NodeRecord(
                microseconds: 2,
                .served(session: 5, frame: [1, 2, 3], before: vector, after: more)),
            NodeRecord(
                microseconds: 3,
                .turned(
                    writer: writer, holds: more, stableTime: HybridTime(milliseconds: 9),
                    wallMilliseconds: 12)),
            NodeRecord(microseconds: 4, .stored([BatchCoding.encode(random.batch())])),
            NodeRecord(microseconds: 5, .durable(more)),
            NodeRecord(microseconds: 6, .published([9, 9])),
            NodeRecord(microseconds: 6, .serving),
            // A checkpoint takes the place of what there was.
            NodeRecord(
                microseconds: 7,
                .turned(
                    writer: writer, holds: less, stableTime: HybridTime(milliseconds: 10),
                    wallMilliseconds: 13)),
            NodeRecord(microseconds: 8, .durable(less)),
        ]
    }()

    private func bytes(_ records: some Sequence<NodeRecord>) -> [UInt8] {
        var writer = NodeRecordWriter()
        for record in records { writer.append(record) }
        return writer.takeBytes()
    }

    @Test func `come back as they were written`() throws {
        #expect(try NodeRecordReader.records(in: bytes(records)) == records)
    }

    @Test func `are all those that are whole where the end is missing`() throws {
        let all = bytes(records)
        for count in 0...all.count {
            let read = try NodeRecordReader.records(in: Array(all[..<count]))
            #expect(read == Array(records.prefix(read.count)))
            #expect(bytes(records.prefix(read.count)).count <= count)
        }
    }

    @Test func `of any bytes are an error or records`() {
        var random = Seeded(12)
        let all = bytes(records)
        for _ in 0..<20_000 {
            var mutated = all
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                mutated[Int.random(in: 0..<all.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            _ = try? NodeRecordReader.records(in: mutated)
        }
    }
}
