/// How much of what a client sends is read; each limit is the largest amount that is accepted.
public struct HTTPLimits: Equatable, Sendable {
    /// The bytes of a head, from the request line to the empty line.
    public var headBytes = 16 << 10
    /// The header lines of a head.
    public var fieldLines = 100
    /// The bytes of a request's target, its URI.
    public var targetBytes = 8 << 10
    /// The bytes of a body, unless `RequestReader.limitBody(to:)` sets another limit for a request.
    public var bodyBytes = 32 << 20
    /// The bytes between a chunk's size and the end of its line.
    public var chunkExtensionBytes = 256
    /// The bytes of all trailer lines of one body.
    public var trailerBytes = 8 << 10
    /// The bytes that are kept of later requests while a request waits for its answer.
    public var pipelinedBytes = 128 << 10

    /// Makes limits that fit the requests of a node's clients.
    public init() {}
}
