internal import Sockets

/// A request of HTTP/1.0 to a node, and its answer. Each has a connection of its own.
struct ShortRequest {
    struct Answer {
        let status: Int
        /// The value of `ETag`; empty without one.
        let tag: String
        let body: [UInt8]
    }

    private let method: String
    private let target: String
    private let body: String
    private var fields = ""
    /// Whether 412 is an answer and no refusal.
    private(set) var acceptsConflict = false
    /// The value of `Authorization`.
    var credential: String?

    init(_ method: String, _ target: String, body: String = "") {
        (self.method, self.target, self.body) = (method, target, body)
    }

    /// The same request, whose answer names the entity tag of the value.
    func askingForTag() -> ShortRequest {
        var request = self
        request.fields += "X-Firebase-ETag: true\r\n"
        return request
    }

    /// The same request on the condition that the value still has an entity tag. Otherwise the answer is 412.
    func onlyIf(_ tag: String) -> ShortRequest {
        var request = self
        request.fields += "If-Match: \(tag)\r\n"
        request.acceptsConflict = true
        return request
    }

    /// Sends the request, and returns the answer; nil if none arrives in time.
    func answer(of address: HTTPAddress, within limit: Duration) -> Answer? {
        let deadline = ContinuousClock.now + limit
        guard let socket = try? PolledSocket(to: address) else { return nil }
        var hasAsked = false
        var answer: [UInt8] = []
        repeat {
            guard let isOpen = try? socket.finishConnecting() else { return nil }
            guard isOpen else { continue }
            if !hasAsked, !socket.send(bytes(for: address)) { return nil }
            hasAsked = true
            // The answer to a request of HTTP/1.0 ends with the connection.
            if !socket.receive({ answer += $0 }) { return ShortRequest.parts(of: answer) }
        } while wait(for: socket, until: deadline)
        return nil
    }

    private func wait(for socket: PolledSocket, until deadline: ContinuousClock.Instant) -> Bool {
        let rest = ContinuousClock.now.duration(to: deadline)
        return rest > .zero && socket.wait(upTo: rest)
    }

    private func bytes(for address: HTTPAddress) -> [UInt8] {
        let credential = credential.map { "Authorization: \($0)\r\n" } ?? ""
        return Array(
            ("\(method) \(target) HTTP/1.0\r\nHost: \(address.authority)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\(fields)\(credential)\r\n\(body)").utf8)
    }

    private static func parts(of answer: [UInt8]) -> Answer? {
        guard
            let end = answer.indices.dropLast(3).first(where: {
                answer[$0..<$0 + 4].elementsEqual([13, 10, 13, 10])
            })
        else { return nil }
        let lines = String(decoding: answer[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first.flatMap({ Int($0.dropFirst(9).prefix(3)) }) else {
            return nil
        }
        let tag = lines.first { $0.lowercased().hasPrefix("etag:") }?.dropFirst(5)
        return Answer(
            status: status, tag: String((tag ?? "").drop { $0 == " " }),
            body: Array(answer[(end + 4)...]))
    }
}
