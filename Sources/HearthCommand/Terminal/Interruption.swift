internal import EventLoop
internal import Glibc
internal import Threads

/// Ends the process on Ctrl-C, SIGTERM or the end of its terminal, after some last work.
///
/// One at a time: the process has one loop that takes signals.
final class Interruption {
    private let loop: Loop
    private let thread: SystemThread

    /// - Parameter lastWork: Runs on another thread, while the verb's own work goes on.
    init(_ lastWork: @escaping @Sendable () -> Void) throws(CommandError) {
        do throws(EventLoopError) {
            loop = try Loop()
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
        let end = {
            lastWork()
            _exit(ExitStatus.interrupted.rawValue)
        }
        let loop = loop
        var watchers: [Watcher] = []
        do throws(EventLoopError) {
            for signal in [Signal.interrupt, .terminate, .hangup] {
                watchers.append(try loop.watch(signal, callback: end))
            }
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
        let held = watchers
        loop.atEndOfTurn = { _ = held }
        guard let thread = SystemThread(running: { loop.run() }) else {
            throw CommandError(
                .unavailable, "the system has no room for another thread",
                fix: "raise the limit with `ulimit -u`")
        }
        self.thread = thread
    }

    /// Leaves the signals to the system again.
    func end() {
        loop.stop()
        thread.join()
    }
}
