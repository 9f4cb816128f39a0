/// The header lines that determine the end and the host of a request.
///
/// Everything unusual is refused: two servers that read it differently are how requests are smuggled.
struct FramingFields {
    private(set) var host: Range<Int>?
    private(set) var expectsContinue = false
    private var contentLength: Int?
    private var isChunked = false
    private var saysClose = false
    private var saysKeepAlive = false

    /// Reads a header line, if it is one of these.
    mutating func read(_ line: FieldLine, of bytes: Span<UInt8>) throws(RequestFailure) {
        let (name, value) = (line.name, line.value)
        switch name.count {
        case 4 where bytes.matches("host", in: name): try readHost(bytes, value)
        case 6 where bytes.matches("expect", in: name): try readExpect(bytes, value)
        case 10 where bytes.matches("connection", in: name): readConnection(bytes, value)
        case 14 where bytes.matches("content-length", in: name): try readLength(bytes, value)
        case 17 where bytes.matches("transfer-encoding", in: name): try readCoding(bytes, value)
        default: break
        }
    }

    /// How the body ends.
    func body(_ version: HTTPVersion) throws(RequestFailure) -> RequestBody {
        guard isChunked else { return .length(contentLength ?? 0) }
        guard version == .http11, contentLength == nil else { throw .badTransferEncoding }
        return .chunked
    }

    /// Whether the connection stays open after the answer.
    func keepsConnectionOpen(_ version: HTTPVersion) -> Bool {
        !saysClose && (version == .http11 || saysKeepAlive)
    }

    private mutating func readHost(
        _ bytes: Span<UInt8>, _ value: Range<Int>
    ) throws(RequestFailure) {
        guard host == nil, AuthorityParts(bytes, in: value) != nil else { throw .badHost }
        host = value
    }

    private mutating func readExpect(
        _ bytes: Span<UInt8>, _ value: Range<Int>
    ) throws(RequestFailure) {
        guard bytes.matches("100-continue", in: value) else { throw .unsupportedExpectation }
        expectsContinue = true
    }

    private mutating func readConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        if bytes.lists("close", in: value) { saysClose = true }
        if bytes.lists("keep-alive", in: value) { saysKeepAlive = true }
    }

    private mutating func readLength(
        _ bytes: Span<UInt8>, _ value: Range<Int>
    ) throws(RequestFailure) {
        guard contentLength == nil, !value.isEmpty else { throw .badContentLength }
        var length = 0
        for place in value {
            guard bytes[place].isDigit else { throw .badContentLength }
            let (tenfold, overflow) = length.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(Int(bytes[place] - 0x30))
            if overflow || carry { throw .bodyTooLarge }
            length = sum
        }
        contentLength = length
    }

    private mutating func readCoding(
        _ bytes: Span<UInt8>, _ value: Range<Int>
    ) throws(RequestFailure) {
        guard !isChunked else { throw .badTransferEncoding }
        guard bytes.matches("chunked", in: value) else { throw .unsupportedTransferEncoding }
        isChunked = true
    }
}
