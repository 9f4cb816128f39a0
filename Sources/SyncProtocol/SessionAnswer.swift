/// What a replica tells a session of values: a message, and which other answers have the same writes.
public struct SessionAnswer: Equatable, Sendable {
    /// The message.
    public var message: NodeMessage
    /// Answers with the same number, but 0, carry equal writes: their text need be made only once. A replica uses no
    /// number in two turns.
    public var notice: UInt64

    /// An answer; by default one that shares its writes with no other.
    public init(_ message: NodeMessage, notice: UInt64 = 0) {
        self.message = message
        self.notice = notice
    }
}
