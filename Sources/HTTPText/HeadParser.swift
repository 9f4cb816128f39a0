/// Reads a head line by line as its bytes arrive, and looks at no byte twice for a line's end.
struct HeadParser {
    /// The bytes in which there is no further line end, from the request's start.
    private var scanned = 0
    /// The offset of the incomplete line.
    private var lineStart = 0
    private var requestLine: RequestLine?
    private var lines: [FieldLine] = []
    private var framing = FramingFields()

    /// Reads on in the bytes of a request.
    ///
    /// - Parameters:
    ///   - buffer: All that has arrived, from the request's first byte on.
    ///   - start: The place of that byte.
    /// - Returns: The length of the head, once it is complete.
    mutating func parse(
        _ buffer: [UInt8], from start: Int, limits: HTTPLimits
    ) throws(RequestFailure) -> Int? {
        let bytes = buffer.span.extracting(start..<buffer.count)
        // A client that speaks TLS or anything else would send no line end, and wait.
        if scanned == 0, let first = bytes.isEmpty ? nil : bytes[0],
            !first.isTokenCharacter, first != .carriageReturn
        {
            throw first == .lineFeed ? .badLineEnd : .badRequestLine
        }
        while let feed = try nextLineFeed(bytes, limits: limits) {
            guard feed > lineStart, bytes[feed - 1] == .carriageReturn else { throw .badLineEnd }
            let line = lineStart..<feed - 1
            lineStart = feed + 1
            if try isEnd(line, of: bytes, limits: limits) { return lineStart }
        }
        return nil
    }

    /// The head that `parse` found complete.
    ///
    /// - Parameter bytes: Exactly the bytes of the head.
    func head(of bytes: [UInt8]) throws(RequestFailure) -> RequestHead {
        guard let requestLine else { preconditionFailure("a head without a request line") }
        let version = requestLine.version
        guard version == .http10 || framing.host != nil else { throw .badHost }
        return RequestHead(
            method: requestLine.method, version: version, body: try framing.body(version),
            keepsConnectionOpen: framing.keepsConnectionOpen(version),
            expectsContinue: framing.expectsContinue && version == .http11,
            bytes: bytes, lines: lines, path: requestLine.path, query: requestLine.query,
            host: requestLine.host ?? framing.host)
    }

    private mutating func nextLineFeed(
        _ bytes: Span<UInt8>, limits: HTTPLimits
    ) throws(RequestFailure) -> Int? {
        // Room for a method, a version, spaces and a line end.
        let limit =
            requestLine == nil
            ? min(limits.headBytes, limits.targetBytes + 64) : limits.headBytes
        let end = min(bytes.count, limit)
        if let feed = bytes.firstLineFeed(in: scanned..<max(scanned, end)) {
            scanned = feed + 1
            return feed
        }
        if bytes.count >= limit { throw requestLine == nil ? .targetTooLong : .headTooLarge }
        scanned = end
        return nil
    }

    /// Reads a line; true for the empty one that ends the head.
    private mutating func isEnd(
        _ line: Range<Int>, of bytes: Span<UInt8>, limits: HTTPLimits
    ) throws(RequestFailure) -> Bool {
        guard requestLine != nil else {
            // One empty line before a request is forgiven (RFC 9112, section 2.2).
            if line == 0..<0 { return false }
            requestLine = try RequestLine(bytes, in: line, limits: limits)
            return false
        }
        if line.isEmpty { return true }
        guard lines.count < limits.fieldLines else { throw .tooManyFieldLines }
        if lines.isEmpty { lines.reserveCapacity(8) }
        let field = try FieldLine(parsing: line, of: bytes)
        try framing.read(field, of: bytes)
        lines.append(field)
        return false
    }
}

extension FieldLine {
    /// Reads `Name: value`, given without its line end.
    init(parsing line: Range<Int>, of bytes: Span<UInt8>) throws(RequestFailure) {
        var colon = line.lowerBound
        while colon < line.upperBound, bytes[colon].isTokenCharacter { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":")
        else { throw .badFieldLine }
        for place in colon + 1..<line.upperBound where !bytes[place].isFieldCharacter {
            throw bytes[place] == .carriageReturn ? .badLineEnd : .badFieldLine
        }
        self.init(
            name: line.lowerBound..<colon, value: bytes.trimming(colon + 1..<line.upperBound))
    }
}
