import EventLoop
import Glibc
import Synchronization
import Testing
import Threads

@Suite struct `An event loop` {
    @Test func `a posted job runs on the loop's thread, in the order of posting`() throws {
        let loop = try Loop()
        let numbers = Mutex([Int]())
        let threads = Mutex(Set<pthread_t>())
        let poster = SystemThread {
            for number in 0..<1000 {
                loop.post {
                    numbers.withLock { $0.append(number) }
                    threads.withLock { _ = $0.insert(pthread_self()) }
                }
            }
            loop.stop()
        }
        loop.run()
        poster?.join()
        #expect(numbers.withLock { $0 } == Array(0..<1000))
        #expect(threads.withLock { $0 } == [pthread_self()])
    }

    @Test func `jobs of several threads all run before the stop that follows them`() throws {
        let loop = try Loop()
        var sum = 0
        let mailbox = loop.mailbox { (number: Int) in sum += number }
        let stopper = SystemThread {
            let posters = (0..<4).map { _ in
                SystemThread { for number in 1...2500 { mailbox.post(number) } }
            }
            for poster in posters { poster?.join() }
            loop.stop()
        }
        loop.run()
        stopper?.join()
        #expect(sum == 4 * 2500 * 2501 / 2)
    }

    @Test func `a job that posts a job leaves it to the next turn`() throws {
        let loop = try Loop()
        let seen = Mutex([String]())
        loop.atEndOfTurn = { seen.withLock { $0.append("end of turn") } }
        loop.post {
            seen.withLock { $0.append("first") }
            loop.post {
                seen.withLock { $0.append("second") }
                loop.stop()
            }
        }
        loop.run()
        #expect(
            seen.withLock { $0 } == [
                "first", "end of turn", "second", "end of turn", "end of turn",
            ])
    }

    @Test func `the end of a turn follows every callback that was ready`() throws {
        let loop = try Loop()
        let pipes = try (0..<5).map { _ in try Pipe() }
        var readInTurn = [0]
        let watchers = try pipes.map { pipe in
            try loop.watch(pipe.reading) {
                pipe.readAll()
                readInTurn[readInTurn.count - 1] += 1
            }
        }
        loop.atEndOfTurn = { readInTurn.append(0) }
        for pipe in pipes { pipe.write("x") }
        loop.stop()
        loop.run()
        withExtendedLifetime(watchers) {}
        #expect(readInTurn.reduce(0, +) == 5)
        #expect(readInTurn[0] == 5)
    }

    @Test func `an early stop ends the next run after one turn`() throws {
        let loop = try Loop()
        var turns = 0
        loop.atEndOfTurn = { turns += 1 }
        loop.stop()
        loop.run()
        #expect(turns == 1)
    }

    @Test func `a loop that is released releases what its end of turn captured`() throws {
        final class Owner {}
        weak var released: Owner?
        do {
            let owner = Owner()
            released = owner
            let loop = try Loop()
            loop.atEndOfTurn = { withExtendedLifetime(owner) {} }
            loop.stop()
            loop.run()
        }
        #expect(released == nil)
    }

    @Test func `a call from another thread traps while the loop runs`() async {
        await #expect(processExitsWith: .failure) {
            let loop = try Loop()
            loop.post {
                SystemThread { _ = try? loop.timer(after: .zero) {} }?.join()
                loop.stop()
            }
            loop.run()
        }
    }

    @Test func `the clocks go forward and agree with the system's`() {
        let before = Loop.monotonicNanoseconds
        let wall = Loop.wallClockMilliseconds
        #expect(Loop.monotonicNanoseconds > before)
        #expect(abs(Int64(wall) - Int64(time(nil)) * 1000) < 2000)
    }
}
