import DataTree
import Randomness
import SyncProtocol

/// Draws what has to differ from all that any node ever drew: writers and push IDs.
struct IdentifierSource: Sendable {
    private var random: SplitMix64
    private var pushIDs = PushIDGenerator()

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The writer of an incarnation.
    mutating func nextWriter() -> WriterID { WriterID(bits: random.next() | 1) }

    /// A key that sorts after all that this node has drawn.
    mutating func nextPushID(at milliseconds: UInt64) -> Key {
        pushIDs.next(at: milliseconds, random: &random)
    }
}
