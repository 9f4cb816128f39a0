import SyncProtocol
import Testing

@testable import ClusterNode

/// Decoding on all processors gives what decoding one by one does.
@Suite struct ConcurrentDecodingTests {
    @Test func `what was decoded comes in order, the last part at the end`() throws {
        var decoding = ConcurrentDecoding { (number: Int) throws(FrameError) in number * 2 }
        var decoded: [Int] = []
        for number in 0..<1_000 {
            for result in decoding.add(number, byteCount: 10_000) {
                decoded.append(try result.get())
            }
        }
        #expect((1..<1_000).contains(decoded.count), "some was decoded on the way, not all")
        for result in decoding.finish() { decoded.append(try result.get()) }
        #expect(decoded == (0..<1_000).map { $0 * 2 })
        #expect(decoding.finish().isEmpty)
    }

    @Test func `a failure stands where it was found`() {
        let failure = FrameError(offset: 3, problem: "broken", fix: "mend it")
        var decoding = ConcurrentDecoding { (number: Int) throws(FrameError) in
            if number == 2 { throw failure }
            return number
        }
        for number in 0..<4 { #expect(decoding.add(number, byteCount: 1).isEmpty) }
        let decoded = decoding.finish()
        #expect(decoded.map { (try? $0.get()) ?? -1 } == [0, 1, -1, 3])
        #expect(throws: FrameError.self) { try decoded[2].get() }
    }
}
