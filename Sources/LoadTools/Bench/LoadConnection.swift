internal import CRuntime
internal import ClusterAdministration
internal import ClusterConfiguration
internal import CommandLineKit
internal import Glibc
internal import Sockets
internal import SyncProtocol
internal import TLS

extension NodeSocket {
    private static let patience = Duration.seconds(10)

    /// Connects to a node, and waits until it has taken the connection.
    convenience init(loading node: String, showing secret: Secret? = nil) throws(CommandError) {
        guard let address = HTTPAddress(node) else {
            preconditionFailure("\(node) is no address of a cluster's own")
        }
        do throws(NodeError) {
            try self.init(to: address, showing: secret)
        } catch {
            throw CommandError(.unavailable, error.problem, fix: error.fix)
        }
        guard open(within: NodeSocket.patience) else {
            throw CommandError(
                .unavailable, "\(node) takes no connection",
                fix: "look at the logs of the nodes with `hearth cluster logs`")
        }
    }
}

extension NodeSocket {
    private static let writePatienceNanoseconds: UInt64 = 60_000_000_000

    /// Waits for the next acknowledgements, and counts them.
    func acknowledgements() throws(CommandError) -> Int {
        let start = monotonicNanoseconds()
        var count = 0
        var refusal: CommandError?
        while count == 0, refusal == nil {
            try StopRequest.check()
            guard monotonicNanoseconds() - start < Self.writePatienceNanoseconds,
                receive({ frame in
                    for case .message(let answer) in frame.messages(of: NodeMessage.self) {
                        switch answer {
                        case .ok(let id) where id > 0: count += 1
                        case .acknowledged: count += 1
                        case .error(_, _, let problem, let fix):
                            refusal = CommandError(.unavailable, problem, fix: fix)
                        default: break
                        }
                    }
                })
            else {
                throw CommandError(
                    .unavailable, "a node does not acknowledge the records of the benchmark",
                    fix: "look at the logs of the nodes with `hearth cluster logs`")
            }
            if count == 0 { waitForInput(milliseconds: 100) }
        }
        if let refusal { throw refusal }
        return count
    }

    /// Waits until there is something to receive.
    func waitForInput(milliseconds: Int32) {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }
}

/// Waits for many connections at once.
final class LoadPoll {
    private let descriptor = epoll_create1(0)
    private var events: [epoll_event]

    init(capacity: Int) { events = Array(repeating: epoll_event(), count: capacity) }

    deinit { Glibc.close(descriptor) }

    /// Waits for input of a socket, and for its connection if it has none yet.
    func add(_ socket: Int32, as index: Int, connecting: Bool = false) {
        set(EPOLL_CTL_ADD, socket, index, EPOLLIN.rawValue | (connecting ? EPOLLOUT.rawValue : 0))
    }

    /// Waits for input alone, of a socket that has connected.
    func setConnected(_ socket: Int32, as index: Int) {
        set(EPOLL_CTL_MOD, socket, index, EPOLLIN.rawValue)
    }

    /// Waits for nothing more of a socket.
    func remove(_ socket: Int32) { set(EPOLL_CTL_DEL, socket, 0, 0) }

    private func set(_ operation: Int32, _ socket: Int32, _ index: Int, _ flags: UInt32) {
        var event = epoll_event()
        event.events = flags
        event.data.u64 = UInt64(index)
        epoll_ctl(descriptor, operation, socket, &event)
    }

    /// The indexes of the sockets with input, after at most so many milliseconds.
    func wait(milliseconds: Int32, _ body: (Int) throws(CommandError) -> Void) throws(CommandError)
    {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        for index in 0..<max(0, Int(count)) { try body(Int(events[index].data.u64)) }
    }
}

extension [UInt8] {
    /// The messages of a frame; none if it cannot be read, which shows as missing progress.
    func messages<Message: FrameMessage>(of kind: Message.Type) -> [Received<Message>] {
        do throws(FrameError) {
            return try FrameReader<Message>.messages(in: self)
        } catch {
            return []
        }
    }
}
