internal import CRuntime
internal import Glibc
internal import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP, for work that ends in order: it polls from time to time.
package enum StopRequest {
    private static let flag = Atomic(false)
    private static let finalFlag = Atomic(false)
    private static let holds = Atomic(false)
    private static let heldFlag = Atomic(false)

    /// Whether a signal came since `watch()`.
    package static var isThere: Bool { flag.load(ordering: .relaxed) }

    /// Whether one of them was not Ctrl-C: the process is to end, whatever it would do next.
    package static var isFinal: Bool { finalFlag.load(ordering: .relaxed) }

    /// The exit status of a verb that runs until a signal comes.
    package static var exitStatus: ExitStatus { isThere ? .interrupted : .success }

    /// Whether Ctrl-C came since `holdFirst()`.
    package static var isHeld: Bool { heldFlag.load(ordering: .relaxed) }

    /// From now on, only `isHeld` reports the first Ctrl-C, so that it interrupts no wait. Further signals and other
    /// ones count as before.
    package static func holdFirst() { holds.store(true, ordering: .relaxed) }

    /// Clears the request before other work begins, and holds none any longer.
    package static func reset() {
        flag.store(false, ordering: .relaxed)
        holds.store(false, ordering: .relaxed)
        heldFlag.store(false, ordering: .relaxed)
    }

    /// - Throws: `.interrupted` if a signal came.
    package static func check() throws(CommandError) {
        guard isThere else { return }
        throw CommandError(
            .interrupted, "interrupted; the nodes that this command started are stopped",
            fix: "run it again later")
    }

    /// From now on Ctrl-C, SIGTERM and the end of the terminal request a stop instead of killing. A process of `nohup` goes on
    /// ignoring the end of the terminal.
    package static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !hearth_ignores_hangup() {
            signal(number) { StopRequest.record($0) }
        }
    }

    /// Records a signal; called by the handler.
    private static func record(_ number: Int32) {
        if number == SIGINT, holds.exchange(false, ordering: .relaxed) {
            return heldFlag.store(true, ordering: .relaxed)
        }
        flag.store(true, ordering: .relaxed)
        if number != SIGINT { finalFlag.store(true, ordering: .relaxed) }
    }
}
