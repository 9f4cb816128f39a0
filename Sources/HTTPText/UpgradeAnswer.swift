/// Reads a server's answer to a client that asked for a WebSocket.
struct UpgradeAnswer: Sendable {
    /// The outcome of the answer.
    enum Outcome: Equatable {
        /// Frames follow.
        case accepted
        /// There is no WebSocket, as the client has not shown that it may have one.
        case denied
        /// There is no WebSocket, as the server takes no clients now.
        case unavailable
        /// The WebSocket is at another address, in the form of the header `Location`.
        case moved(to: String)
        /// There is no WebSocket, for this reason. The server may name a fix. A wrong request is refused whenever it is repeated.
        case refused(String, fix: String? = nil, isWrong: Bool = false)
    }

    private static let limit = 16 << 10
    private static let end: [UInt8] = [13, 10, 13, 10]

    private let key: String
    private let subprotocol: String
    private var bytes: [UInt8] = []

    init(to key: String, subprotocol: String) {
        self.key = key
        self.subprotocol = subprotocol
    }

    /// Reads up to the end of the answer, and removes from `bytes` what it read; nil until it is whole.
    mutating func next(in bytes: inout UnsafeRawBufferPointer) -> Outcome? {
        var position = 0
        while position < bytes.count {
            self.bytes.append(bytes[position])
            position += 1
            if self.bytes.suffix(4).elementsEqual(Self.end) {
                bytes = UnsafeRawBufferPointer(rebasing: bytes[position...])
                return outcome
            }
            if self.bytes.count == Self.limit { return .refused("its answer has no end") }
        }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[position...])
        return nil
    }

    private var outcome: Outcome {
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")[...]
        let status = lines.popFirst() ?? ""
        guard status.hasPrefix("HTTP/1.1 ") else { return .refused("it does not speak HTTP/1.1") }
        if status.hasPrefix("HTTP/1.1 401") { return .denied }
        if status.hasPrefix("HTTP/1.1 503") { return .unavailable }
        let values = Dictionary(lines.compactMap(UpgradeAnswer.header)) { first, _ in first }
        if status.hasPrefix("HTTP/1.1 307"), let location = values["location"] {
            return .moved(to: location)
        }
        guard status.hasPrefix("HTTP/1.1 101") else {
            if let problem = values["hearth-problem"], !problem.isEmpty {
                let isWrong = ["400", "404"].contains(status.dropFirst("HTTP/1.1 ".count).prefix(3))
                return .refused(problem, fix: values["hearth-fix"], isWrong: isWrong)
            }
            return .refused("it answered \(status.dropFirst("HTTP/1.1 ".count))")
        }
        guard values["upgrade"]?.lowercased() == "websocket",
            values["sec-websocket-accept"] == WebSocketUpgrade.accept(key),
            values["sec-websocket-protocol"] == subprotocol,
            values["sec-websocket-extensions"] == nil
        else { return .refused("its answer is to another request") }
        return .accepted
    }

    /// The name and the value of a line.
    private static func header(_ line: Substring) -> (String, String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (line[..<colon].lowercased(), String(value))
    }
}
