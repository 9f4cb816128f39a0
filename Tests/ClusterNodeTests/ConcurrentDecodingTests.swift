import SyncProtocol
import Testing

@testable import ClusterNode

/// Decoding on all processors gives what decoding one by one does.
@Suite struct ConcurrentDecodingTests {
    @Test func `decoded batches arrive in order`() throws {
        let decoded = concurrently(Array(0..<1_000)) { number throws(FrameError) in number * 2 }
        #expect(decoded.map { (try? $0.get()) ?? -1 } == (0..<1_000).map { $0 * 2 })
        let none = concurrently([Int]()) { number throws(FrameError) in number }
        #expect(none.isEmpty)
    }

    @Test func `a failure keeps its position in the order`() {
        let failure = FrameError(offset: 3, problem: "broken", fix: "mend it")
        let decoded = concurrently(Array(0..<4)) { number throws(FrameError) in
            if number == 2 { throw failure }
            return number
        }
        #expect(decoded.map { (try? $0.get()) ?? -1 } == [0, 1, -1, 3])
        #expect(throws: FrameError.self) { try decoded[2].get() }
    }
}
