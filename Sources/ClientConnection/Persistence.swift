/// The file in which a connection saves values and unsent writes. The next process shows the values
/// at once and sends the writes.
public struct Persistence: Sendable {
    /// A SQLite file, made if it is not there; one process has it at a time.
    public var file: String
    /// How many bytes the values of listens may have; the oldest ones are removed first. Unanswered writes do not
    /// count.
    public var byteLimit: Int

    /// Names the file, and how much it may hold: 10 MB unless given.
    public init(file: String, byteLimit: Int = 10 << 20) {
        self.file = file
        self.byteLimit = byteLimit
    }
}
