import Store
import SyncProtocol

/// The properties that an incarnation finds on its disk, decoded; what cannot be read counts as absent.
struct StoredFacts: Sendable {
    private(set) var clockBound: UInt64 = 0
    private(set) var evictions: [Eviction] = []
    /// The members that the configuration listed before; nil if that is not known.
    private(set) var members: MemberList?
    /// The vote for the coordinator that this node has given last.
    private(set) var vote: Lease?

    init(_ properties: [Property]) {
        for property in properties {
            property.bytes.withUnsafeBytes { bytes in
                var reader = MessagePackReader(bytes)
                switch property.name {
                case .clockBound: clockBound = property.number ?? 0
                case .evictions: evictions = (try? reader.evictions()) ?? []
                case .members: members = MemberList(property.bytes)
                case .vote: vote = try? reader.lease()
                }
            }
        }
    }
}
