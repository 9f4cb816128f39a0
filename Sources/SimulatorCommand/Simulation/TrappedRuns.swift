internal import Glibc

/// Says in which run the program traps: a failed precondition ends the process, and nothing else could tell the seed.
///
/// The handler of a signal may neither allocate nor lock. So each thread writes the command of its run into a place of its own
/// before the run begins.
enum TrappedRuns {
    private struct Place {
        var thread = pthread_t()
        var text: UnsafeMutablePointer<UInt8>
        /// How long the command is; 0 between runs.
        var count = 0
    }

    private static let textLimit = 4_096
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

    // Written before the threads begin, and by each thread at its own place.
    nonisolated(unsafe) private static var places = UnsafeMutableBufferPointer<Place>(
        start: nil, count: 0)
    // Written before the threads begin, too; a handler of signals may take no lock.
    nonisolated(unsafe) private static var output = STDOUT_FILENO

    /// Makes places for so many threads, and from now on prints the commands of the runs that a trap ends.
    ///
    /// - Parameter output: The descriptor for the commands.
    static func watch(threads: Int, output: Int32) {
        self.output = output
        places = .allocate(capacity: threads)
        for index in places.indices {
            let text = UnsafeMutablePointer<UInt8>.allocate(capacity: textLimit)
            places.initializeElement(at: index, to: Place(text: text))
        }
        for number in signals { signal(number) { _ in TrappedRuns.end() } }
    }

    /// A thread begins a run that this command repeats.
    static func begin(_ command: String, on thread: Int) {
        guard places.indices.contains(thread) else { return }
        var count = 0
        for byte in command.utf8.prefix(textLimit - 1) {
            places[thread].text[count] = byte
            count += 1
        }
        places[thread].text[count] = UInt8(ascii: "\n")
        places[thread].thread = pthread_self()
        places[thread].count = count + 1
    }

    /// The run of a thread is over.
    static func end(on thread: Int) {
        if places.indices.contains(thread) { places[thread].count = 0 }
    }

    /// In the handler: prints the run of this thread, or all runs if it has none.
    private static func end() {
        let own = places.firstIndex {
            $0.count > 0 && pthread_equal($0.thread, pthread_self()) != 0
        }
        let problem: StaticString = "error: the program trapped in this run\n"
        write(STDERR_FILENO, problem.utf8Start, problem.utf8CodeUnitCount)
        for index in places.indices where places[index].count > 0 && (own ?? index) == index {
            write(output, places[index].text, places[index].count)
        }
        // What `ExitStatus.software` is.
        _exit(70)
    }
}
