import Convergence
import DataTree
import SyncProtocol

/// Operations of many writes on their way into the tree, one after the other. Each turn applies some of the writes to a copy of
/// the tree. The copy becomes the tree once it has all writes of the operation, so clients see them at once.
///
/// The replica holds such an operation from the beginning: it stores and publishes it. The copy shares its memory with the tree. An
/// operation that arrives meanwhile is applied to both, because the result does not depend on the order.
struct LargeOperations: Sendable {
    /// The answer to a client whose operation shows.
    struct Confirmation: Sendable {
        let submission: Submission
        let answer: NodeMessage
    }

    private struct Waiting: Sendable {
        let operation: Operation
        /// The version vector without it.
        let before: VersionVector
        /// The deepest location that contains all writes, computed once: every request meanwhile is compared with it.
        let location: Path
        var confirmation: Confirmation?
    }

    /// The first one is being applied.
    private var waiting: [Waiting] = []
    /// The copy with the first `next` writes of the first operation; nil before these.
    private var copy: ConvergentTree?
    private var next = 0
    private var changes: [Change] = []
    /// Whether another operation has written at, above or below the location of the first one since that began.
    private var isDisturbed = false
    /// Whether an operation was completed, and requests that wait for that are not served yet.
    var hasReleased = false

    var isEmpty: Bool { waiting.isEmpty }

    /// The operations that do not show yet.
    var operations: [Operation] { waiting.map(\.operation) }

    /// Operations that the tree shows for certain; nil if it shows all that the replica holds.
    var shownVector: VersionVector? { waiting.first?.before }

    /// A time before the stamps of all operations that do not show; nil if there are none.
    var timeBefore: HybridTime? {
        waiting.map(\.operation.stamp.time.bits).min().map { HybridTime(bits: max($0, 1) - 1) }
    }

    /// Adds an operation.
    ///
    /// - Parameter vector: The version vector without it.
    mutating func append(_ operation: Operation, after vector: VersionVector) {
        waiting.append(
            Waiting(operation: operation, before: vector, location: operation.location))
    }

    /// Whether an operation of a session does not show yet.
    func contains(_ session: SessionID) -> Bool {
        waiting.contains { $0.confirmation?.submission.session == session }
    }

    /// Whether an operation that does not show yet writes at, above or below a location.
    func overlap(_ location: Path) -> Bool {
        waiting.contains { $0.location.overlaps(location) }
    }

    /// Has a client answered once the last operation shows.
    mutating func confirmLast(by confirmation: Confirmation) {
        waiting[waiting.count - 1].confirmation = confirmation
    }

    /// Answers a client no more, because it is gone.
    mutating func dropConfirmations(of session: SessionID) {
        for index in waiting.indices
        where waiting[index].confirmation?.submission.session == session {
            waiting[index].confirmation = nil
        }
    }

    /// Forgets registers of the copy as the tree has forgotten its own.
    mutating func forgetInCopy(through stamp: Stamp, limit: Int) {
        copy?.forget(through: stamp, limit: limit)
    }

    /// Applies another operation to the copy as well.
    mutating func applyToCopy(_ operation: Operation) {
        guard let first = waiting.first, copy != nil else { return }
        _ = copy?.apply(operation)
        let location = first.location
        if operation.writes.contains(where: { $0.path.overlaps(location) }) { isDisturbed = true }
    }

    /// The number of writes that `advance` applies.
    func nextCount(limit: Int) -> Int {
        waiting.first.map { min(limit, $0.operation.writes.count - next) } ?? 0
    }

    /// Applies the next writes of the first operation, at most `limit`.
    ///
    /// - Returns: The changes and the answer, once the operation is complete and `tree` shows it.
    mutating func advance(
        _ tree: inout ConvergentTree, limit: Int
    ) -> (changes: [Change], confirmation: Confirmation?)? {
        guard let first = waiting.first else { return nil }
        // Taken out, so that it is changed in place.
        var copy = self.copy.take() ?? tree
        let end = next + nextCount(limit: limit)
        var part = first.operation
        part.writes = Array(part.writes[next..<end])
        changes += copy.apply(part)
        next = end
        guard end == first.operation.writes.count else {
            self.copy = copy
            return nil
        }
        swap(&tree, &copy)
        let shown = isDisturbed ? tree.value.changes(from: copy.value) : changes
        waiting.removeFirst()
        (next, changes, isDisturbed, hasReleased) = (0, [], false, true)
        return (shown, first.confirmation)
    }

    /// Drops all operations, as another tree that has them replaces the tree; returns the answers.
    mutating func removeAll() -> [Confirmation] {
        defer {
            self = LargeOperations()
            hasReleased = true
        }
        return waiting.compactMap(\.confirmation)
    }
}

extension Operation {
    /// The deepest location that contains all writes.
    fileprivate var location: Path {
        guard let first = writes.first?.path, let last = writes.last?.path else { return .root }
        var common = zip(first.keys, last.keys).prefix { $0 == $1 }.count
        for write in writes where common > 0 {
            let keys = write.path.keys
            common = min(common, keys.count)
            while common > 0, keys[common - 1] != first.keys[common - 1] { common -= 1 }
        }
        return Path(Array(first.keys.prefix(common)))
    }
}

extension Value {
    /// The exact changes that make this value of an older version of it.
    ///
    /// - Complexity: O(what the two do not share).
    fileprivate func changes(from old: Value) -> [Change] {
        var changes: [Change] = []
        for write in differences(from: old) {
            Change.append(from: old[write.path], to: write.value, at: write.path, into: &changes)
        }
        // Removals last: an object that lost all its children in between would lose its priority.
        return changes.filter { !$0.new.isNull } + changes.filter(\.new.isNull)
    }
}
