import SyncProtocol
import Testing

/// The digests of sleeping databases.
@Suite struct DatabaseDigestsTests {
    private let digests = DatabaseDigests(
        of: "test",
        [.init(DatabaseName("chat")!, 0x0102_0304_0506_0708), .init(DatabaseName("game")!, nil)])

    @Test func `a list arrives as it was sent`() {
        #expect(DatabaseDigests.isPresent(in: digests.bytes))
        #expect(DatabaseDigests(digests.bytes) == digests)
        #expect(DatabaseDigests(DatabaseDigests(of: "", []).bytes)?.entries == [])
    }

    @Test func `a damaged or shorter list is none`() {
        for index in digests.bytes.indices {
            var bytes = digests.bytes
            bytes[index] ^= 1
            #expect(DatabaseDigests(bytes) == nil)
            #expect(DatabaseDigests(Array(digests.bytes[..<index])) == nil)
        }
    }

    @Test func `equal vectors have equal digests, folded or not, and others another one`() {
        let one = WriterID(bits: 5)
        let two = WriterID(bits: 9)
        var vector = VersionVector()
        (vector[one], vector[two]) = (3, 1)
        var folded = vector
        folded.fold(vector.folding { origin, _ in origin == one }!)
        #expect(folded == vector && folded.digest == vector.digest)
        var later = vector
        later[two] = 2
        #expect(later.digest != vector.digest)
        #expect(VersionVector().digest != 0)
    }
}
