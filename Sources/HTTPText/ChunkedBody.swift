/// Writes a body whose length is not known when it begins (RFC 9112, section 7.1).
public struct ChunkedBody: Equatable, Sendable {
    /// Whether the connection has to be closed after the body.
    public let endsConnection: Bool
    private let isChunked: Bool
    private let isOmitted: Bool

    init(isChunked: Bool, isOmitted: Bool, endsConnection: Bool) {
        self.isChunked = isChunked
        self.isOmitted = isOmitted
        self.endsConnection = endsConnection
    }

    /// The bytes of the next piece; none for an empty one, which would end the body.
    public func piece(_ data: [UInt8]) -> [UInt8] {
        guard !data.isEmpty, !isOmitted else { return [] }
        guard isChunked else { return data }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(data.count + 20)
        bytes.append(contentsOf: String(data.count, radix: 16).utf8)
        bytes.appendLineEnd()
        bytes += data
        bytes.appendLineEnd()
        return bytes
    }

    /// The bytes of the end.
    public var end: [UInt8] { isChunked && !isOmitted ? Array("0\r\n\r\n".utf8) : [] }
}
