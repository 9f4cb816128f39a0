import ReplicaCore
import Testing

@testable import ClusterNode

@Suite struct `A queue of publications` {
    private let gap = PublicationQueue.gapNanoseconds
    private let busyGap = PublicationQueue.busyGapNanoseconds
    private let window = PublicationQueue.windowNanoseconds

    @Test func `sends nothing while it is empty`() {
        #expect(PublicationQueue().due(atNanoseconds: 10 * gap) == .never)
    }

    @Test func `sends a frame at once after a pause, and the next ones together a gap later`() {
        var queue = PublicationQueue()
        let start = 10 * gap
        queue.append([1], .gathered)
        #expect(queue.due(atNanoseconds: start) == .now)
        #expect(queue.removeAll(atNanoseconds: start) == [[1]])
        #expect(queue.due(atNanoseconds: start + 1) == .never)

        queue.append([2], .gathered)
        #expect(queue.due(atNanoseconds: start + gap / 4) == .after(nanoseconds: gap - gap / 4))
        queue.append([3], .gathered)
        #expect(queue.due(atNanoseconds: start + gap - 1) == .after(nanoseconds: 1))
        #expect(queue.due(atNanoseconds: start + gap) == .now)
        #expect(queue.removeAll(atNanoseconds: start + gap) == [[2], [3]])
    }

    @Test func `sends much at once`() {
        var queue = PublicationQueue()
        queue.append([1], .gathered)
        _ = queue.removeAll(atNanoseconds: 10 * gap)
        queue.append([UInt8](repeating: 0, count: PublicationQueue.byteLimit - 1), .gathered)
        #expect(queue.due(atNanoseconds: 10 * gap) == .after(nanoseconds: gap))
        queue.append([1], .gathered)
        #expect(queue.due(atNanoseconds: 10 * gap) == .now)
    }

    @Test func `gathers for longer once a window was busy, until one is not`() {
        var queue = PublicationQueue()
        var now = 10 * window
        _ = queue.removeAll(atNanoseconds: now)
        #expect(delay(of: queue, at: now) == gap)
        publish(PublicationQueue.busyFrames - 1, from: &queue, in: &now)
        #expect(delay(of: queue, at: now) == gap)
        publish(PublicationQueue.busyFrames, from: &queue, in: &now)
        #expect(delay(of: queue, at: now) == busyGap)
        // A pause counts as well: these are half as many in each of two windows.
        for index in 1...PublicationQueue.busyFrames {
            queue.append([0], .gathered)
            let isLast = index == PublicationQueue.busyFrames
            _ = queue.removeAll(atNanoseconds: isLast ? now + 2 * window : now + 1)
        }
        #expect(delay(of: queue, at: now + 2 * window) == gap)
    }

    @Test func `sends awaited batches after the short gap, with all earlier ones`() {
        var queue = PublicationQueue()
        var now = 10 * window
        _ = queue.removeAll(atNanoseconds: now)
        publish(PublicationQueue.busyFrames, from: &queue, in: &now)
        queue.append([1], .gathered)
        #expect(queue.due(atNanoseconds: now) == .after(nanoseconds: busyGap))
        queue.append([2], .awaited)
        #expect(queue.due(atNanoseconds: now) == .after(nanoseconds: gap))
        #expect(queue.removeAll(atNanoseconds: now + gap) == [[1], [2]])
        queue.append([3], .gathered)
        #expect(queue.due(atNanoseconds: now + gap) == .after(nanoseconds: busyGap))
    }

    /// Sends frames in equal distances, the last one at the end of a window from now.
    private func publish(_ count: Int, from queue: inout PublicationQueue, in now: inout UInt64) {
        let start = now
        for index in 1...count {
            queue.append([0], .gathered)
            now = start + window * UInt64(index) / UInt64(count)
            _ = queue.removeAll(atNanoseconds: now)
        }
    }

    /// How long a frame waits that is published right after another one.
    private func delay(of queue: PublicationQueue, at now: UInt64) -> UInt64 {
        var queue = queue
        queue.append([0], .gathered)
        guard case .after(let nanoseconds) = queue.due(atNanoseconds: now) else { return 0 }
        return nanoseconds
    }
}
