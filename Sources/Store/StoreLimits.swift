/// How much a store does at once.
public struct StoreLimits: Sendable {
    /// Sizes of checkpoint rows and slices.
    public var checkpoint = CheckpointWriter.Limits()
    /// Batches of one origin that one transaction removes from the log.
    public var truncatedBatches = 1_000
    /// Bytes of one origin's log that are read at once.
    public var logBytes = 256 << 10
    /// Bytes that are decoded at once.
    public var decodedBytes = 4 << 20

    /// The limits of a node.
    public init() {}
}
