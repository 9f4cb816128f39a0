import Store
import SyncProtocol

/// The properties that an incarnation finds on its disk, decoded; unreadable ones count as absent, except that an
/// unreadable `diskLoss` counts as a loss of everything.
struct StoredProperties: Sendable {
    private(set) var clockBound: UInt64 = 0
    /// Nil on a disk that was written before there was one.
    private(set) var closedBound: UInt64?
    /// The parts that this node has yet to recover: all of them if the disk is empty, and none if an older version
    /// wrote the disk.
    private(set) var diskLoss: DiskLoss
    private(set) var evictions: [Eviction] = []
    /// The members in the previous configuration; nil if they are not known.
    private(set) var members: MemberList?
    private(set) var incarnations = Incarnations()
    private(set) var peerDisks = PeerMemories()
    private(set) var rulesHistory = RulesHistory()
    /// This node's last vote for a coordinator.
    private(set) var vote: Lease?

    init(_ properties: [Property]) {
        diskLoss = properties.isEmpty ? .everything : []
        for property in properties {
            property.bytes.withUnsafeBytes { bytes in
                var reader = MessagePackReader(bytes)
                switch property.name {
                case .clockBound: clockBound = property.number ?? 0
                case .closedBound: closedBound = property.number
                case .diskLoss:
                    diskLoss = property.number.map { DiskLoss(rawValue: $0) } ?? .everything
                case .evictions: evictions = (try? reader.evictions()) ?? []
                case .members: members = MemberList(property.bytes)
                case .incarnations: incarnations = Incarnations(property.bytes)
                case .peerDisks: peerDisks = PeerMemories(property.bytes)
                case .rulesHistory:
                    rulesHistory = (try? RulesHistory(from: &reader)) ?? RulesHistory()
                case .vote: vote = try? reader.lease()
                }
            }
        }
    }
}
