@testable import HTTPText

/// The requests that a reader found in the bytes of a connection, if each request is answered at once.
struct Reading: Equatable {
    /// The requests that were complete, each as `METHOD path?query body`.
    var requests: [String] = []
    /// The same, each as `METHOD TARGET BODY`.
    var wholeRequests: [[UInt8]] = []
    var failure: RequestFailure?
    /// The part that the reader waits for at the end.
    var phase = ConnectionPhase.idle
    /// The heads, those of requests included that were never complete.
    var heads: [RequestHead] = []

    /// Reads bytes that arrive in pieces.
    init(_ pieces: [[UInt8]], limits: HTTPLimits = HTTPLimits()) {
        var reader = RequestReader(limits: limits)
        var body: [UInt8] = []
        for piece in pieces {
            reader.receive(piece)
            while let event = reader.next() {
                switch event {
                case .head(let head):
                    heads.append(head)
                    body = []
                case .body(let bytes): body += bytes
                case .end:
                    let head = heads[heads.count - 1]
                    requests.append(Reading.text(head, body))
                    wholeRequests.append(Reading.bytes(head, body))
                    reader.answered()
                case .failure(let failure): self.failure = failure
                }
            }
        }
        phase = reader.phase
    }

    init(_ text: String, limits: HTTPLimits = HTTPLimits()) {
        self.init([Array(text.utf8)], limits: limits)
    }

    private static func bytes(_ head: RequestHead, _ body: [UInt8]) -> [UInt8] {
        Array("\(head.method.name) ".utf8) + head.targetBytes + [0x20] + body
    }

    private static func text(_ head: RequestHead, _ body: [UInt8]) -> String {
        let query = head.target.queryText.map { "?\($0)" } ?? ""
        let line = "\(head.method.name) \(head.target.pathText)\(query)"
        return body.isEmpty ? line : line + " " + String(decoding: body, as: UTF8.self)
    }
}

/// A head with one line, and others.
func request(_ line: String, _ fields: String...) -> String {
    ([line, "Host: x"] + fields + ["", ""]).joined(separator: "\r\n")
}

/// The head of a text.
func head(_ text: String) throws -> RequestHead {
    let reading = Reading(text)
    if let failure = reading.failure { throw failure }
    guard let head = reading.heads.first else { throw Incomplete() }
    return head
}

extension RequestHead {
    /// The target as the client wrote it.
    var targetBytes: ArraySlice<UInt8> {
        let line = bytes.drop { $0 == 0x0D || $0 == 0x0A }.prefix { $0 != 0x0D }
        return line.drop { $0 != 0x20 }.dropFirst().prefix { $0 != 0x20 }
    }
}

struct Incomplete: Error {}

extension RequestReader {
    /// The head that comes next.
    mutating func nextHead() throws -> RequestHead {
        guard case .head(let head) = next() else { throw Incomplete() }
        return head
    }
}
