/// A server's answer to a request.
public struct ServerResponse: Equatable, Sendable {
    /// The status, such as 200.
    public let status: Int
    /// The header fields in their order, names in lower case.
    public let fields: [Field]
    /// The content, without the framing of its transfer.
    public fileprivate(set) var body: [UInt8] = []

    /// A line of the head.
    public struct Field: Equatable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without blanks around it.
        public let value: String
    }

    /// The values of the fields with this name, which is in lower case.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}

/// Reads a server's answer to one GET on a connection that is closed afterwards (RFC 9112).
public struct ResponseReader: Sendable {
    /// Why bytes are no answer.
    public struct Failure: Error, Equatable, Sendable {
        /// The problem, to follow "the answer".
        public let problem: String
    }

    private enum State {
        case head
        case length(ServerResponse, remaining: Int)
        case chunks(ServerResponse, ChunkedReader)
        case untilEnd(ServerResponse)
        case done
    }

    private static let headEnd: [UInt8] = [13, 10, 13, 10]
    private let limits: HTTPLimits
    private let bodyLimit: Int
    private var state = State.head
    private var waiting: [UInt8] = []

    /// - Parameter bodyLimit: The most bytes of the content.
    public init(bodyLimit: Int, limits: HTTPLimits = HTTPLimits()) {
        (self.bodyLimit, self.limits) = (bodyLimit, limits)
    }

    /// Reads bytes that have arrived; returns the answer once it is complete.
    ///
    /// - Throws: The problem with the answer; the connection is then useless.
    public mutating func read(_ bytes: [UInt8]) throws(Failure) -> ServerResponse? {
        waiting += bytes
        while true {
            switch state {
            case .head:
                guard try readHead() else { return nil }
            case .length(let response, let remaining):
                return finish(response, remaining)
            case .chunks(let response, let reader):
                return try readChunks(response, reader)
            case .untilEnd:
                guard waiting.count <= bodyLimit else { throw tooLarge }
                return nil
            case .done: return nil
            }
        }
    }

    /// The answer when the server has closed the connection.
    ///
    /// - Throws: If the answer is not complete.
    public mutating func end() throws(Failure) -> ServerResponse {
        guard case .untilEnd(var response) = state else {
            throw Failure(problem: "ended before it was complete")
        }
        response.body = waiting
        state = .done
        return response
    }

    /// The failure of an answer whose content is larger than the limit.
    public var tooLarge: Failure { Failure(problem: "has more than \(bodyLimit) bytes") }
}

extension ResponseReader {
    /// Reads the head if it has arrived, and skips interim answers.
    private mutating func readHead() throws(Failure) -> Bool {
        guard let (response, end) = try ResponseReader.head(in: waiting, limits) else {
            return false
        }
        waiting.removeSubrange(..<end)
        if (100..<200).contains(response.status) { return true }
        state = try framing(of: response)
        return true
    }

    /// The head at the beginning of bytes, and its length; nil while it is not complete.
    static func head(
        in bytes: [UInt8], _ limits: HTTPLimits
    ) throws(Failure) -> (ServerResponse, Int)? {
        guard let end = bytes.firstRange(of: ResponseReader.headEnd) else {
            guard bytes.count < limits.headBytes else {
                throw Failure(problem: "has a head of more than \(limits.headBytes) bytes")
            }
            return nil
        }
        let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        return (try response(text), end.upperBound)
    }

    private static func response(_ head: String) throws(Failure) -> ServerResponse {
        var lines = head.split(separator: "\r\n")[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0",
            words[1].utf8.count == 3, let status = Int(words[1]), status >= 100
        else { throw Failure(problem: "is not HTTP/1.1") }
        var fields: [ServerResponse.Field] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else {
                throw Failure(problem: "has a malformed head")
            }
            let value = line[line.index(after: colon)...].drop { " \t".contains($0) }
            let end = value.lastIndex { !" \t".contains($0) }.map(value.index(after:))
            fields.append(
                .init(
                    name: line[..<colon].lowercased(),
                    value: String(value[..<(end ?? value.endIndex)])))
        }
        return ServerResponse(status: status, fields: fields)
    }

    /// How the content ends (RFC 9112, section 6.3).
    private func framing(of response: ServerResponse) throws(Failure) -> State {
        if response.status == 204 || response.status == 304 {
            return .length(response, remaining: 0)
        }
        let codings = response.values(of: "transfer-encoding")
        if !codings.isEmpty {
            guard codings.map({ $0.lowercased() }) == ["chunked"] else {
                throw Failure(problem: "has an unknown Transfer-Encoding")
            }
            return .chunks(response, ChunkedReader())
        }
        let lengths = Set(response.values(of: "content-length"))
        guard let text = lengths.first else { return .untilEnd(response) }
        guard lengths.count == 1, let length = Int(text), length >= 0 else {
            throw Failure(problem: "has an invalid Content-Length")
        }
        guard length <= bodyLimit else { throw tooLarge }
        return .length(response, remaining: length)
    }

    private mutating func finish(_ response: ServerResponse, _ length: Int) -> ServerResponse? {
        guard waiting.count >= length else { return nil }
        var response = response
        response.body = Array(waiting[..<length])
        state = .done
        return response
    }

    private mutating func readChunks(
        _ response: ServerResponse, _ reader: ChunkedReader
    ) throws(Failure) -> ServerResponse? {
        var (response, reader, place) = (response, reader, 0)
        let isComplete: Bool
        do throws(RequestFailure) {
            isComplete = try reader.read(
                waiting, at: &place, into: &response.body, bodyLimit: bodyLimit, limits: limits)
        } catch {
            throw error == .bodyTooLarge ? tooLarge : Failure(problem: "has malformed chunks")
        }
        waiting.removeAll()
        state = isComplete ? .done : .chunks(response, reader)
        return isComplete ? response : nil
    }
}
