/// The first line of a request: what it asks for.
struct RequestLine {
    let method: HTTPMethod
    let version: HTTPVersion
    let path: Range<Int>
    let query: Range<Int>?
    /// The host and port of a target that is a URI.
    let host: Range<Int>?

    private static let longestMethod = 32

    /// Reads a line, given without its end.
    init(
        _ bytes: Span<UInt8>, in line: Range<Int>, limits: HTTPLimits
    ) throws(RequestFailure) {
        let method = try RequestLine.method(bytes, in: line)
        let target = try RequestLine.target(bytes, in: method.upperBound + 1..<line.upperBound)
        guard target.count <= limits.targetBytes else { throw .targetTooLong }
        version = try RequestLine.version(bytes, in: target.upperBound + 1..<line.upperBound)
        self.method = HTTPMethod(String(copying: bytes, in: method))
        let parts = try TargetParts(bytes, in: target, isOptions: self.method == .options)
        (path, query, host) = (parts.path, parts.query, parts.host)
    }

    /// The token before the first space, which is there.
    private static func method(
        _ bytes: Span<UInt8>, in line: Range<Int>
    ) throws(RequestFailure) -> Range<Int> {
        var end = line.lowerBound
        while end < line.upperBound, bytes[end].isTokenCharacter { end += 1 }
        guard end > line.lowerBound, end - line.lowerBound <= longestMethod,
            end < line.upperBound, bytes[end] == 0x20
        else { throw .badRequestLine }
        return line.lowerBound..<end
    }

    /// Returns the text before the next space, which exists.
    private static func target(
        _ bytes: Span<UInt8>, in rest: Range<Int>
    ) throws(RequestFailure) -> Range<Int> {
        var end = rest.lowerBound
        while end < rest.upperBound, bytes[end].isTargetCharacter { end += 1 }
        guard end > rest.lowerBound, end < rest.upperBound, bytes[end] == 0x20 else {
            throw .badRequestLine
        }
        return rest.lowerBound..<end
    }

    private static func version(
        _ bytes: Span<UInt8>, in rest: Range<Int>
    ) throws(RequestFailure) -> HTTPVersion {
        let start = rest.lowerBound
        // `matches` would take `http/` too.
        guard rest.count == 8, bytes.matches("http/", in: start..<start + 5),
            bytes[start] == UInt8(ascii: "H"), bytes[start + 1] == UInt8(ascii: "T"),
            bytes[start + 2] == UInt8(ascii: "T"), bytes[start + 3] == UInt8(ascii: "P"),
            bytes[start + 5].isDigit, bytes[start + 6] == UInt8(ascii: "."),
            bytes[start + 7].isDigit
        else { throw .badRequestLine }
        switch (bytes[start + 5], bytes[start + 7]) {
        case (0x31, 0x31): return .http11
        case (0x31, 0x30): return .http10
        default: throw .unsupportedVersion
        }
    }
}

/// The ranges of the path, the query, and the host of a URI in a target.
private struct TargetParts {
    var path: Range<Int>
    var query: Range<Int>?
    var host: Range<Int>?

    /// Splits a target (RFC 9112, section 3.2), of which `//evil/x` is a path and no host.
    init(
        _ bytes: Span<UInt8>, in target: Range<Int>, isOptions: Bool
    ) throws(RequestFailure) {
        var start = target.lowerBound
        if isOptions, target.count == 1, bytes[start] == UInt8(ascii: "*") {
            path = target
            return
        }
        if bytes[start] != UInt8(ascii: "/") {
            let host = try TargetParts.host(bytes, in: target)
            self.host = host
            start = host.upperBound
        }
        let mark = (start..<target.upperBound).first { bytes[$0] == UInt8(ascii: "?") }
        path = start..<(mark ?? target.upperBound)
        query = mark.map { $0 + 1..<target.upperBound }
    }

    /// The host and port of a URI, whose scheme is `http` or `https`.
    private static func host(
        _ bytes: Span<UInt8>, in target: Range<Int>
    ) throws(RequestFailure) -> Range<Int> {
        let start = target.lowerBound
        let schemes: [(StaticString, Int)] = [("http://", 7), ("https://", 8)]
        for (scheme, length) in schemes where target.count >= length {
            guard bytes.matches(scheme, in: start..<start + length) else { continue }
            var end = start + length
            while end < target.upperBound, bytes[end] != UInt8(ascii: "/"),
                bytes[end] != UInt8(ascii: "?")
            {
                end += 1
            }
            let host = start + length..<end
            guard AuthorityParts(bytes, in: host) != nil else { throw .badHost }
            return host
        }
        throw .badTarget
    }
}

extension String {
    /// The text of a range of bytes.
    init(copying bytes: Span<UInt8>, in range: Range<Int>) {
        self = bytes.extracting(range).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
