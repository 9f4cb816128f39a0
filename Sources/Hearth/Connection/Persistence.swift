/// Where a connection keeps what it knows, so that the next process has it at once and sends what this
/// one could not.
public struct Persistence: Sendable {
    /// A SQLite file, made if it is not there; one process has it at a time.
    public var file: String
    /// How many bytes the values may have that were told of listens; those told longest ago go
    /// first. Unanswered writes do not count.
    public var byteLimit: Int

    /// Names the file, and how much it may hold: 10 MB unless given.
    public init(file: String, byteLimit: Int = 10 << 20) {
        self.file = file
        self.byteLimit = byteLimit
    }
}
