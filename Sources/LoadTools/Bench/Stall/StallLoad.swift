internal import CRuntime
internal import ClusterAdministration
internal import CommandLineKit
internal import DataTree
internal import Glibc
internal import QueryEngine
internal import SyncProtocol
internal import TLS

/// The requests of a hostile client, over connections of its own to the first node.
struct StallLoad {
    /// Requests that were refused, or whose connection ended.
    private(set) var refused = 0

    let cluster: TemporaryCluster
    let records: Int
    /// How long the clients of the row `mixed` send requests.
    let seconds: Int
    private let secret: Secret?
    private var connections: [NodeSocket] = []
    private var idle: [Int32] = []

    static let list = Path([Key(unchecked: "bench"), Key(unchecked: "list")])
    static let other = Path([Key(unchecked: "bench"), Key(unchecked: "other")])
    static let number = Key(unchecked: "n")
    private static let patienceNanoseconds: UInt64 = 120_000_000_000

    init(
        on cluster: TemporaryCluster, records: Int, seconds: Int, showing secret: Secret?
    ) {
        self.cluster = cluster
        self.records = records
        self.seconds = seconds
        self.secret = secret
    }

    /// A number of requests that fits the number of records.
    func scaled(_ count: Int) -> Int { max(2, count * min(records, 100_000) / 100_000) }

    // MARK: Connections

    mutating func connect(_ count: Int, showing secret: Secret? = nil) throws(CommandError) {
        for _ in 0..<count {
            connections.append(
                try NodeSocket(loading: cluster.addresses[0], showing: secret ?? self.secret))
        }
    }

    /// Sends requests over one connection in one frame.
    func send(_ messages: [ClientMessage], over index: Int = 0) {
        var frame = FrameWriter()
        for message in messages { frame.append(message) }
        connections[index].send(frame.bytes)
    }

    mutating func disconnect() { connections = [] }

    /// Replaces a connection by a new one.
    mutating func reconnect(_ index: Int) throws(CommandError) {
        connections[index] = try NodeSocket(loading: cluster.addresses[0], showing: secret)
    }

    /// Reads what has arrived over a connection; returns the number of answers, and whether it is still open.
    mutating func receiveReady(over index: Int) -> (answers: Int, isOpen: Bool) {
        var (answers, refusals) = (0, 0)
        let isOpen = connections[index].receive { Self.count($0, &answers, &refusals) }
        refused += refusals
        return (answers, isOpen)
    }

    /// Waits for so many answers to all connections; the end of a connection refuses all that is left.
    mutating func receive(_ count: Int) throws(CommandError) {
        let poll = LoadPoll(capacity: connections.count)
        for (index, connection) in connections.enumerated() {
            poll.add(connection.descriptor, as: index)
        }
        let start = monotonicNanoseconds()
        var (answers, refusals, isOpen) = (0, 0, true)
        while answers < count, isOpen {
            try StopRequest.check()
            guard monotonicNanoseconds() - start < Self.patienceNanoseconds else { break }
            for connection in connections {
                isOpen = connection.receive { Self.count($0, &answers, &refusals) } && isOpen
            }
            if answers < count, isOpen { try poll.wait(milliseconds: 10) { _ in } }
        }
        refused += refusals + max(0, count - answers)
    }

    /// Counts the answers of a frame; a large one is one answer, which takes long to read.
    private static func count(_ frame: [UInt8], _ answers: inout Int, _ refusals: inout Int) {
        if frame.count > 1 << 20 {
            answers += 1
            return
        }
        for case .message(let message) in frame.messages(of: NodeMessage.self) {
            switch message {
            // Nodes probe clients with on-disconnect writes under the id 0.
            case .ok(let id) where id > 0: answers += 1
            case .value: answers += 1
            case .error:
                answers += 1
                refusals += 1
            default: break
            }
        }
    }

    // MARK: Idle connections

    /// Opens connections to a port, and sends nothing; ends early when the system has no room.
    mutating func openIdle(_ count: Int, toPortOf endpoint: String) {
        guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else { return }
        for _ in 0..<count {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
            guard descriptor >= 0 else { return }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            _ = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            idle.append(descriptor)
            if idle.count.isMultiple(of: 100) { pause(milliseconds: 5) }
        }
    }

    private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    mutating func closeIdle() {
        for descriptor in idle { close(descriptor) }
        idle = []
    }

    /// Makes connections accept few bytes that the client does not read.
    func shrinkBuffers() {
        var size: Int32 = 64 << 10
        for connection in connections {
            setsockopt(
                connection.descriptor, SOL_SOCKET, SO_RCVBUF, &size,
                socklen_t(MemoryLayout<Int32>.size))
        }
    }

    /// Asks the system for as many open files as the row needs; returns how many connections it may open.
    func allowedConnections(_ wanted: Int) -> Int {
        max(0, min(wanted, Int(clamping: hearth_allow_open_files(wanted + 200)) - 200))
    }
}
