import ClusterSimulator
import Testing

/// The scenarios of the package, and what every run of one has to be.
@Suite struct ScenarioTests {
    @Test func `the name of a scenario is in one folder only`() {
        #expect(Set(ScenarioFiles.names).count == ScenarioFiles.names.count)
        #expect(ScenarioFiles.names.count > 50)
    }

    @Test(arguments: ScenarioFiles.names)
    func `a scenario holds with its first seeds`(name: String) throws {
        let scenario = try ScenarioFiles.scenario(name)
        #expect(!scenario.claim.isEmpty)
        var valid: Set<Check> = []
        for seed in scenario.seeds.prefix(scenario.isSwarm ? 100 : 3) {
            let report = Simulation.run(scenario, seed: seed)
            for check in report.checks {
                let isRight = check.verdict == .valid
                if isRight { valid.insert(check.check) }
                // A seed of a swarm may leave out what a check is about; not all seeds may.
                #expect(
                    isRight || scenario.isSwarm && check.verdict == .unknown,
                    "\(name) seed \(seed) \(check.check): \(check.details)")
            }
        }
        #expect(valid == Set(scenario.checks))
    }

    @Test(arguments: ["three-nodes-converge", "moving-clients", "swarm"])
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
                at 2500ms disk n2 fails
                at 3s stop n3
                at 4s restart n3
                at 4s kill n3
                at 4s partition n1 -> n2
                at 4s degrade n1 -> n3 corrupt=100% replay=100%
                at 4s clog n2 -> n1
                at 4s flap n3 -> n2
                at 4s disconnect n1 n2
                at 4s unclog n2 -> n1
                at 4s half-open n1 -> n3
                at 4s lose n2 -> n3 heartbeats
                at 4s cpu n3 slow 20ms
                at 4500ms cpu n3 runs
                at 4s handles n1 none
                at 4s sleep n1
                at 4500ms wake n1
                at 4900ms restart n2
                at 5s heal
                at 5s clock n1 -3s
                at 5s clock n1 freezes
                at 5s disk n1 slow 300ms
                at 5s disk n2 full
                at 5s rot n2
                at 5500ms..5800ms duplicate-node n1
                until 6s
                check replicas-equal
                """, name: "faults")
        let report = Simulation.run(scenario, seed: 1)
        let statistics = report.statistics
        #expect(report.verdict == .valid)
        #expect(statistics.crashes == 4 && statistics.stops == 1 && statistics.pauses == 2)
        #expect(statistics.partitions == 1 && statistics.clockSteps == 2)
        #expect(
            statistics.badLinks == 6 && statistics.shortages == 2 && statistics.diskTroubles == 4)
        #expect(statistics.failedSyncs == 1 && statistics.damagedDisks == 1)
        #expect(statistics.duplicateNodes == 1)
        #expect(statistics.framesDropped > 0 && statistics.framesDamaged > 0)
    }

    @Test func `what a seed makes of a swarm is a scenario that gives the same run`() throws {
        let swarm = try ScenarioFiles.scenario("swarm")
        for seed in UInt64(1)...20 {
            let drawn = swarm.drawn(seed: seed)
            let read = try ScenarioFiles.parse(Array(drawn.text.utf8), as: "swarm")
            #expect(read.text == drawn.text)
            #expect(
                Simulation.run(read, seed: seed).traceHash
                    == Simulation.run(swarm, seed: seed).traceHash)
        }
    }

    @Test func `a swarm draws every fault, and leaves each out at times`() throws {
        let swarm = try ScenarioFiles.scenario("swarm")
        let texts = (UInt64(1)...100).map { swarm.drawn(seed: $0).text }
        let words = [
            " crash n", " kill n", " wipe n", " stop n", " pause n", " partition ", " -> ",
            " ring\n",
            " clog ", " flap ", " disconnect ", " degrade ", " slow ", " unreadable", " +",
            " clock n",
            "1h", " strobes ", " freezes", "corrupt=", "replay=", "tail=", "queue=", "skew=",
            " full\n", " fails\n", " lies\n", " rot n", " rots\n", " duplicate-node n", "concern=",
            "durability=interval", "durability=memory", "replicas=2", "replicas=5",
        ]
        for word in words {
            let count = texts.count { $0.contains(word) }
            #expect((1..<100) ~= count, "\(word) in \(count) of 100")
        }
    }

    @Test func `what a swarm names is not drawn`() throws {
        let swarm = try Scenario(
            parsing: "swarm\ncluster replicas=4\nnetwork loss=0.5%\ncheck stays-live",
            name: "named")
        for seed in UInt64(1)...10 {
            let text = swarm.drawn(seed: seed).text
            #expect(text.contains("replicas=4") && text.contains(" loss=0.5%"))
        }
    }
}
