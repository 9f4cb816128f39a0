import ClusterSimulator
import Testing

/// Scenarios that fail are made shorter.
@Suite struct ShrinkingTests {
    @Test func `a scenario with a mistake becomes shorter, and still shows it`() throws {
        let scenario = try ScenarioFiles.scenario("swarm")
        let defect = PlantedDefect.ignoresGaps
        let seed = try #require(
            (1...100).first { seed in
                Simulation.run(scenario, seed: seed, defect: defect).verdict == .invalid
            })
        var shrinking = try #require(
            Shrinking(scenario, seed: seed, defect: defect, limit: 200))
        let before = shrinking.size
        while shrinking.step() {}
        #expect(shrinking.size < before)
        #expect(shrinking.runs <= 203)

        let text = shrinking.scenario.text
        let read = try Scenario(parsing: text, name: "short")
        #expect(read.checks == [try #require(shrinking.check)])
        #expect(read.seeds == shrinking.seed...shrinking.seed)
        let report = Simulation.run(read, seed: shrinking.seed, defect: defect)
        #expect(report.checks.map(\.verdict) == [.invalid])
        #expect(Simulation.run(read, seed: shrinking.seed).verdict != .invalid)
    }

    @Test func `a scenario that holds is not made shorter`() throws {
        let scenario = try ScenarioFiles.scenario("three-nodes-converge")
        #expect(Shrinking(scenario, seed: 1, defect: nil, limit: 100) == nil)
    }
}
