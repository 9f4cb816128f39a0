import Testing

@testable import ClusterNode

@Suite struct `A queue of publications` {
    private let gap = PublicationQueue.gapNanoseconds

    @Test func `sends nothing while it is empty`() {
        #expect(PublicationQueue().due(atNanoseconds: 10 * gap) == .never)
    }

    @Test func `sends a frame at once after a pause, and the next ones together a gap later`() {
        var queue = PublicationQueue()
        let start = 10 * gap
        queue.append([1])
        #expect(queue.due(atNanoseconds: start) == .now)
        #expect(queue.removeAll(atNanoseconds: start) == [[1]])
        #expect(queue.due(atNanoseconds: start + 1) == .never)

        queue.append([2])
        #expect(queue.due(atNanoseconds: start + gap / 4) == .after(nanoseconds: gap - gap / 4))
        queue.append([3])
        #expect(queue.due(atNanoseconds: start + gap - 1) == .after(nanoseconds: 1))
        #expect(queue.due(atNanoseconds: start + gap) == .now)
        #expect(queue.removeAll(atNanoseconds: start + gap) == [[2], [3]])
    }

    @Test func `sends much at once`() {
        var queue = PublicationQueue()
        queue.append([1])
        _ = queue.removeAll(atNanoseconds: 10 * gap)
        queue.append([UInt8](repeating: 0, count: PublicationQueue.byteLimit - 1))
        #expect(queue.due(atNanoseconds: 10 * gap) == .after(nanoseconds: gap))
        queue.append([1])
        #expect(queue.due(atNanoseconds: 10 * gap) == .now)
    }
}
