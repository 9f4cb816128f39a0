import ClusterSimulator
import ReplicaCore
import Testing

/// Each check finds a mistake that was planted for it.
@Suite struct PlantedDefectTests {
    /// The checks that find the defect, over the first seeds of a scenario.
    private func findings(
        of defect: PlantedDefect, in name: String, seeds: ClosedRange<UInt64>
    ) throws -> [Check] {
        let scenario = try ScenarioFiles.scenario(name)
        var found: [Check] = []
        for seed in seeds {
            let report = Simulation.run(scenario, seed: seed, defect: defect)
            found += report.checks.filter { $0.verdict == .invalid }.map(\.check)
        }
        return found
    }

    @Test func `an acknowledgement before the commit is found`() throws {
        let found = try findings(
            of: .acknowledgesBeforeCommit, in: "crash-and-restart", seeds: 1...20)
        #expect(found.contains(.acknowledgedWritesSurvive))
        #expect(found.contains(.acknowledgedPushes))
    }

    @Test func `a node that ignores gaps is found, and named with what it waits for`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        let report = Simulation.run(scenario, seed: 1, defect: .ignoresGaps)
        let liveness = report.checks.first { $0.check == .staysLive }
        #expect(liveness?.verdict == .invalid)
        #expect(liveness?.details.contains("waits for the operations") == true)
        #expect(report.checks.contains { $0.check == .replicasEqual && $0.verdict == .invalid })
    }

    @Test func `an increment that is asked for again is found`() throws {
        let found = try findings(of: .resendsIncrements, in: "increments-add-up", seeds: 1...3)
        #expect(found.contains(.incrementsAddUp))
    }

    @Test func `push IDs that forget the one before are found`() throws {
        let found = try findings(of: .forgetsLastPushID, in: "moving-clients", seeds: 1...2)
        #expect(found.contains(.pushKeys))
    }

    @Test func `a lost change is found`() throws {
        let found = try findings(of: .losesChanges, in: "moving-clients", seeds: 1...2)
        #expect(found.contains(.listenersConverge))
    }

    // `sum-in-arrival-order` needs sums of which no simulated run has enough; the tests of the tree
    // find it.
    @Test(arguments: Defect.ofTree.filter { $0 != .sumInArrivalOrder })
    func `a mistake in the replica is found by the oracle`(defect: Defect) throws {
        let scenario = try ScenarioFiles.scenario("crowded-tree")
        let isFound = (UInt64(1)...100).contains { seed in
            let report = Simulation.run(scenario, seed: seed, defect: .replica(defect))
            return report.checks.contains {
                $0.check == .everyTurnEqualsOracle && $0.verdict == .invalid
            }
        }
        #expect(isFound)
    }

    @Test func `a checkpoint that forgets what late operations need is found`() throws {
        let found = try findings(
            of: .replica(.checkpointWithoutRegisters), in: "checkpoint-and-tail", seeds: 1...20)
        #expect(found.contains(.everyTurnEqualsOracle))
    }

    @Test(arguments: [Defect.takesFromClosedWriters, .compactsWithoutAgreement])
    func `a careless end of a writer's life is found`(defect: Defect) throws {
        let found = try findings(
            of: .replica(defect), in: "lost-life-is-heard-late", seeds: 1...60)
        #expect(found.contains(.everyTurnEqualsOracle))
    }

    @Test func `every defect has a name that leads to it`() {
        #expect(PlantedDefect.names.allSatisfy { PlantedDefect(name: $0) != nil })
        #expect(PlantedDefect(name: "nothing") == nil)
    }
}
