import EventLoop
import Glibc
import Testing

@Suite struct `A watcher` {
    @Test func `a readable descriptor calls back in every turn until it is read`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var seen: [String] = []
        let watcher = try loop.watch(pipe.reading) {
            seen.append(pipe.read(limit: 1))
            if seen.count == 3 { loop.stop() }
        }
        pipe.write("abc")
        loop.run()
        withExtendedLifetime(watcher) {}
        #expect(seen == ["a", "b", "c"])
    }

    @Test func `an edge calls back once for what arrived, and again when it is activated`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var seen: [String] = []
        var turns = 0
        let watcher = try loop.watchEdges(of: pipe.reading) { seen.append(pipe.read(limit: 1)) }
        loop.atEndOfTurn = {
            turns += 1
            if turns == 10 { watcher.activate() }
            if turns == 20 { loop.stop() }
        }
        // Keeps the turns coming while the edge is silent.
        let ticks = try loop.timer(every: .milliseconds(1)) {}
        pipe.write("abc")
        loop.run()
        withExtendedLifetime(ticks) {}
        #expect(seen == ["a", "b"])
    }

    @Test func `a callback that activates itself leaves room for the end of the turn`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var order = ""
        var again: Watcher?
        again = try loop.watchEdges(of: pipe.reading) {
            order += "r"
            again?.activate()
            again?.activate()
        }
        loop.atEndOfTurn = {
            order += "|"
            if order.count >= 8 { loop.stop() }
        }
        pipe.write("x")
        loop.run()
        again?.cancel()
        #expect(order.hasPrefix("r|r|r|r|"))
    }

    @Test func `a descriptor calls back in every turn in which it has room`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var calls = 0
        let watcher = try loop.watchWritable(pipe.writing) {
            calls += 1
            if calls == 3 { pipe.fill() }
        }
        var turns = 0
        let ticks = try loop.timer(every: .milliseconds(2)) {
            turns += 1
            if turns == 10 { pipe.readAll() }
            if calls > 3 { loop.stop() }
        }
        loop.run()
        #expect(turns >= 10)
        withExtendedLifetime((watcher, ticks)) {}
    }

    @Test func `a watcher that is released after it was activated stays silent`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var calls = 0
        var released: Watcher? = try loop.watchEdges(of: pipe.reading) { calls += 1 }
        released?.activate()
        released = nil
        let end = try loop.timer(after: .milliseconds(20)) { loop.stop() }
        loop.run()
        withExtendedLifetime((end, released)) {}
        #expect(calls == 0)
    }

    @Test func `a cancelled or released watcher stays silent`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var calls = 0
        var released: Watcher? = try loop.watch(pipe.reading) { calls += 1 }
        let cancelled = try loop.watch(pipe.reading) { calls += 1 }
        cancelled.activate()
        cancelled.cancel()
        released?.activate()
        released?.cancel()
        released = nil
        pipe.write("x")
        loop.stop()
        loop.run()
        #expect(calls == 0)
    }

    @Test func `a watcher may cancel itself within its callback`() throws {
        let loop = try Loop()
        let pipe = try Pipe()
        var calls = 0
        var watcher: Watcher?
        watcher = try loop.watch(pipe.reading) {
            calls += 1
            watcher?.cancel()
            watcher = nil
            loop.stop()
        }
        pipe.write("x")
        loop.run()
        #expect(calls == 1)
    }

    @Test func `a plain file and a closed descriptor are refused`() throws {
        let loop = try Loop()
        #expect(throws: EventLoopError.self) { _ = try loop.watch(1_000_000) {} }
        let error = #expect(throws: EventLoopError.self) {
            let file = open("/proc/self/exe", O_RDONLY)
            defer { close(file) }
            _ = try loop.watch(file) {}
        }
        #expect(error?.problem.hasPrefix("cannot watch descriptor") == true)
    }

    @Test func `a timer fires after its delay, once`() throws {
        let loop = try Loop()
        let start = Loop.monotonicNanoseconds
        var fired: [UInt64] = []
        let once = try loop.timer(after: .milliseconds(20)) {
            fired.append(Loop.monotonicNanoseconds - start)
        }
        let end = try loop.timer(after: .milliseconds(80)) { loop.stop() }
        loop.run()
        withExtendedLifetime((once, end)) {}
        #expect(fired.count == 1)
        #expect(fired.allSatisfy { $0 > 14_000_000 })
    }

    @Test func `a repeating timer fires until it is cancelled`() throws {
        let loop = try Loop()
        var count = 0
        var ticks: Watcher?
        ticks = try loop.timer(every: .milliseconds(2)) {
            count += 1
            if count == 5 { ticks?.cancel() }
        }
        let end = try loop.timer(after: .milliseconds(60)) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
        #expect(count == 5)
    }

    @Test func `a signal calls back in place of ending the process`() throws {
        let loop = try Loop()
        var seen: [String] = []
        let watchers = [
            try loop.watch(.hangup) { seen.append("hangup") },
            try loop.watch(.terminate) {
                seen.append("terminate")
                loop.stop()
            },
        ]
        kill(getpid(), SIGHUP)
        loop.post { kill(getpid(), SIGTERM) }
        loop.run()
        withExtendedLifetime(watchers) {}
        #expect(seen == ["hangup", "terminate"])
    }

    @Test func `writing to a closed pipe is an error and not the end of the process`() throws {
        _ = try Loop()
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        #expect(write(ends[1], "x", 1) == -1)
        #expect(errno == EPIPE)
        close(ends[1])
    }
}
