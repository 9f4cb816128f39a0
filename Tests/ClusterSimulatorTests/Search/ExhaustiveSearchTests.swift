import Testing

@testable import ClusterSimulator

/// Every schedule of a tiny cluster is tried, and each state once.
@Suite struct ExhaustiveSearchTests {
    private func scenario(_ lines: String...) throws -> Scenario {
        try Scenario(
            parsing: (["cluster replicas=2", "clients count=2"] + lines + [
                "until 2s",
                "check replicas-equal, acknowledged-writes-survive, restart-identity, stays-live",
            ]).joined(separator: "\n"), name: "tiny")
    }

    private func searched(_ lines: String...) throws -> ExhaustiveSearch {
        let text = lines.joined(separator: "\n")
        var search = try ExhaustiveSearch(try scenario(text))
        search.run()
        return search
    }

    /// A universe of two writes after these steps.
    private func universe(after steps: UniverseStep...) throws -> Universe {
        var universe = Universe(
            try UniversePlan(
                try scenario("at 1s c1 set /a 1", "at 1s c2 set /a 2", "at 1s crash n1")))
        for step in steps {
            try #require(universe.steps.contains(step))
            universe.execute(step)
        }
        return universe
    }

    @Test func `two writes at two nodes hold in every order`() throws {
        let search = try searched("at 1s c1 set /a 1", "at 1s c2 set /a 2")
        #expect(search.isComplete && search.failure == nil)
        #expect(search.ends > 1 && search.states > search.ends)
        #expect(search.schedules > Double(search.states))
        let again = try searched("at 1s c1 set /a 1", "at 1s c2 set /a 2")
        #expect(again.states == search.states && again.schedules == search.schedules)
    }

    /// A frame can be lost at one moment only: one state more, and no way on from it without heartbeats.
    @Test(arguments: [
        (["at 1s c1 set /a 1", "at 1s crash n1"], 2.0),
        (["search losses=1", "at 1s c1 increment /a 1"], 1.0),
        (["search ticks=1", "at 1s c1 push /a 1"], 2.0),
    ])
    func `a crash, a lost frame and a heartbeat come at every moment`(
        lines: [String], factor: Double
    ) throws {
        let plain = try searched("at 1s c1 set /a 1")
        let search = try searched(lines.joined(separator: "\n"))
        #expect(search.isComplete && search.failure == nil)
        #expect(Double(search.states) > factor * Double(plain.states))
    }

    @Test func `steps of two nodes lead to one state in either order, those of one node do not`()
        throws
    {
        let (first, second) = (
            UniverseStep.requested(client: 0), UniverseStep.requested(client: 1)
        )
        #expect(
            try universe(after: first, second).fingerprint
                == universe(after: second, first).fingerprint)
        let turn = UniverseStep.turned(node: 0)
        #expect(
            try universe(after: first, second, turn).fingerprint
                == universe(after: first, turn, second).fingerprint)
        #expect(
            try universe(after: first).fingerprint != universe(after: first, turn).fingerprint)
        #expect(try universe(after: first).fingerprint != universe(after: second).fingerprint)
    }

    @Test func `a crash comes after each beginning of what the disk has to do`() throws {
        let before = try universe(after: .requested(client: 0), .turned(node: 0))
        #expect(before.nodes[0].jobs.count == 1)
        #expect(
            before.steps.filter { if case .crashed = $0 { true } else { false } }
                == [.crashed(node: 0, after: 0), .crashed(node: 0, after: 1)])
        for (count, held) in [(0, false), (1, true)] {
            var crashed = before
            crashed.execute(.crashed(node: 0, after: count))
            #expect(crashed.operations.map(\.outcome) == [.unknown])
            crashed.execute(.started(node: 0))
            #expect((crashed.nodes[0].replica?.value.isNull == false) == held)
            #expect(!crashed.steps.contains { if case .crashed = $0 { true } else { false } })
        }
    }

    @Test func `what was announced and is lost differs from what never was announced`() throws {
        let steps: [UniverseStep] = [.requested(client: 0), .turned(node: 0)]
        var lost = try universe(after: steps[0], steps[1])
        lost.execute(.crashed(node: 0, after: 1))
        var told = try universe(after: steps[0], steps[1], .worked(node: 0))
        told.execute(.crashed(node: 0, after: 0))
        // Both disks hold the write; one client knows it.
        #expect(lost.nodes[0].store.vector == told.nodes[0].store.vector)
        #expect(told.operations.map(\.outcome) == [.acknowledged])
        #expect(lost.fingerprint != told.fingerprint)
    }

    @Test func `a schedule that fails can be followed step by step, and fails again`() throws {
        var search = try ExhaustiveSearch(
            try scenario("at 1s c1 set /a 1", "at 1s c2 set /a 2"))
        search.judge = { universe in
            let isBad = universe.operations.first?.client == 1
            return [
                CheckResult(
                    check: .acknowledgedWritesSurvive, verdict: isBad ? .invalid : .valid,
                    details: "c2 was first")
            ]
        }
        search.run()
        let failure = try #require(search.failure)
        #expect(!search.isComplete && failure.kind == .durability && failure.problem == nil)
        let course = try search.course(of: failure.schedule)
        #expect(course.steps.count == failure.schedule.count)
        #expect(course.steps.contains { $0.hasPrefix("c2 asks n2: ") })
        #expect(course.steps.contains { $0.hasPrefix("n2 -> n1  published  batch n2#1: /a 2") })
        #expect(course.failure?.checks.map(\.details) == ["c2 was first"])
        #expect(throws: SearchError.self) { try search.course(of: [99]) }
    }

    @Test func `a search that meets too many states proves nothing`() throws {
        let search = try searched("search states=10", "at 1s c1 set /a 1", "at 1s c2 set /a 2")
        #expect(search.states == 10 && !search.isComplete && search.failure == nil)
        var stopped = try ExhaustiveSearch(try scenario("at 1s c1 set /a 1"))
        stopped.run { true }
        #expect(!stopped.isComplete && stopped.states == 1)
    }

    @Test(arguments: [
        ("at 1s pause n1\nat 1s c1 set /a 1", "pause n1"),
        ("workload operations=5 set=1", "script"),
        ("swarm", "script"), ("cluster replicas=5\nat 1s c1 set /a 1", "up to 4 nodes"),
        ("cluster durability=interval\nat 1s c1 set /a 1", "durability=commit"),
        ("", "1 to 6 requests"),
    ])
    func `a scenario that is not tiny is refused, and the error says why`(
        lines: String, words: String
    ) throws {
        let scenario = try scenario(lines)
        let error = #expect(throws: SearchError.self) { _ = try ExhaustiveSearch(scenario) }
        #expect(error?.problem.contains(words) == true)
    }

    @Test func `the scenario of the package is tiny`() throws {
        let scenario = try ScenarioFiles.scenario("every-order-of-two-nodes")
        #expect(scenario.searchWay == .exhaustive)
        #expect(try ExhaustiveSearch(scenario).omittedChecks == [])
        #expect(try Scenario(parsing: scenario.text, name: scenario.name).text == scenario.text)
    }
}
