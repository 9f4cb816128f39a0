import SyncProtocol
import Testing

@testable import ReplicaCore

/// Which versions of the protocol may be in one cluster.
@Suite struct GreetingTests {
    /// The answer of n1 to a hello of n2.
    private func answer(
        of own: ClosedRange<UInt64>, to other: ClosedRange<UInt64>
    ) throws -> PeerMessage {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n1", "n2"], durability: .commit, seed: 1)
        configuration.versions = own
        var replication = Replication(
            configuration, clockBound: 0, closedBound: 0, evictions: [], members: nil,
            remembering: PeerMemories(), after: Incarnations(), orphans: [])
        replication.beginTurn(at: .init(at: 1_000))
        let hello = Hello(
            cluster: "test", member: "n2", writer: 2,
            endpoint: configuration.endpoint(of: "n2"), members: configuration.members,
            oldestVersion: other.lowerBound, newestVersion: other.upperBound)
        replication.answer(hello, to: "n2")
        guard case .answer("n2", let frame)? = replication.turn.immediate.last,
            case .message(let message)? = try FrameReader<PeerMessage>.messages(in: frame).first
        else { throw NoAnswer() }
        return message
    }

    private struct NoAnswer: Error {}

    @Test func `a node welcomes a node with a common version, and names the newest one`() throws {
        for (own, other, common) in [
            (1...1, 1...1, 1), (1...2, 2...3, 2), (2...3, 1...2, 2), (1...4, 2...3, 3),
        ] as [(ClosedRange<UInt64>, ClosedRange<UInt64>, UInt64)] {
            guard case .welcome("n1", 2, let version) = try answer(of: own, to: other) else {
                Issue.record("\(own) refuses \(other)")
                continue
            }
            #expect(version == common)
        }
    }

    @Test func `a node refuses a node without a common version, and names both`() throws {
        for (own, other) in [(1...1, 2...2), (2...2, 1...1), (3...4, 1...2)]
            as [(ClosedRange<UInt64>, ClosedRange<UInt64>)]
        {
            guard
                case .refuse("n1", 2, let problem, let fix) = try answer(of: own, to: other)
            else {
                Issue.record("\(own) welcomes \(other)")
                continue
            }
            #expect(problem.contains("\(own.lowerBound) to \(own.upperBound)"))
            #expect(problem.contains("\(other.lowerBound) to \(other.upperBound)"))
            #expect(fix.contains("the same version of Hearth"))
        }
    }
}
