/// The head of a request: everything before its body.
///
/// It keeps the bytes of the head, and makes text of a part only when that is asked for.
public struct RequestHead: Equatable, Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The version of HTTP that the client speaks.
    public let version: HTTPVersion
    /// How the body ends.
    public let body: RequestBody
    /// Whether the connection stays open once the request is answered.
    public let keepsConnectionOpen: Bool
    /// Whether the client waits for `100 Continue`, or for a refusal, before it sends the body.
    public let expectsContinue: Bool

    let bytes: [UInt8]
    let lines: [FieldLine]
    let path: Range<Int>
    let query: Range<Int>?
    let host: Range<Int>?

    /// The target's path and query.
    public var target: RequestTarget { RequestTarget(bytes: bytes, path: path, query: query) }

    /// The host and port that the request is meant for; nil only in HTTP/1.0.
    ///
    /// They come from the target if that is a URI, and otherwise from `Host`.
    public var authority: Authority? { host.flatMap { Authority(bytes.span, in: $0) } }

    /// The text of the host and port as the client wrote them.
    public var authorityText: String? { host.map(text) }

    /// All header lines, in their order.
    public var fields: [(name: String, value: String)] {
        lines.map { (text($0.name), text($0.value)) }
    }

    /// The value of the first header line with a name, in whatever case.
    public func value(of name: StaticString) -> String? {
        firstLine(name).map { text($0.value) }
    }

    /// The values of all header lines with a name, in whatever case.
    public func values(of name: StaticString) -> [String] {
        let span = bytes.span
        var values: [String] = []
        for line in lines where span.matches(name, in: line.name) {
            values.append(text(line.value))
        }
        return values
    }

    /// Whether a header that is a list, such as `Connection`, has an element, in whatever case.
    ///
    /// - Parameters:
    ///   - element: ASCII in small letters.
    ///   - name: The header's name, in small letters.
    public func lists(_ element: StaticString, in name: StaticString) -> Bool {
        let span = bytes.span
        for line in lines where span.matches(name, in: line.name) {
            if span.lists(element, in: line.value) { return true }
        }
        return false
    }

    /// Whether the client asks to go on with another protocol, `websocket` say.
    public func asksToUpgrade(to name: StaticString) -> Bool {
        version == .http11 && lists("upgrade", in: "connection") && lists(name, in: "upgrade")
    }

    /// Compares what two heads say, byte for byte.
    public static func == (one: RequestHead, other: RequestHead) -> Bool {
        one.bytes == other.bytes
    }

    private func firstLine(_ name: StaticString) -> FieldLine? {
        let span = bytes.span
        for line in lines where span.matches(name, in: line.name) { return line }
        return nil
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

/// The ranges of the name and the value in a header line, without surrounding blanks.
struct FieldLine: Sendable {
    private let nameStart: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32

    init(name: Range<Int>, value: Range<Int>) {
        nameStart = UInt32(name.lowerBound)
        nameEnd = UInt32(name.upperBound)
        valueStart = UInt32(value.lowerBound)
        valueEnd = UInt32(value.upperBound)
    }

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}

extension Span<UInt8> {
    /// Whether a list with commas has an element, in whatever case.
    func lists(_ element: StaticString, in range: Range<Int>) -> Bool {
        var start = range.lowerBound
        for place in range where self[place] == UInt8(ascii: ",") {
            if matches(element, in: trimming(start..<place)) { return true }
            start = place + 1
        }
        return matches(element, in: trimming(start..<range.upperBound))
    }
}

/// The method of a request.
public enum HTTPMethod: Hashable, Sendable {
    /// Reads.
    case get
    /// Reads, and gets the answer's head alone.
    case head
    /// Appends.
    case post
    /// Replaces.
    case put
    /// Changes in part.
    case patch
    /// Removes.
    case delete
    /// Asks what is allowed.
    case options
    /// Another one, which has at most 32 characters.
    case other(String)

    /// The method of a name, which is compared exactly.
    public init(_ name: String) {
        self =
            switch name {
            case "GET": .get
            case "HEAD": .head
            case "POST": .post
            case "PUT": .put
            case "PATCH": .patch
            case "DELETE": .delete
            case "OPTIONS": .options
            default: .other(name)
            }
    }

    /// The name of the method.
    public var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }
}

/// A version of HTTP that is served.
public enum HTTPVersion: Equatable, Sendable {
    /// HTTP/1.0: the connection closes after the answer, unless both sides say otherwise.
    case http10
    /// HTTP/1.1.
    case http11
}

/// How the body of a request ends.
public enum RequestBody: Equatable, Sendable {
    /// After so many bytes; 0 if there is no body.
    case length(Int)
    /// With the last of its chunks.
    case chunked
}
