internal import Glibc
internal import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP, for work that ends in order: it polls from time to time.
package enum StopRequest {
    private static let flag = Atomic(false)
    private static let finalFlag = Atomic(false)

    /// Whether a signal came since `watch()`.
    package static var isThere: Bool { flag.load(ordering: .relaxed) }

    /// Whether one of them was not Ctrl-C: the process is to end, whatever it would do next.
    package static var isFinal: Bool { finalFlag.load(ordering: .relaxed) }

    /// The exit status of a verb that runs until a signal comes.
    package static var exitStatus: ExitStatus { isThere ? .interrupted : .success }

    /// Clears the request before other work begins.
    package static func reset() { flag.store(false, ordering: .relaxed) }

    /// - Throws: `.interrupted` if a signal came.
    package static func check() throws(CommandError) {
        guard isThere else { return }
        throw CommandError(
            .interrupted, "interrupted; the nodes that this command started are stopped",
            fix: "run it again later")
    }

    /// From now on Ctrl-C, SIGTERM and the end of the terminal request a stop instead of killing.
    package static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                StopRequest.flag.store(true, ordering: .relaxed)
                if number != SIGINT { StopRequest.finalFlag.store(true, ordering: .relaxed) }
            }
        }
    }
}
