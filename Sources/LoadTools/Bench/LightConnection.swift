internal import CRuntime
internal import CommandLineKit
internal import Glibc
internal import SyncProtocol

/// A client's connection to a node over a plain socket, so light that a thousand of them measure the
/// node and not themselves.
///
/// It speaks ZMTP 3.0 as a DEALER without security: messages of one frame, and answers to heartbeats.
/// Source: ZeroMQ RFC 23.
final class LightConnection {
    let descriptor: Int32
    /// The beginning of a frame that is not whole yet.
    private var rest: [UInt8] = []

    private static let greeting: [UInt8] =
        [0xFF] + [UInt8](repeating: 0, count: 8) + [0x7F, 3, 0] + "NULL".utf8
        + [UInt8](repeating: 0, count: 48)
    private static let ready: [UInt8] =
        [5] + "READY".utf8 + [11] + "Socket-Type".utf8 + [0, 0, 0, 6] + "DEALER".utf8
    private static let isLong: UInt8 = 2
    private static let isCommand: UInt8 = 4

    /// Connects to an endpoint such as `tcp://127.0.0.1:7001`, and shakes hands.
    init(to endpoint: String) throws(CommandError) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = try LightConnection.address(of: endpoint)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw LightConnection.failure("connect to \(endpoint)") }
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(4))
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
        write(LightConnection.greeting)
        guard read(64) != nil else { throw LightConnection.failure("greet \(endpoint)") }
        write(
            [LightConnection.isCommand, UInt8(LightConnection.ready.count)] + LightConnection.ready)
        guard let head = read(2), read(Int(head[1])) != nil else {
            throw LightConnection.failure("shake hands with \(endpoint)")
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { Glibc.close(descriptor) }

    func send(_ frame: FrameWriter) {
        let bytes = frame.bytes
        var head: [UInt8] = [LightConnection.isLong]
        withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { head += $0 }
        write(head + bytes)
    }

    /// Reads all arrived bytes; false once the node has closed the connection.
    func receive(_ take: (UnsafeRawBufferPointer) -> Void) -> Bool {
        while true {
            let start = rest.count
            let count = withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 8) {
                buffer in
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    if start == 0 {
                        rest = Array(takeFrames(bytes, take))
                    } else {
                        let whole = rest + bytes
                        rest = whole.withUnsafeBytes { Array(takeFrames($0, take)) }
                    }
                }
                return count
            }
            if count == 0 { return false }
            // A short read has emptied the socket.
            if count < 256 << 10 { return count > 0 || errno == EAGAIN || errno == EINTR }
        }
    }

    /// Handles all whole frames and returns the remaining bytes.
    private func takeFrames(
        _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> UnsafeRawBufferPointer {
        var position = 0
        while position + 2 <= bytes.count {
            let flags = bytes[position]
            var size = Int(bytes[position + 1])
            var start = position + 2
            if flags & LightConnection.isLong != 0 {
                start = position + 9
                guard start <= bytes.count else { break }
                let long = bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)
                size = Int(UInt64(bigEndian: long))
            }
            guard start + size <= bytes.count else { break }
            let frame = UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])
            if flags & LightConnection.isCommand != 0 { answer(frame) } else { take(frame) }
            position = start + size
        }
        return UnsafeRawBufferPointer(rebasing: bytes[position...])
    }

    /// A node's heartbeat: `PING`, two bytes of time, and the context to repeat.
    private func answer(_ command: UnsafeRawBufferPointer) {
        guard command.starts(with: [4] + "PING".utf8), command.count >= 7 else { return }
        let pong = [4] + "PONG".utf8 + command[7...]
        write([LightConnection.isCommand, UInt8(pong.count)] + pong)
    }

    /// Writes all, waiting for room; what it writes is little.
    private func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress! + sent, bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            if count > 0 { sent += count } else if errno != EAGAIN { return }
        }
    }

    /// Reads so many bytes, blocking.
    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private static func address(of endpoint: String) throws(CommandError) -> sockaddr_in {
        let parts = endpoint.dropFirst("tcp://".count).split(separator: ":")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        guard parts.count == 2, let port = UInt16(parts[1]),
            inet_pton(AF_INET, String(parts[0]), &address.sin_addr) == 1
        else { throw failure("understand \(endpoint)") }
        address.sin_port = port.bigEndian
        return address
    }

    private static func failure(_ deed: String) -> CommandError {
        CommandError(
            .unavailable, "cannot \(deed): \(systemErrorText)",
            fix: "look at the logs of the nodes with `hearth cluster logs`")
    }
}

/// Waits for many connections at once.
final class LightPoll {
    private let descriptor = epoll_create1(0)
    private var events: [epoll_event]

    init(capacity: Int) { events = Array(repeating: epoll_event(), count: capacity) }

    deinit { Glibc.close(descriptor) }

    func add(_ connection: LightConnection, as index: Int) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(index)
        epoll_ctl(descriptor, EPOLL_CTL_ADD, connection.descriptor, &event)
    }

    /// The indexes of the sockets with input, after at most so many milliseconds.
    func wait(milliseconds: Int32, _ body: (Int) throws(CommandError) -> Void) throws(CommandError)
    {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        for index in 0..<max(0, Int(count)) { try body(Int(events[index].data.u64)) }
    }
}
