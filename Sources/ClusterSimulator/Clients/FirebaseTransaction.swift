import ClientCore
import DataTree

/// A transaction of a Firebase client, which one node decides by the hash of what it was run on.
struct FirebaseTransaction {
    /// Firebase's clients give up after so many.
    static let triesLimit = 25

    /// Its number in the history.
    let record: Int
    let path: Path
    let listen: ListenID
    private(set) var old = Value.null
    private(set) var new = Value.null
    private(set) var tries = 0
    /// Its effect here.
    var write: WriteID?
    /// Whether its node may have it.
    var isSent = false
    var outcome = ClientOperation.Outcome.open

    init(record: Int, path: Path, listen: ListenID) {
        (self.record, self.path, self.listen) = (record, path, listen)
    }

    /// Runs its function: one more than a number, or a value that no other one makes.
    mutating func run(on value: Value, as name: String) {
        tries += 1
        old = value
        guard path == ApplicationProgram.count else {
            new = .string(name)
            return
        }
        if case .integer(let number) = value.content {
            new = .integer(number + 1)
        } else {
            new = .integer(1)
        }
    }
}
