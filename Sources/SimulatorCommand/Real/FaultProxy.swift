internal import ClusterSimulator
internal import CommandLineKit
internal import EventLoop
internal import Sockets
internal import Threads

/// Stands between the ends of a real network, on a thread of its own, and has its links fail.
///
/// It carries bytes, and understands no ZeroMQ: a frame cannot be dropped or doubled within a stream of TCP without breaking it,
/// and real networks do neither.
final class FaultProxy {
    /// The address at which it accepts the connections of a link, and their destination.
    struct Route {
        let link: DirectedLink
        let address: HTTPAddress
        let target: HTTPAddress
    }

    private let changes: Mailbox<NetworkChange>
    private let loop: Loop
    private let thread: SystemThread

    /// Listens at all routes.
    ///
    /// - Parameter pace: How long bytes take while there is no fault.
    /// - Throws: when a port is taken.
    init(_ routes: [Route], pace: LinkPace = .immediate, seed: UInt64) throws(CommandError) {
        do {
            let loop = try Loop()
            let network = try ProxiedLinks(routes, pace: pace, seed: seed, on: loop)
            changes = loop.mailbox { network.apply($0) }
            self.loop = loop
        } catch let error as SocketError {
            throw CommandError(
                .unavailable, error.problem, fix: "run it again: it takes other ports")
        } catch {
            throw CommandError(
                .unavailable, "the process has no room for a proxy: \(error)",
                fix: "raise the limit of open files (`ulimit -n`)")
        }
        guard let thread = SystemThread(running: { [loop] in loop.run() }) else {
            throw CommandError(
                .unavailable, "the system has no room for another thread", fix: "end some processes"
            )
        }
        self.thread = thread
    }

    /// Changes the network soon.
    func apply(_ change: NetworkChange) { changes.post(change) }

    /// Ends, with all connections once it is released.
    func close() {
        loop.stop()
        thread.join()
    }
}
