import DataTree
import SyncProtocol

/// What a listener knows of its location: a value that is made of nothing but what it was told.
struct Listening {
    let path: Path
    private(set) var value = Value.null
    /// Whether the whole value came on the present connection.
    private(set) var isComplete = false
    private(set) var changeCount = 0
    /// The first thing that a change did wrong.
    private(set) var failure: String?

    init(path: Path) { self.path = path }

    /// A new connection begins with the whole value.
    mutating func restart() {
        value = .null
        isComplete = false
    }

    /// Takes what one operation changed; each write of it has to change something.
    mutating func take(_ writes: [Write]) {
        changeCount += 1
        guard isComplete else {
            isComplete = true
            for write in writes { value.set(write.value, at: write.path) }
            return
        }
        if writes.isEmpty { failure = failure ?? "a change told nothing" }
        let before = value
        for write in writes {
            if value[write.path] == write.value {
                noteRepetition(write, of: writes, before: before)
            }
            value.set(write.value, at: write.path)
        }
    }

    private mutating func noteRepetition(_ write: Write, of writes: [Write], before: Value) {
        guard failure == nil else { return }
        let told = writes.map { "\($0.path) \($0.value)" }.joined(separator: ", ")
        failure = "\(write.path) was \(write.value) already when a change told \(told) of \(before)"
    }
}
