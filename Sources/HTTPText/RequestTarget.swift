/// The path and the query of a request, decoded when they are asked for.
///
/// A `+` is a plus in the path and a space in the query, as forms encode it.
public struct RequestTarget: Equatable, Sendable {
    private let bytes: [UInt8]
    private let path: Range<Int>
    private let query: Range<Int>?

    init(bytes: [UInt8], path: Range<Int>, query: Range<Int>?) {
        self.bytes = bytes
        self.path = path
        self.query = query
    }

    /// Makes a target of a text such as `/rooms/a.json?shallow=true`.
    public init(_ text: String) {
        let bytes = Array(text.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        path = 0..<(mark ?? bytes.count)
        query = mark.map { $0 + 1..<bytes.count }
        self.bytes = bytes
    }

    /// The path as the client wrote it.
    public var pathText: String { String(decoding: bytes[path], as: UTF8.self) }

    /// The query as the client wrote it, without the question mark; nil if there is none.
    public var queryText: String? { query.map { String(decoding: bytes[$0], as: UTF8.self) } }

    /// The parts of the path between slashes, decoded one by one, so that `%2F` stays inside of a part.
    ///
    /// Empty parts are left out: `//u//ada` is `u`, `ada`. Parts such as `..` are parts as all others.
    public func segments() throws(TargetError) -> [String] {
        var segments: [String] = []
        for part in bytes[path].split(separator: UInt8(ascii: "/")) {
            segments.append(try percentDecoded(part))
        }
        return segments
    }

    /// The parameters of the query, in their order.
    public func parameters() throws(TargetError) -> QueryParameters {
        var parameters: [QueryParameters.Parameter] = []
        for part in bytes[query ?? 0..<0].split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            parameters.append(
                QueryParameters.Parameter(
                    name: try formDecoded(part[..<equals]),
                    value: try formDecoded(part[equals...].dropFirst())))
        }
        return QueryParameters(parameters)
    }

    /// Compares what two targets say, byte for byte.
    public static func == (one: RequestTarget, other: RequestTarget) -> Bool {
        one.bytes[one.path] == other.bytes[other.path]
            && one.query.map { one.bytes[$0] } == other.query.map { other.bytes[$0] }
    }
}

/// The parameters of a query, in their order.
public struct QueryParameters: Equatable, Sendable {
    /// One parameter.
    public struct Parameter: Equatable, Sendable {
        /// The name, decoded.
        public let name: String
        /// The value, decoded; empty if there is no equals sign.
        public let value: String

        /// Makes a parameter of decoded text.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All of them.
    public let all: [Parameter]

    /// Makes parameters of decoded ones.
    public init(_ all: [Parameter]) { self.all = all }

    /// The value of the first parameter with a name.
    public func first(_ name: String) -> String? { all.first { $0.name == name }?.value }
}
