import SyncProtocol
import Testing

@testable import ReplicaCore

/// When checkpoints are due.
@Suite struct CheckpointScheduleTests {
    private func checkpoints(holding vector: VersionVector = [:]) -> Checkpoints {
        var checkpoints = Checkpoints.everyThousandBytes()
        checkpoints.begin(with: vector, remembering: 10)
        return checkpoints
    }

    private func isDue(_ checkpoints: inout Checkpoints, at milliseconds: UInt64) -> Bool {
        checkpoints.begin(holding: [1: 1], remembering: 10, at: milliseconds)
    }

    @Test(
        arguments: [
            // Bytes logged at 0, when it is asked; whether a checkpoint is due.
            (999, 100, false), (1_000, 100, true), (249, 5_000, false), (250, 1_999, false),
            (250, 2_000, true), (0, 5_000, false),
        ] as [(Int, UInt64, Bool)])
    func `one is due after so many bytes, and at a quiet node after a quarter`(
        bytes: Int, milliseconds: UInt64, expected: Bool
    ) {
        var checkpoints = checkpoints()
        checkpoints.record(bytes: bytes, at: 0)
        #expect(isDue(&checkpoints, at: milliseconds) == expected)
    }

    @Test func `there is one at a time, and none while a peer reads the last one`() {
        var checkpoints = checkpoints()
        checkpoints.record(bytes: 1_000, at: 0)
        #expect(isDue(&checkpoints, at: 0) == true)
        checkpoints.record(bytes: 1_000, at: 0)
        #expect(isDue(&checkpoints, at: 10) == false)
        #expect(checkpoints.isWriting)
        checkpoints.finish(at: 20)
        #expect(checkpoints.vector == [1: 1])
        checkpoints.noteRead(at: 100)
        #expect(isDue(&checkpoints, at: 5_099) == false)
        #expect(isDue(&checkpoints, at: 5_100) == true)
    }

    @Test func `forgotten registers count, as many as the last checkpoint has`() {
        var checkpoints = checkpoints()
        checkpoints.record(forgotten: 7)
        #expect(checkpoints.changedBytes == 7 * Checkpoints.registerBytes)
        checkpoints.record(forgotten: 7)
        #expect(checkpoints.changedBytes == 10 * Checkpoints.registerBytes)
    }

    @Test func `a peer gets a fresh one, or asks again`() {
        var checkpoints = checkpoints(holding: [1: 1])
        #expect(checkpoints.refresh(to: [1: 1], at: 0) == true, "it holds all")
        #expect(checkpoints.refresh(to: [1: 2], at: 0) == false)
        #expect(checkpoints.refresh(to: [1: 2], at: 0) == false, "it is on its way")
        #expect(checkpoints.begin(holding: [1: 2], remembering: 0, at: 0) == true)
        checkpoints.finish(at: 10)
        #expect(checkpoints.refresh(to: [1: 9], at: 10_009) == true, "it is fresh")
        #expect(checkpoints.refresh(to: [1: 9], at: 10_010) == false)
    }

    @Test func `one that is damaged is replaced at once, as a whole`() {
        var checkpoints = checkpoints(holding: [1: 1])
        checkpoints.noteRead(at: 0)
        checkpoints.replace()
        #expect(isDue(&checkpoints, at: 1) == true)
        #expect(checkpoints.takeDamage() == true)
        #expect(checkpoints.takeDamage() == false)
    }
}

extension Checkpoints {
    fileprivate static func everyThousandBytes() -> Checkpoints {
        var configuration = ReplicaConfiguration(
            cluster: "test", member: "n1", peers: ["n2", "n3"], durability: .commit, seed: 1)
        configuration.checkpointBytes = 1_000
        return Checkpoints(configuration)
    }
}
