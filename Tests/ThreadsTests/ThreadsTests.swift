import Testing
import Threads

@Suite struct `Threads and monitors` {
    @Test func `a thread has ended when the join returns`() {
        let hasRun = Monitor(false)
        let thread = SystemThread { hasRun.withLock { $0 = true } }
        thread?.join()
        thread?.join()
        #expect(hasRun.withLock { $0 })
    }

    @Test func `a released thread runs on`() {
        let ended = Monitor(false)
        _ = SystemThread {
            ended.withLock { $0 = true }
            ended.signal()
        }
        ended.wait { $0 ? () : nil }
    }

    @Test func `a monitor loses no change of many threads`() {
        let count = Monitor(0)
        let threads = (0..<4).map { _ in
            SystemThread {
                for _ in 0..<10_000 { count.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread?.join() }
        #expect(count.withLock { $0 } == 40_000)
    }

    @Test func `what one thread adds another waits for and takes`() {
        let queue = Monitor([Int]())
        let producer = SystemThread {
            for number in 1...1000 {
                queue.withLock { $0.append(number) }
                queue.signal()
            }
        }
        var taken: [Int] = []
        while taken.count < 1000 {
            taken += queue.wait { numbers in
                guard !numbers.isEmpty else { return nil as [Int]? }
                defer { numbers = [] }
                return numbers
            }
        }
        producer?.join()
        #expect(taken == Array(1...1000))
    }
}
