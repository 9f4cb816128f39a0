internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import Sockets
internal import SyncProtocol
internal import TLS
internal import Threads

/// Small requests at all nodes, sent by a thread of their own while another client does its worst.
final class StallProbes: Sendable {
    /// The outcome of all probes.
    struct Result: Sendable {
        /// Small reads and small writes at the first node.
        var get = StallWait()
        var set = StallWait()
        /// Small reads at the other nodes.
        var peers = StallWait()
        /// `GET /health` at the first node, over a new connection each time.
        var health = StallWait()
        /// The longest pause of the thread itself: waits that are not longer say nothing about the nodes.
        var ownNanoseconds: UInt64 = 0

        var failures: Int { self.get.failures + set.failures + peers.failures + health.failures }
    }

    private struct State: Sendable {
        var isStopping = false
        var result: Result?
    }

    private let state = Monitor(State())

    /// Begins to send requests to these nodes.
    init(to nodes: [HTTPAddress], showing secret: Secret?) throws(CommandError) {
        let state = state
        let thread = SystemThread {
            var round = ProbeRound(nodes, secret)
            while !state.withLock({ $0.isStopping }) { round.run() }
            let result = round.result
            state.withLock { $0.result = result }
            state.signal()
        }
        guard thread != nil else {
            throw CommandError(
                .unavailable, "the system has no room for another thread",
                fix: "stop other programs")
        }
    }

    /// Ends the probes and returns their waits; a request without an answer has waited until now.
    func finish() -> Result {
        state.withLock { $0.isStopping = true }
        return state.wait { $0.result }
    }
}

/// The probes of one thread.
private struct ProbeRound {
    private static let path = Path([Key(unchecked: "bench"), Key(unchecked: "probe")])

    private let get: RequestProbe
    private let set: RequestProbe
    private let peers: [RequestProbe]
    private let health: HealthWait
    private var own: UInt64 = 0
    private var last = monotonicNanoseconds()

    init(_ nodes: [HTTPAddress], _ secret: Secret?) {
        get = RequestProbe(of: nodes[0], showing: secret) { .get(id: $0, path: Self.path) }
        set = RequestProbe(of: nodes[0], showing: secret) {
            .put(id: $0, path: Self.path, value: .integer(Int64($0)))
        }
        peers = nodes.dropFirst().map { node in
            RequestProbe(of: node, showing: secret) { .get(id: $0, path: Self.path) }
        }
        health = HealthWait(of: nodes[0])
    }

    /// Sends what is due, and records what has arrived within a millisecond.
    mutating func run() {
        pause(milliseconds: 1)
        let now = monotonicNanoseconds()
        own = max(own, now - last)
        last = now
        for probe in [get, set] + peers { probe.advance(at: now) }
        health.advance(at: now)
    }

    var result: StallProbes.Result {
        let now = monotonicNanoseconds()
        var result = StallProbes.Result()
        result.get = get.wait(at: now)
        result.set = set.wait(at: now)
        result.peers = peers.map { $0.wait(at: now) }.reduce(StallWait()) { $0.merged(with: $1) }
        result.health = health.wait(at: now)
        result.ownNanoseconds = own
        return result
    }
}
