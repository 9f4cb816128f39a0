/// How large the parts are in which large answers leave: a huge value takes no memory of its own.
public struct PartSizes: Sendable {
    /// A part of an answer over REST, or of an event of a stream.
    public var answerBytes = 64 << 10
    /// A text of Firebase's protocol with fewer bytes is not large.
    public var textBytes = 256 << 10
    /// The most UTF-16 code units of a chunk of a text; Firebase's clients expect no more.
    public var chunkUnits = ChunkCutter.limit
    /// About so much of what waits for a Firebase client is sent at a time.
    public var sendBytes = 256 << 10
    /// With more bytes than this waiting for a poll, the replica holds back what the session listens to.
    public var pollBytes = 1 << 20
    /// With more bytes of values in one turn than this, further ones wait: a client can ask for many with few bytes.
    public var valueBytesPerTurn = 1 << 20

    /// The sizes of a server.
    public init() {}
}
