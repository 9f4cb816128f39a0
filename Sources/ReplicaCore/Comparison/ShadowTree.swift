import Convergence
import DataTree
import SyncProtocol

/// A copy of a replica's tree, and the operations that have arrived since: the digest of the tree with some of them.
///
/// The copy shares its memory with the tree. It forgets no registers, and the replica has forgotten only those of operations
/// before its stable time, which none that still arrives needs. So operations take effect in any order.
struct ShadowTree: Sendable {
    /// How many writes are applied in a turn.
    static let writesPerTurn = 500
    /// With more writes since the copy, there is no digest.
    static let writesLimit = 100_000

    private struct Recorded: Sendable {
        let operation: Operation
        let origin: WriterID
        let sequence: UInt64
    }

    /// The operations that the copy has.
    let start: VersionVector
    /// These, and those that have arrived since.
    private var held: VersionVector
    private var tree: ConvergentTree
    /// Operations that the replica held and did not show yet, and those that have arrived since.
    private var recorded: [Recorded]
    private var recordedWrites: Int
    /// How many of them are applied, and how many writes of the next one.
    private var next = 0
    private var nextWrite = 0

    /// Copies a tree.
    ///
    /// - Parameters:
    ///   - vector: The operations that the replica holds.
    ///   - unshown: Those among them that the tree does not show yet.
    init(of tree: ConvergentTree, holding vector: VersionVector, unshown: [Operation]) {
        (start, held, self.tree) = (vector, vector, tree.shadow)
        recorded = unshown.map { Recorded(operation: $0, origin: $0.stamp.writer, sequence: 0) }
        recordedWrites = unshown.reduce(0) { $0 + $1.writes.count }
    }

    /// Whether it has recorded so many writes that they are not applied.
    var isFull: Bool { recordedWrites > ShadowTree.writesLimit }

    /// Records an operation that the replica has applied.
    mutating func record(_ operation: Operation, of origin: WriterID) {
        held[origin] += 1
        if isFull || RulesRecord(operation) != nil { return }
        recordedWrites += operation.writes.count
        recorded.append(
            Recorded(operation: operation, origin: origin, sequence: held[origin]))
    }

    /// Applies a turn's share of the recorded operations that a vector has.
    ///
    /// - Parameter vector: The replica holds its operations, and it covers those of the copy.
    /// - Returns: The digest of the tree with exactly these; nil while operations are left, or parts that are not counted.
    mutating func digest(at vector: VersionVector) -> TreeDigest? {
        precondition(
            vector.covers(start) && held.covers(vector),
            "a digest at \(vector) of a copy from \(start) to \(held)")
        var rest = ShadowTree.writesPerTurn
        while next < recorded.count, rest > 0 {
            let (operation, origin) = (recorded[next].operation, recorded[next].origin)
            if recorded[next].sequence <= vector[origin] {
                var part = operation
                let end = min(nextWrite + rest, operation.writes.count)
                part.writes = Array(operation.writes[nextWrite..<end])
                _ = tree.apply(part)
                rest -= max(1, end - nextWrite)
                nextWrite = end
            } else {
                nextWrite = operation.writes.count
            }
            if nextWrite == operation.writes.count { (next, nextWrite) = (next + 1, 0) }
        }
        // Large removed parts stay in memory until the replica itself has freed them.
        _ = tree.countDigest()
        return next == recorded.count ? tree.digest : nil
    }
}
