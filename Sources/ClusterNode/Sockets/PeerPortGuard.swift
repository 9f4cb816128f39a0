internal import CRuntime
internal import Glibc
internal import Threads
internal import ZeroMQ

/// Bounds the connections to a node's ports for peers, on a thread of its own: ZeroMQ's thread accepts them whatever the
/// loop does, until no descriptors are left for clients and the disk.
final class PeerPortGuard {
    /// How a guard knows that a peer has completed the handshake of ZMTP.
    fileprivate enum Handshake {
        /// Only to a peer that has shown its key, the node sends READY, behind its greeting, WELCOME and perhaps ERROR. The
        /// number of bytes that a peer sends proves nothing.
        case keys
        /// A peer has sent its greeting and READY.
        case none

        func isComplete(on descriptor: Int32) -> Bool {
            switch self {
            case .keys: hearth_acknowledged_bytes(descriptor) > 64 + 170 + 26
            case .none: hearth_received_bytes(descriptor) > 74
            }
        }
    }

    /// The counters of the guard.
    struct Counts: Sendable {
        /// The connections that are there.
        var connections = 0
        /// Those that were cut.
        var cut = 0
    }

    private let state = Monitor(Counts())
    private let thread: SystemThread?

    /// Begins to guard bound sockets.
    ///
    /// - Parameter hasKeys: Whether peers show keys.
    init(of monitors: [ConnectionMonitor], ports: Set<UInt16>, hasKeys: Bool) {
        let handshake = hasKeys ? Handshake.keys : .none
        thread = SystemThread { [state] in
            var round = GuardRound(monitors, ports, handshake)
            while !round.hasEnded {
                round.run()
                let counts = round.counts
                state.withLock { $0 = counts }
            }
        }
    }

    var counts: Counts { state.withLock { $0 } }

    /// Waits until the guard's thread has given up the monitors, which have been stopped.
    func close() { thread?.join() }
}

/// The work of the guard's thread.
private struct GuardRound {
    private static let period = Duration.milliseconds(200)

    private var monitors: [ConnectionMonitor]
    private let ports: Set<UInt16>
    private let handshake: PeerPortGuard.Handshake
    private var connections = PeerConnections()
    private(set) var counts = PeerPortGuard.Counts()

    init(
        _ monitors: [ConnectionMonitor], _ ports: Set<UInt16>, _ handshake: PeerPortGuard.Handshake
    ) {
        (self.monitors, self.ports, self.handshake) = (monitors, ports, handshake)
    }

    var hasEnded: Bool { monitors.isEmpty }

    mutating func run() {
        ConnectionMonitor.wait(for: monitors, upTo: Self.period)
        for index in monitors.indices.reversed() where drain(monitors[index]) {
            monitors.remove(at: index)
        }
        counts.connections = connections.count
    }

    /// Records what has happened; returns whether nothing more will.
    private mutating func drain(_ monitor: ConnectionMonitor) -> Bool {
        var hasStopped = false
        monitor.drain { event in
            switch event {
            case .accepted(let descriptor): accept(descriptor)
            case .ended(let descriptor): connections.end(descriptor)
            case .connected, .refused: break
            case .stopped: hasStopped = true
            }
        }
        return hasStopped
    }

    private mutating func accept(_ descriptor: Int32) {
        for excess in connections.accept(descriptor, where: handshake.isComplete) { cut(excess) }
    }

    /// Has ZeroMQ close a connection, unless the descriptor has become another connection's.
    private mutating func cut(_ descriptor: Int32) {
        guard ports.contains(UInt16(clamping: hearth_local_port(descriptor))) else { return }
        shutdown(descriptor, Int32(SHUT_RDWR))
        counts.cut += 1
    }
}
