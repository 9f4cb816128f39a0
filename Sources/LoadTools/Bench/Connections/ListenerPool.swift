internal import CRuntime
internal import ClusterConfiguration
internal import CommandLineKit
internal import Sockets
internal import TLS

/// Many listeners at one node, connected from several addresses of this machine.
struct ListenerPool {
    /// The connections that the node has not accepted yet, at most.
    private static let window = 512
    /// Each address of this machine has ports for so many connections.
    private static let connectionsOfAddress = 20_000
    private static let patienceNanoseconds: UInt64 = 60_000_000_000

    private(set) var listeners: [LoadListener] = []
    /// How many connections the node refused or closed.
    private(set) var refused = 0
    private let address: HTTPAddress
    private let target: ListenTarget
    let listenProtocol: ListenProtocol
    /// Distinguishes the source addresses of pools that follow each other, since ports stay in use after a connection.
    private let generation: Int
    /// The credential of each listener, by its index; nil if the node demands none.
    private let credential: ((Int) -> Secret)?

    init(
        at node: String, _ target: ListenTarget, by listenProtocol: ListenProtocol,
        generation: Int = 0, credential: ((Int) -> Secret)? = nil
    ) {
        guard let address = HTTPAddress(node) else {
            preconditionFailure("\(node) is no address of a cluster's own")
        }
        self.address = address
        self.target = target
        self.listenProtocol = listenProtocol
        self.generation = generation
        self.credential = credential
    }

    /// Lets this process have so many connections.
    static func allow(_ connections: Int) throws(CommandError) {
        let needed = connections + 500
        let limit = hearth_allow_open_files(needed)
        if limit >= needed { return }
        throw CommandError(
            .unavailable,
            "a process may have \(limit) files and connections open here, and \(connections) listeners need \(needed)",
            fix: "raise the limit with `ulimit -n \(needed)`, or use fewer")
    }

    /// The settings of a cluster whose nodes accept so many connections.
    static func settings(forConnections count: Int) -> [String: Setting] {
        ["http": .object(["maxConnections": .integer(max(10_000, count + 100))])]
    }

    /// Connects so many listeners, and returns once all listen or have been refused.
    ///
    /// - Returns: the seconds that it took.
    mutating func connect(_ count: Int) throws(CommandError) -> Double {
        let start = monotonicNanoseconds()
        let poll = LoadPoll(capacity: Self.window)
        var lastProgress = start
        var listening = 0
        while listening + refused < count {
            try StopRequest.check()
            let before = listening + refused
            while listeners.count < count, listeners.count - listening - refused < Self.window {
                try add(to: poll)
            }
            try poll.wait(milliseconds: 10) { (index) throws(CommandError) in
                let listener = listeners[index]
                let wasConnecting = listener.state == .connecting
                if listener.state == .ended { return }
                let wasListening = listener.state == .listening
                listener.advance { _ in }
                if wasConnecting, listener.state != .connecting {
                    poll.setConnected(listener.descriptor, as: index)
                }
                switch listener.state {
                case .ended:
                    poll.remove(listener.descriptor)
                    if wasListening { listening -= 1 }
                    refused += 1
                case .listening where !wasListening: listening += 1
                default: break
                }
            }
            let now = monotonicNanoseconds()
            if listening + refused != before { lastProgress = now }
            guard now - lastProgress < Self.patienceNanoseconds else {
                throw CommandError(
                    .unavailable, "the node accepted \(listening) of \(count) connections",
                    fix: "use fewer, or look at the logs of the nodes")
            }
        }
        return Double(monotonicNanoseconds() - start) / 1e9
    }

    private mutating func add(to poll: LoadPoll) throws(CommandError) {
        let index = listeners.count
        let source = "127.0.\(generation).\(1 + index / Self.connectionsOfAddress)"
        do throws(SocketError) {
            let listener = try LoadListener(
                to: address, from: source, at: target, by: listenProtocol,
                showing: credential?(index))
            listeners.append(listener)
            poll.add(listener.descriptor, as: index, connecting: true)
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
    }

    /// Closes all connections.
    mutating func close() { listeners = [] }
}
