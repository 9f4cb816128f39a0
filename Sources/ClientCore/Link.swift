import Marks

/// The state of the connection: the node, whether it answers, and the next one to try.
struct Link: Sendable {
    enum State: Equatable, Sendable {
        /// Not connected before this moment.
        case resting(until: UInt64)
        /// No connection before the application wants one.
        case offline
        /// The hello was sent, and is not answered yet.
        case opening(since: UInt64)
        /// Open: the last frame came at `heard`, the last ping went at `pinged`.
        case open(heard: UInt64, pinged: UInt64)
    }

    /// The event for which this client waits.
    enum Awaited: Sendable {
        case nothing
        /// It only listens: nodes say nothing while nothing changes.
        case changes
        case answers
    }

    /// The times of the configuration in milliseconds. Those of an open connection come first,
    /// beside its state.
    private struct Times {
        let silence: UInt64
        let idlePing: UInt64
        let listenPing: UInt64
        let ping: UInt64
        let attempt: UInt64
        let headStart: UInt64
        let firstBackOff: UInt64
        let longestBackOff: UInt64

        init(_ configuration: Configuration) {
            silence = configuration.silenceMilliseconds
            idlePing = configuration.idlePingMilliseconds
            listenPing = configuration.listenPingMilliseconds
            ping = configuration.pingMilliseconds
            attempt = configuration.attemptMilliseconds
            headStart = configuration.headStartMilliseconds
            firstBackOff = configuration.firstBackOffMilliseconds
            longestBackOff = configuration.longestBackOffMilliseconds
        }
    }

    /// An action that is due.
    enum Action: Equatable, Sendable {
        case none
        case connect(String)
        case ping
        case giveUp
    }

    private(set) var state = State.resting(until: 0)
    private let times: Times
    private let nodes: [String]
    private var index = 0
    /// Failed tries since a node answered last.
    private(set) var failures = 0
    /// Whether a try is only a head start: in the first round, if there are several nodes.
    private var isHasty: Bool
    /// Whether a node of this round was left after its head start: it may be slow, and is tried again.
    private var hasLeftEarly = false

    init(_ configuration: Configuration) {
        times = Times(configuration)
        nodes = configuration.nodes
        isHasty = nodes.count > 1
    }

    var node: String { nodes[index] }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Whether the application wants no connection.
    var isOffline: Bool { state == .offline }

    /// Whether there is a connection, or a try for one.
    var isUp: Bool {
        switch state {
        case .resting, .offline: false
        case .opening, .open: true
        }
    }

    /// Whether each node has been tried, and none answered.
    var hasTriedAll: Bool { failures >= nodes.count }

    mutating func tick(at now: UInt64, awaiting: Awaited) -> Action {
        switch state {
        case .offline: return .none
        case .resting(let end):
            guard now >= end else { return .none }
            state = .opening(since: now)
            return .connect(node)
        case .opening(let since):
            guard now - since > patienceMilliseconds else { return .none }
            hasLeftEarly = isHasty
            return .giveUp
        case .open(let heard, let pinged):
            if heard < pinged {
                return now - pinged > times.silence ? .giveUp : .none
            }
            guard isPingDue(at: now, heard, pinged, awaiting) else { return .none }
            state = .open(heard: heard, pinged: now)
            return .ping
        }
    }

    /// From when on `tick` does something, if nothing else happens before; nil for never.
    ///
    /// Mutating, or it would be given a copy of the link after each turn.
    mutating func deadline(awaiting: Awaited) -> UInt64? {
        switch state {
        case .offline: nil
        case .resting(let end): end
        case .opening(let since): since + patienceMilliseconds + 1
        case .open(let heard, let pinged) where heard < pinged:
            pinged + times.silence + 1
        case .open(let heard, let pinged):
            min(
                pinged + times.idlePing,
                silenceBeforePing(awaiting).map { heard + $0 } ?? .max)
        }
    }

    /// How long a try may last.
    private var patienceMilliseconds: UInt64 {
        isHasty ? times.headStart : times.attempt
    }

    /// Whether a ping is due: because the node has to receive something from this client, or because this client
    /// waits for the node.
    ///
    /// The first limit uses this client's own clock: even a node that sends frames considers a
    /// silent client gone, and executes its on-disconnect writes.
    private func isPingDue(
        at now: UInt64, _ heard: UInt64, _ pinged: UInt64, _ awaiting: Awaited
    ) -> Bool {
        now - pinged >= times.idlePing
            || silenceBeforePing(awaiting).map { now - heard >= $0 } ?? false
    }

    /// For how long a node may be silent that this client waits for; nil if it waits for nothing.
    private func silenceBeforePing(_ awaiting: Awaited) -> UInt64? {
        switch awaiting {
        case .answers: times.ping
        case .changes: times.listenPing
        case .nothing: nil
        }
    }

    /// Records a frame of the open node.
    mutating func hear(at now: UInt64) {
        if case .open(_, let pinged) = state { state = .open(heard: now, pinged: pinged) }
    }

    /// The node serves this client.
    mutating func open(at now: UInt64) {
        failures = 0
        (isHasty, hasLeftEarly) = (false, false)
        state = .open(heard: now, pinged: now)
    }

    /// Turns to the next node; after each round of failed tries, only after a pause.
    mutating func lose(at now: UInt64) {
        if !isOpen { failures += 1 }
        index = (index + 1) % nodes.count
        let isRoundOver = failures > 0 && failures % nodes.count == 0
        state = .resting(until: now + (isRoundOver ? endRound() : 0))
    }

    /// Ends a round of failed tries; returns the pause before the next one.
    private mutating func endRound() -> UInt64 {
        isHasty = false
        if hasLeftEarly {
            hasLeftEarly = false
            failures = 0
            return 0
        }
        sometimes(.allNodesWereTried)
        return backOff(after: failures / nodes.count)
    }

    mutating func goOffline() { state = .offline }

    mutating func goOnline() {
        if state == .offline { state = .resting(until: 0) }
    }

    private func backOff(after rounds: Int) -> UInt64 {
        min(
            times.firstBackOff << UInt64(min(rounds - 1, 16)),
            times.longestBackOff)
    }
}
