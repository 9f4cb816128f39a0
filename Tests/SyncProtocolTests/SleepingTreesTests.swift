import DataTree
import SyncProtocol
import Testing

@Suite struct SleepingTreesTests {
    private let trees = SleepingTrees(
        of: "cluster", "n1",
        [
            .init(DatabaseName("chat")!, operations: 1, TreeDigest(2, .max)),
            .init(DatabaseName("shop")!, operations: .max, TreeDigest(0, 3)),
        ])

    @Test func `digests of trees are read as they were written`() {
        #expect(SleepingTrees.isPresent(in: trees.bytes))
        #expect(SleepingTrees(trees.bytes) == trees)
        let none = SleepingTrees(of: "cluster", "n1", [])
        #expect(SleepingTrees(none.bytes) == none)
    }

    @Test func `damaged digests are none`() {
        let bytes = trees.bytes
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(SleepingTrees(damaged) == nil)
            #expect(SleepingTrees(Array(bytes[..<index])) == nil)
        }
    }

    @Test func `an entry that is cut short is refused`() {
        for count in 1..<33 {
            var bytes = Array(trees.bytes.dropLast(4 + count))
            bytes.append(contentsOf: checksum(of: bytes))
            if count == 29 { continue }  // The whole second entry.
            #expect(SleepingTrees(bytes) == nil, "without \(count) bytes")
        }
    }

    private func checksum(of bytes: [UInt8]) -> [UInt8] {
        let sum = bytes.withUnsafeBytes { Checksum.crc32c(of: $0) }
        return withUnsafeBytes(of: sum.littleEndian) { Array($0) }
    }
}
