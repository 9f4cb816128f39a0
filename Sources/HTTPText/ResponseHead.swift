/// The status and the headers of an answer.
///
/// The functions that make the bytes write the framing (`Content-Length`, `Transfer-Encoding`,
/// `Connection`) and `Date`. An answer therefore always ends where its head says.
public struct ResponseHead: Equatable, Sendable {
    /// The status, 200 say.
    public let status: Int
    private var lines: [UInt8] = []

    /// Makes a head without headers.
    public init(status: Int) {
        precondition((100...599).contains(status), "\(status) is no status")
        self.status = status
    }

    /// Appends a header.
    ///
    /// - Parameters:
    ///   - name: The name, which no client may choose.
    ///   - value: The value. A control character in it is written as a space, so that nothing that comes from outside can end
    ///     the line; see `isValue(_:)`.
    public mutating func append(_ name: StaticString, _ value: String) {
        lines.append(name)
        lines += [UInt8(ascii: ":"), 0x20]
        for byte in value.utf8 { lines.append(byte.isFieldCharacter ? byte : 0x20) }
        lines.appendLineEnd()
    }

    /// Whether a text may be the value of a header as it is.
    public static func isValue(_ text: String) -> Bool { text.utf8.allSatisfy(\.isFieldCharacter) }

    /// The bytes of an answer with all of its body.
    ///
    /// - Parameter body: The body; for a HEAD request the one that GET would get, of which only the length is written. Empty
    ///   where the status allows none (1xx, 204, 304).
    public func message(
        body: [UInt8] = [], form: ResponseForm, date: HTTPDate
    ) -> [UInt8] {
        precondition(mayHaveBody || body.isEmpty, "status \(status) has no body")
        var bytes = start(form, date)
        bytes.reserveCapacity(bytes.count + lines.count + body.count + 40)
        if mayHaveBody {
            bytes.append("Content-Length: ")
            bytes.append(contentsOf: String(body.count).utf8)
            bytes.appendLineEnd()
        }
        bytes += lines
        bytes.appendLineEnd()
        if !form.omitsBody { bytes += body }
        return bytes
    }

    /// The bytes of the head of an answer whose body comes in pieces, and the writer of these.
    ///
    /// For a client that speaks HTTP/1.0 the end of the connection is the end of the body: `ChunkedBody.endsConnection`.
    public func stream(form: ResponseForm, date: HTTPDate) -> (head: [UInt8], body: ChunkedBody) {
        precondition(mayHaveBody, "status \(status) has no body")
        let isChunked = form.version == .http11
        var bytes = start(isChunked ? form : form.closing, date)
        if isChunked { bytes.append("Transfer-Encoding: chunked\r\n") }
        bytes += lines
        bytes.appendLineEnd()
        let body = ChunkedBody(
            isChunked: isChunked, isOmitted: form.omitsBody,
            endsConnection: form.closesConnection || !isChunked)
        return (bytes, body)
    }

    /// The answer to a client that waits with its body (`RequestHead.expectsContinue`): it may send it.
    public static let continueMessage = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private var mayHaveBody: Bool { status >= 200 && status != 204 && status != 304 }

    private func start(_ form: ResponseForm, _ date: HTTPDate) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + lines.count)
        bytes.append("HTTP/1.1 ")
        bytes.append(contentsOf: String(status).utf8)
        bytes.append(0x20)
        bytes.append(contentsOf: ResponseHead.reason(status).utf8)
        bytes.append("\r\nDate: ")
        bytes += date.bytes
        bytes.appendLineEnd()
        if status == 101 {
            bytes.append("Connection: Upgrade\r\n")
        } else if form.closesConnection {
            bytes.append("Connection: close\r\n")
        } else if form.version == .http10 {
            bytes.append("Connection: keep-alive\r\n")
        }
        return bytes
    }
}

/// The properties of a request that determine the form of its answer's bytes.
public struct ResponseForm: Equatable, Sendable {
    /// The version that the client speaks.
    public let version: HTTPVersion
    /// Whether the answer is a head alone, because that was asked for.
    public let omitsBody: Bool
    /// Whether the server closes the connection after the answer.
    public let closesConnection: Bool

    /// The form of the last answer on a connection, to bytes that are no request.
    public static let afterFailure = ResponseForm(
        version: .http11, omitsBody: false, closesConnection: true)

    /// The same, and the connection is closed after the answer.
    public var closing: ResponseForm {
        ResponseForm(version: version, omitsBody: omitsBody, closesConnection: true)
    }
}

extension RequestHead {
    /// The form of the answer.
    public var responseForm: ResponseForm {
        ResponseForm(
            version: version, omitsBody: method == .head, closesConnection: !keepsConnectionOpen)
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    mutating func appendLineEnd() { append("\r\n") }
}
