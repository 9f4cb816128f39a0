internal import ClusterAdministration
internal import Sockets
internal import SyncProtocol
internal import TLS

/// The longest wait of one kind of request.
struct StallWait: Sendable {
    var longestNanoseconds: UInt64 = 0
    /// Requests that were refused, and connections that ended.
    var failures = 0

    var milliseconds: Double { Double(longestNanoseconds) / 1e6 }

    mutating func record(_ nanoseconds: UInt64) {
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    func merged(with other: StallWait) -> StallWait {
        StallWait(
            longestNanoseconds: max(longestNanoseconds, other.longestNanoseconds),
            failures: failures + other.failures)
    }
}

/// A connection that repeats one small request, each time once the answer is there.
final class RequestProbe {
    private static let periodNanoseconds: UInt64 = 10_000_000

    private let address: HTTPAddress
    private let secret: Secret?
    private let request: (UInt64) -> ClientMessage
    private var socket: NodeSocket?
    private var id: UInt64 = 0
    /// When the request was sent that has no answer yet.
    private var asked: UInt64?
    private var due: UInt64 = 0
    private var waits = StallWait()

    init(
        of address: HTTPAddress, showing secret: Secret?,
        request: @escaping (UInt64) -> ClientMessage
    ) {
        self.address = address
        self.secret = secret
        self.request = request
    }

    /// Receives an answer, and sends the next request if it is due.
    func advance(at now: UInt64) {
        if let socket, !socket.receive({ receive($0, at: now) }) {
            waits.failures += 1
            self.socket = nil
        }
        guard now >= due, asked == nil || socket == nil else { return }
        due = now + Self.periodNanoseconds
        if asked == nil { asked = now }
        if socket == nil { socket = try? NodeSocket(to: address, showing: secret) }
        id += 1
        socket?.send(request(id).frame)
    }

    private func receive(_ frame: [UInt8], at now: UInt64) {
        for case .message(let answer) in frame.messages(of: NodeMessage.self) {
            switch answer {
            case .ok(id), .value(id, _): break
            case .error(id, _, _, _): waits.failures += 1
            default: continue
            }
            if let asked { waits.record(now - asked) }
            asked = nil
        }
    }

    func wait(at now: UInt64) -> StallWait {
        var waits = waits
        if let asked { waits.record(now - asked) }
        return waits
    }
}

/// A client that asks for `/health` over a new connection each time.
final class HealthWait {
    private static let periodNanoseconds: UInt64 = 20_000_000
    private static let success = Array("HTTP/1.1 200".utf8)

    private let address: HTTPAddress
    private var socket: PolledSocket?
    private var hasSent = false
    private var answer: [UInt8] = []
    private var asked: UInt64?
    private var due: UInt64 = 0
    private var waits = StallWait()

    init(of address: HTTPAddress) { self.address = address }

    func advance(at now: UInt64) {
        if let socket { advance(socket, at: now) }
        guard socket == nil, now >= due else { return }
        due = now + Self.periodNanoseconds
        if asked == nil { asked = now }
        (hasSent, answer) = (false, [])
        socket = try? PolledSocket(to: address)
    }

    private func advance(_ socket: PolledSocket, at now: UInt64) {
        guard let isOpen = try? socket.finishConnecting() else { return fail() }
        guard isOpen else { return }
        if !hasSent {
            hasSent = true
            let request =
                "GET /health HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n\r\n"
            guard socket.send(Array(request.utf8)) else { return fail() }
        }
        let isThere = socket.receive { answer += $0 }
        if answer.starts(with: Self.success) {
            if let asked { waits.record(now - asked) }
            (self.socket, asked) = (nil, nil)
        } else if !isThere || answer.count >= Self.success.count {
            fail()
        }
    }

    /// The wait goes on until an answer says that the node serves.
    private func fail() {
        waits.failures += 1
        socket = nil
    }

    func wait(at now: UInt64) -> StallWait {
        var waits = waits
        if let asked { waits.record(now - asked) }
        return waits
    }
}
