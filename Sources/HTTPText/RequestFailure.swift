/// Why a request is refused; after one of these, nothing that the connection brings has a meaning.
public enum RequestFailure: Error, Equatable, Sendable {
    /// A line does not end with CR LF, or has one of them elsewhere.
    case badLineEnd
    /// The request line is not `METHOD TARGET HTTP/1.1`.
    case badRequestLine
    /// The target is no path, no `http` URI, and no `*` of an OPTIONS request.
    case badTarget
    /// The target has more bytes than the limit.
    case targetTooLong
    /// The version is neither HTTP/1.1 nor HTTP/1.0.
    case unsupportedVersion
    /// A header line is not `Name: value`, or continues the line before it.
    case badFieldLine
    /// The head has more bytes than the limit.
    case headTooLarge
    /// The head has more lines than the limit.
    case tooManyFieldLines
    /// The head of an HTTP/1.1 request has no Host, a head has several, or it is not `name[:port]`.
    case badHost
    /// The head has several Content-Length, or one that is no number.
    case badContentLength
    /// The head has Content-Length and Transfer-Encoding, several Transfer-Encoding, or one in HTTP/1.0.
    case badTransferEncoding
    /// The Transfer-Encoding is not `chunked`.
    case unsupportedTransferEncoding
    /// The Expect is not `100-continue`.
    case unsupportedExpectation
    /// The body has more bytes than the limit.
    case bodyTooLarge
    /// A chunk does not have the form `SIZE CR LF DATA CR LF`, or its extension is too long.
    case badChunk
    /// A trailer line is not `Name: value`, or all of them have more bytes than the limit.
    case badTrailer
    /// The client sent more requests ahead than the limit, without waiting for answers.
    case tooManyPipelinedBytes

    /// The status to answer with, before the connection is closed.
    public var status: Int {
        switch self {
        case .badLineEnd, .badRequestLine, .badTarget, .badFieldLine, .badHost, .badContentLength,
            .badTransferEncoding, .badChunk, .badTrailer, .tooManyPipelinedBytes:
            400
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedExpectation: 417
        case .headTooLarge, .tooManyFieldLines: 431
        case .unsupportedTransferEncoding: 501
        case .unsupportedVersion: 505
        }
    }

    /// The problem, as a sentence for the client's author.
    public var problem: String {
        switch self {
        case .badLineEnd: "A line does not end with CR LF."
        case .badRequestLine: "The request line is not METHOD TARGET HTTP/1.1."
        case .badTarget: "The target is neither a path nor an http URI."
        case .targetTooLong: "The URI is too long."
        case .unsupportedVersion: "Only HTTP/1.1 and HTTP/1.0 are served."
        case .badFieldLine: "A header line is not NAME: VALUE."
        case .headTooLarge: "The head is too large."
        case .tooManyFieldLines: "The head has too many lines."
        case .badHost: "The head needs one Host, as NAME or NAME:PORT."
        case .badContentLength: "The Content-Length is not one number."
        case .badTransferEncoding:
            "Transfer-Encoding goes with HTTP/1.1, once, and without Content-Length."
        case .unsupportedTransferEncoding: "The only Transfer-Encoding served is chunked."
        case .unsupportedExpectation: "The only expectation served is 100-continue."
        case .bodyTooLarge: "The body is too large."
        case .badChunk: "A chunk of the body is malformed."
        case .badTrailer: "The trailer of the body is malformed."
        case .tooManyPipelinedBytes: "Too many requests are sent without waiting for answers."
        }
    }
}
