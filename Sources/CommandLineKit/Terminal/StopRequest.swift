internal import Glibc
internal import Synchronization

/// Ctrl-C and its like, for work that ends in order: it asks from time to time.
package enum StopRequest {
    private static let flag = Atomic(false)
    private static let finalFlag = Atomic(false)

    /// Whether one came since `watch()`.
    package static var isThere: Bool { flag.load(ordering: .relaxed) }

    /// Whether one of them was no Ctrl-C: the process is to end, whatever it would do next.
    package static var isFinal: Bool { finalFlag.load(ordering: .relaxed) }

    /// How a verb ends that goes on until one comes.
    package static var exitStatus: ExitStatus { isThere ? .interrupted : .success }

    /// Forgets one that came, before other work begins.
    package static func reset() { flag.store(false, ordering: .relaxed) }

    /// - Throws: `.interrupted` if one came.
    package static func check() throws(CommandError) {
        guard isThere else { return }
        throw CommandError(
            .interrupted, "interrupted; the nodes that this command started are stopped",
            fix: "run it again when there is time")
    }

    /// From now on Ctrl-C, SIGTERM and the end of the terminal ask instead of killing.
    package static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                StopRequest.flag.store(true, ordering: .relaxed)
                if number != SIGINT { StopRequest.finalFlag.store(true, ordering: .relaxed) }
            }
        }
    }
}
