import Testing

@testable import ClusterSimulator

/// The observers of a run.
@Suite struct WatchTests {
    @Test(arguments: [("swarm", 7), ("partition-heals", 7), ("accounts-keep-their-sum", 2)])
    func `a run has the same events with and without watches`(
        name: String, seed: UInt64
    ) throws {
        let scenario = try ScenarioFiles.scenario(name).drawn(seed: seed)
        var watched = SimulatedRun(scenario, seed: seed)
        var alone = SimulatedRun(scenario, seed: seed, isWatched: false)
        watched.run()
        alone.run()
        #expect(!watched.watches.isEmpty && alone.watches.isEmpty)
        #expect(watched.trace.bits == alone.trace.bits)
        #expect(watched.record.statistics.events == alone.record.statistics.events)
    }

    @Test func `checks that name one type share its watch`() {
        var scenario = Scenario(name: "watched")
        scenario.checks = [.everyTurnEqualsOracle, .replicasEqual, .lateWritesLand]
        let watches = scenario.watches(seed: 1)
        #expect(watches.count == 1 && watches.first(of: ExecutionWatch.self) != nil)
        #expect(watches.first(of: InvariantWatch.self) == nil)
    }
}
