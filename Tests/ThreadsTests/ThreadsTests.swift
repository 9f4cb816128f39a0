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

    @Test func `a wait with a limit ends with it, or with the result before that`() {
        let flag = Monitor(false)
        var looks = 0
        let nothing = flag.wait(upTo: .milliseconds(2)) { isSet in
            looks += 1
            return isSet ? true : nil
        }
        #expect(nothing == nil)
        #expect(looks >= 2, "it looks once more at the end")
        let setter = SystemThread {
            flag.withLock { $0 = true }
            flag.signal()
        }
        #expect(flag.wait(upTo: .seconds(600)) { $0 ? true : nil } == true)
        setter?.join()
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
