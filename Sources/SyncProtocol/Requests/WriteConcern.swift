/// On how many members a write is durable.
public enum WriteConcern: String, CaseIterable, Comparable, Sendable {
    /// On the node that accepted it.
    case local
    /// On more than half of the members.
    case majority
    case all

    /// After this long a node answers what was reached: earlier than clients stop waiting, so that they learn that the
    /// write is done.
    package static let patienceMilliseconds: UInt64 = 3_000
    /// No client waits longer.
    package static let longestPatienceMilliseconds: UInt64 = 900_000

    private var rank: Int {
        switch self {
        case .local: 0
        case .majority: 1
        case .all: 2
        }
    }

    /// Whether the first comes before the second.
    public static func < (a: WriteConcern, b: WriteConcern) -> Bool { a.rank < b.rank }
}
