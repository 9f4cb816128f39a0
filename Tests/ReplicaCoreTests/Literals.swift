import DataTree
import SyncProtocol

@testable import ReplicaCore

extension Path: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self = Universe.path(text) }
}

extension Value: ExpressibleByBooleanLiteral {
    init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}

extension WriterID: ExpressibleByIntegerLiteral {
    init(integerLiteral bits: UInt64) { self.init(bits: bits) }
}

/// Milliseconds.
extension HybridTime: ExpressibleByIntegerLiteral {
    init(integerLiteral milliseconds: UInt64) { self.init(milliseconds: milliseconds) }
}

extension SessionID: ExpressibleByIntegerLiteral {
    init(integerLiteral number: UInt64) { self.init(number: number) }
}

extension VersionVector: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral entries: (WriterID, UInt64)...) {
        self.init()
        for (origin, sequence) in entries { self[origin] = sequence }
    }
}

extension Heartbeat {
    /// A heartbeat of a member with the writers that it takes for current.
    static func of(
        _ member: String, _ writer: WriterID, at time: HybridTime = 1_000,
        holding vector: VersionVector = [:], closed: HybridTime = .zero,
        writers: [WriterID] = [], evictions: [Eviction] = []
    ) -> Heartbeat {
        Heartbeat(
            cluster: "test", member: member, writer: writer, vector: vector, time: time,
            closedTimestamp: closed, writers: writers, evictions: evictions,
            wallMilliseconds: time.milliseconds)
    }
}

extension Batch {
    /// A batch of operations that write numbers at `/PATH`.
    static func of(
        _ origin: WriterID, first: UInt64 = 1, count: UInt64 = 1, at time: UInt64 = 1_000,
        after dependencies: VersionVector = [:], path: Path = "a"
    ) -> Batch {
        let operations = (0..<count).map { number in
            Operation(
                stamp: Stamp(time: HybridTime(milliseconds: time + number), writer: origin),
                writes: [Write(path: path, value: .integer(Int64(first + number)))])
        }
        return Batch(
            origin: origin, first: first, wallMilliseconds: time, dependencies: dependencies,
            operations: operations)
    }
}

extension Replication {
    /// The machine of n1 in a cluster of three, as a turn begins.
    static func ofThree(
        clockBound: UInt64 = 0, closedBound: UInt64 = 0, evictions: [Eviction] = [],
        members: MemberList? = nil, within limits: ReplicaLimits = ReplicaLimits(),
        at milliseconds: UInt64 = 1_000
    ) -> Replication {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1", "n2", "n3"], durability: .commit, seed: 1)
        configuration.limits = limits
        var replication = Replication(
            configuration, clockBound: clockBound, closedBound: closedBound, evictions: evictions,
            members: members, remembering: PeerMemories(), after: Incarnations(), orphans: [])
        replication.beginTurn(at: .init(at: milliseconds))
        return replication
    }
}

extension Moment {
    /// Both clocks show the same.
    init(at milliseconds: UInt64) {
        self.init(wallMilliseconds: milliseconds, elapsedMilliseconds: milliseconds)
    }
}
