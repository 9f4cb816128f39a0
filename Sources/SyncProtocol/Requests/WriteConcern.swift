/// On how many members a write is durable.
public enum WriteConcern: String, CaseIterable, Comparable, Sendable {
    /// On the node that accepted it.
    case local
    /// On more than half of the members.
    case majority
    case all

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
