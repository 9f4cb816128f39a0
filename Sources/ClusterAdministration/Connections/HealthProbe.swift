package import Sockets

/// Asks a node whether it serves, by `GET /health`, which needs no credential.
package struct HealthProbe {
    private let address: HTTPAddress

    package init(_ address: HTTPAddress) { self.address = address }

    /// Whether the node answers in time that it serves.
    package func isServing(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        guard let socket = try? PolledSocket(to: address) else { return false }
        var hasAsked = false
        var answer: [UInt8] = []
        repeat {
            guard let isOpen = try? socket.finishConnecting() else { return false }
            guard isOpen else { continue }
            if !hasAsked, !socket.send(request) { return false }
            hasAsked = true
            let isThere = socket.receive { answer += $0 }
            if answer.count >= HealthProbe.success.count {
                return answer.starts(with: HealthProbe.success)
            }
            if !isThere { return false }
        } while wait(for: socket, until: deadline)
        return false
    }

    private func wait(for socket: PolledSocket, until deadline: ContinuousClock.Instant) -> Bool {
        let rest = ContinuousClock.now.duration(to: deadline)
        return rest > .zero && socket.wait(upTo: rest)
    }

    private var request: [UInt8] {
        Array(
            "GET /health HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n\r\n".utf8)
    }

    private static let success = Array("HTTP/1.1 200".utf8)
}
