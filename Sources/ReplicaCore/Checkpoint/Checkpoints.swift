/// When a replica makes a checkpoint: once starting would mean to read much of the log.
struct Checkpoints: Sendable {
    /// A checkpoint is due after so many bytes.
    let interval: Int
    /// What the log has since the state of the last checkpoint.
    private(set) var loggedBytes = 0
    private(set) var isWriting = false

    init(every interval: Int) { self.interval = interval }

    mutating func note(bytes: Int) { loggedBytes += bytes }

    /// Begins a checkpoint if one is due and none is being written.
    mutating func begin() -> Bool {
        guard loggedBytes >= interval, !isWriting else { return false }
        loggedBytes = 0
        isWriting = true
        return true
    }

    mutating func finish() { isWriting = false }
}
