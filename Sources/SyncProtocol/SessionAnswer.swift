/// A message of a replica to a session of values, with a number that messages with equal writes share.
public struct SessionAnswer: Equatable, Sendable {
    /// The message.
    public var message: NodeMessage
    /// Answers with the same number, but 0, carry equal writes: their text need be made only once. A replica uses no
    /// number in two turns.
    public var notice: UInt64
    /// The same change as one write, where one write of a client made it: the value at the location of that write.
    package var replacement: Write?

    /// An answer; by default one that shares its writes with no other.
    public init(_ message: NodeMessage, notice: UInt64 = 0) {
        self.message = message
        self.notice = notice
    }
}
