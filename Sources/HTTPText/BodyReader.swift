/// How far the body of a request has been read.
enum BodyReader {
    case length(Int, remaining: Int)
    case chunked(ChunkedReader)

    init(_ body: RequestBody) {
        self =
            switch body {
            case .length(let length): .length(length, remaining: length)
            case .chunked: .chunked(ChunkedReader())
            }
    }

    /// The bytes that the client has announced.
    var announcedBytes: Int {
        switch self {
        case .length(let length, _): length
        case .chunked(let chunks): chunks.total
        }
    }
}

/// An event of `RequestReader`; for each request in this order.
public enum RequestEvent: Equatable, Sendable {
    /// The head is complete.
    case head(RequestHead)
    /// The next bytes of the body.
    case body([UInt8])
    /// The request is complete; the caller answers it, and calls `RequestReader.answered()`.
    case end
    /// The connection brings no request: the caller answers with the failure's status, and closes it.
    case failure(RequestFailure)
}
