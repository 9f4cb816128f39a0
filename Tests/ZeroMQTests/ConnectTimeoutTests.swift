import Glibc
import Testing

@testable import ZeroMQ

@Suite struct `An attempt to connect` {
    @Test func `that nobody answers is made anew long before the system repeats it`() throws {
        // More than once, for a machine that is too busy to make it in time.
        let isRepeated = try (0..<5).contains { _ in try isRepeatedSoon() }
        #expect(isRepeated)
    }

    /// Whether a peer connects within a second, after which the system repeats the first attempt.
    private func isRepeatedSoon() throws -> Bool {
        let listener = try FullListener()
        let dealer = try Socket(.dealer, in: Context())
        dealer.connectTimeout = .milliseconds(50)
        dealer.reconnectInterval = .milliseconds(10)
        try dealer.connect("tcp://127.0.0.1:\(listener.port)")
        #expect(!dealer.wait(upTo: .milliseconds(150)))
        listener.makeRoom()
        return listener.isCalled(within: .milliseconds(700))
    }
}

/// A TCP port without room for connections: the system drops attempts to connect, as a network that loses all packets does.
private final class FullListener {
    let port: UInt16
    private let listener: Int32
    /// Take the two places that a backlog of one has.
    private let fillers: [Int32]

    init() throws {
        let sockets = (0..<3).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        listener = sockets[0]
        fillers = Array(sockets[1...])
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let outcomes = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                [
                    bind(sockets[0], address, size), listen(sockets[0], 1),
                    getsockname(sockets[0], address, &size),
                    connect(sockets[1], address, size), connect(sockets[2], address, size),
                ]
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        try #require(outcomes == [0, 0, 0, 0, 0])
    }

    deinit {
        for socket in [listener] + fillers { close(socket) }
    }

    func makeRoom() {
        for _ in fillers { close(accept(listener, nil, nil)) }
    }

    /// Whether somebody connects.
    func isCalled(within limit: Duration) -> Bool {
        var event = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, Int32(limit / .milliseconds(1))) == 1
    }
}
