import DataTree
import SyncProtocol

/// The frames that a listener receives from its node, beside their effect in the SDK.
struct Listening {
    /// So many listeners are followed frame by frame; where there are more, the others are judged by what they show.
    static let followedCount = 50

    let path: Path
    /// Whether its frames are looked at.
    let isFollowed: Bool
    /// The last value that its program received.
    private(set) var shown: Value?
    /// The value as the node's frames alone make it.
    private(set) var told = Value.null
    /// Whether the node has sent the whole value on the present connection.
    private(set) var isComplete = false
    private(set) var changeCount = 0
    /// The first error of a change.
    private(set) var failure: String?
    /// The number of the listen on the present connection.
    private var number: UInt64?

    init(path: Path, isFollowed: Bool) { (self.path, self.isFollowed) = (path, isFollowed) }

    /// Its program gets a value.
    mutating func show(_ value: Value) {
        shown = value
        guard !isFollowed else { return }
        (told, isComplete) = (value, true)
        changeCount += 1
    }

    /// Begins the listen: the node then sends only what the listener does not hold.
    mutating func begin(_ message: ClientMessage) {
        guard case .listen(let listen) = message.request else { return }
        number = message.id
        isComplete = false
        if listen.held == nil { told = .null }
    }

    mutating func receive(_ message: NodeMessage) {
        switch message {
        case .change(let listen, let writes) where listen == number: apply(writes)
        case .ranges(let listen, let ranges) where listen == number:
            isComplete = true
            changeCount += 1
            told.replace(
                ranges.map(\.range),
                by: ranges.flatMap(\.writes).map { (path: $0.path, value: $0.value) })
        default: break
        }
    }

    /// The connection is gone.
    mutating func disconnect() {
        number = nil
        if isFollowed { isComplete = false }
    }

    mutating func noteEnd(_ problem: String) { failure = failure ?? "it ended: \(problem)" }

    /// Applies the changes of one operation; each write of it has to change something.
    private mutating func apply(_ writes: [Write]) {
        changeCount += 1
        guard isComplete else {
            isComplete = true
            // Without writes the listener holds exactly what there is.
            if !writes.isEmpty { told = .null }
            for write in writes { told.set(write.value, at: write.path) }
            return
        }
        if writes.isEmpty { failure = failure ?? "a change told nothing" }
        for write in writes {
            if told[write.path] == write.value { noteRepetition(write, of: writes) }
            told.set(write.value, at: write.path)
        }
    }

    private mutating func noteRepetition(_ write: Write, of writes: [Write]) {
        guard failure == nil else { return }
        let changes = writes.map { "\($0.path) \($0.value)" }.joined(separator: ", ")
        failure =
            "\(write.path) was \(write.value) already when a change told \(changes.cut(to: 200)) of \(told.summary)"
    }
}
