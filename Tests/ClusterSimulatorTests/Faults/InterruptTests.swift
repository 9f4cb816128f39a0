import Store
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// An interruption ends a process at a chosen step.
@Suite struct InterruptTests {
    @Test func `a process ends at the step named, after those that it may go past`() {
        var interruption = Interruption(step: .slice, skipped: 2)
        let steps: [DiskStep?] = [.slice, .stored, nil, .slice, .checkpointed, .slice]
        #expect(
            steps.map { interruption.ends(at: $0) } == [false, false, false, false, false, true])
    }

    @Test func `the parts of a request are steps of their own`() {
        let read = RowRead(member: "n2", checkpoint: 0, after: 0, byteLimit: 1)
        let chunk = CheckpointChunk(head: [], after: 0, rows: [], isLast: true)
        let cases: [(StoreRequest, StoreProgress, DiskStep?)] = [
            (.continueCheckpoint, .unfinished(.continueCheckpoint), .slice),
            (.continueCheckpoint, .replied(.checkpointed), .checkpointed),
            (.truncate(VersionVector()), .done, .truncated),
            (.readRows(read), .replied(.rows(chunk, for: read)), .given),
            (.receive([], areFirst: true), .replied(.received), .received),
            (.keepOrphans(WriterID(bits: 1), after: 0, through: 0), .replied(.orphans([])), .kept),
            (.install(head: [], keepsLog: true, holding: VersionVector()), .done, .installed),
        ]
        for (request, progress, step) in cases {
            #expect(DiskStep(request, progress) == step, "\(request)")
        }
    }

    @Test func `turns with a vote or the loss of a disk are steps of their own`() {
        func step(_ names: [Property.Name]...) -> DiskStep {
            DiskStep(
                names.map { names in
                    Turn(number: 1, batches: [], properties: names.map { Property($0, 1) })
                })
        }
        #expect(step([], [.clockBound]) == .stored)
        #expect(step([.clockBound, .vote], []) == .voted)
        #expect(step([.vote], [.diskLoss]) == .loss)
    }

    @Test func `a scenario names the step`() throws {
        let text = "until 5s\ncheck stays-live\nat 1s interrupt n2 kept\n"
        let scenario = try Scenario(parsing: text, name: "interrupt")
        #expect(scenario.text.contains("at 1s interrupt n2 kept"))
        #expect(throws: ScenarioError.self) {
            try Scenario(
                parsing: "at 1s interrupt n2 nowhere\nuntil 5s\ncheck stays-live", name: "")
        }
    }
}
