internal import CLibrary
public import EventLoop
internal import Threads

/// A look-up of a host on a loop, without blocking it: the system's resolver runs on a thread of its own.
///
/// Released, it calls nothing back.
public final class HostLookup {
    private let finish: (HostAnswer) -> Void

    /// Begins to look up a host; `finish` is called later, once.
    public init(
        of host: String, port: UInt16, on loop: Loop, finish: @escaping (HostAnswer) -> Void
    ) {
        self.finish = finish
        let mailbox = loop.mailbox { [weak self] answer in self?.finish(answer) }
        PendingLookups.shared.add(mailbox, for: .init(host: host, port: port))
    }
}

/// The look-ups of this process. Look-ups of one host at a time share a thread, so there are at most as many threads as hosts.
private final class PendingLookups: Sendable {
    static let shared = PendingLookups()

    struct Host: Hashable {
        let host: String
        let port: UInt16
    }

    private struct State {
        var waiting: [Host: [Mailbox<HostAnswer>]] = [:]
        var recent: [Host: (answer: HostAnswer, end: ContinuousClock.Instant)] = [:]
    }

    /// How long a found answer counts. A client may stop waiting for a slow look-up, pauses for up to 2 s, and asks again.
    private static let validity = Duration.seconds(4)

    private let state = Monitor(State())

    func add(_ mailbox: Mailbox<HostAnswer>, for host: Host) {
        let now = ContinuousClock.now
        let isFirst = state.withLock { state in
            if let recent = state.recent[host], recent.end > now {
                mailbox.post(recent.answer)
                return false
            }
            state.waiting[host, default: []].append(mailbox)
            return state.waiting[host]?.count == 1
        }
        guard isFirst else { return }
        let thread = SystemThread { [self] in
            finish(host, HostAnswer(lookingUp: host.host, port: host.port))
        }
        if thread == nil { finish(host, .unanswered) }
    }

    private func finish(_ host: Host, _ answer: HostAnswer) {
        let now = ContinuousClock.now
        let mailboxes = state.withLock { state in
            state.recent = state.recent.filter { $0.value.end > now }
            if case .found = answer { state.recent[host] = (answer, now + Self.validity) }
            return state.waiting.removeValue(forKey: host) ?? []
        }
        for mailbox in mailboxes { mailbox.post(answer) }
    }
}
