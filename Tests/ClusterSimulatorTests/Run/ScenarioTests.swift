import ClusterSimulator
import Testing

/// The scenarios of the package, and what every run of one has to be.
@Suite struct ScenarioTests {
    @Test(arguments: ScenarioFiles.names)
    func `a scenario holds with its first seeds`(name: String) throws {
        let scenario = try ScenarioFiles.scenario(name)
        #expect(!scenario.claim.isEmpty)
        for seed in scenario.seeds.prefix(3) {
            let report = Simulation.run(scenario, seed: seed)
            for check in report.checks {
                #expect(
                    check.verdict == .valid, "\(name) seed \(seed) \(check.check): \(check.details)"
                )
            }
        }
    }

    @Test(arguments: ["three-nodes-converge", "moving-clients", "lost-life-is-heard-late"])
    func `the same seed gives the same run, and another seed another one`(name: String) throws {
        let scenario = try ScenarioFiles.scenario(name)
        let first = Simulation.run(scenario, seed: 5)
        let second = Simulation.run(scenario, seed: 5)
        #expect(first.traceHash == second.traceHash)
        #expect(first.checks == second.checks && first.statistics == second.statistics)
        #expect(Simulation.run(scenario, seed: 6).traceHash != first.traceHash)
    }

    @Test func `a check that finds nothing to check is no success`() throws {
        let scenario = try Scenario(
            parsing: "until 1s\ncheck push-keys, stays-live, replicas-equal", name: "nothing")
        let report = Simulation.run(scenario, seed: 1)
        #expect(report.verdict == .unknown)
        #expect(report.checks.allSatisfy { $0.verdict == .unknown })
    }

    @Test func `the named requests are done, each with its effect`() throws {
        let scenario = try Scenario(
            parsing: """
                cluster replicas=2 clients=2
                at 1s c1 push /list "a"
                at 1s c2 increment /n 5
                at 2s c1 increment /n -2
                until 4s
                check acknowledged-pushes, increments-add-up, replicas-equal
                """, name: "named")
        let report = Simulation.run(scenario, seed: 1)
        #expect(report.verdict == .valid)
        #expect(report.statistics.acknowledged == 3)
        #expect(report.checks[1].details == "3 in 1 counters, 0 increments unknown")
    }

    @Test func `faults happen as the scenario says`() throws {
        let scenario = try Scenario(
            parsing: """
                workload operations=50 push=1
                at 1s crash n1
                at 1s pause n2
                at 2s resume n2
                at 2s restart n1
                at 3s stop n3
                at 4s restart n3
                at 4s partition n1 -> n2
                at 5s clock n1 -3s
                until 6s
                check replicas-equal
                """, name: "faults")
        let statistics = Simulation.run(scenario, seed: 1).statistics
        #expect(statistics.crashes == 1 && statistics.stops == 1 && statistics.pauses == 1)
        #expect(statistics.partitions == 1 && statistics.clockSteps == 1)
        #expect(statistics.framesDropped > 0)
    }
}
