internal import EventLoop
internal import Sockets

/// The connections to the endpoints that a peer has at one host, which follow the address of its name.
///
/// ZeroMQ would look up names on its own thread, on which the connections with all peers wait meanwhile. So it gets addresses
/// alone, and the loop looks up the name by `HostLookup`.
final class PeerConnection {
    /// How often a name is looked up: more often while there is no connection.
    private static let seconds = (connected: 30, disconnected: 2)

    private let peer: String
    private let name: String
    private let connect: (String) -> Void
    private let disconnect: (String) -> Void
    private let log: (String) -> Void
    /// The host of the connections, in numbers; nil before the name has been found.
    private var host: String?
    private var lookup: HostLookup?
    private var secondsSinceLookup = 0
    private var hasFailed = false

    /// Prepares connections to a peer; `follow` begins them.
    ///
    /// - Parameters:
    ///   - connect: Connects the sockets to a host in numbers.
    ///   - disconnect: Ends the connections to such a host.
    init(
        to name: String, of peer: String, connect: @escaping (String) -> Void,
        disconnect: @escaping (String) -> Void, log: @escaping (String) -> Void
    ) {
        self.peer = peer
        self.name = name
        self.connect = connect
        self.disconnect = disconnect
        self.log = log
    }

    /// Once a second: looks up the name, if it is time.
    ///
    /// - Parameter isConnected: Whether the peer is connected; then its address is kept as long as the name has it.
    func tick(on loop: Loop, isConnected: Bool) {
        secondsSinceLookup += 1
        let limit = isConnected ? Self.seconds.connected : Self.seconds.disconnected
        if secondsSinceLookup >= limit { lookUp(on: loop, isConnected: isConnected) }
    }

    /// Begins to look up the name, unless the system still does.
    func lookUp(on loop: Loop, isConnected: Bool = false) {
        guard lookup == nil else { return }
        secondsSinceLookup = 0
        // The endpoints at the host have their own ports.
        lookup = HostLookup(of: name, port: 0, on: loop) { [unowned self] in
            lookup = nil
            follow($0, isConnected: isConnected)
        }
    }

    /// Connects to the address that a look-up found.
    func follow(_ answer: HostAnswer, isConnected: Bool) {
        guard case .found(let addresses) = answer else { return reportFailure(of: answer) }
        hasFailed = false
        let next = PeerConnection.next(
            of: addresses.map(\.host), after: host, isConnected: isConnected)
        guard next != host else { return }
        if let host {
            disconnect(host)
            log("\(peer) is looked for at another address: \(name) is \(next) now")
        }
        host = next
        connect(next)
    }

    /// The host to connect to. A host that is found and connected is kept; after one that is not connected, the next is tried.
    static func next(of hosts: [String], after host: String?, isConnected: Bool) -> String {
        guard let host, let index = hosts.firstIndex(of: host) else { return hosts[0] }
        return isConnected ? host : hosts[(index + 1) % hosts.count]
    }

    private func reportFailure(of answer: HostAnswer) {
        guard !hasFailed else { return }
        hasFailed = true
        let reason =
            if case .unknown = answer { "no host has this name" } else {
                "the name service does not answer"
            }
        let consequence = host.map { "stays at \($0)" } ?? "tries again"
        log("cannot find \(name), the host of \(peer): \(reason); \(consequence)")
    }
}
