import Testing

@testable import ClusterSimulator

/// A run is compared with another one, event by event.
@Suite struct ReplayTests {
    private func scenario(_ extra: String = "") throws -> Scenario {
        try Scenario(
            parsing: "workload operations=20 push=1\n\(extra)\nuntil 2s\ncheck replicas-equal",
            name: "short")
    }

    private func trace(_ scenario: Scenario, seed: UInt64) -> [String] {
        var lines: [String] = []
        _ = Simulation.run(scenario, seed: seed) { lines.append($0.json) }
        return lines
    }

    @Test(arguments: ["three-nodes-converge", "swarm", "evicted-node-returns"])
    func `two runs of one seed are equal`(name: String) throws {
        let scenario = try ScenarioFiles.scenario(name)
        let report = Simulation.run(scenario, seed: 3)
        #expect(
            Replay.twice(scenario, seed: 3)
                == .equal(events: Int(report.events), hash: report.traceHash))
    }

    @Test func `the first event that differs is named, as both runs have it`() throws {
        let (plain, faulty) = (try scenario(), try scenario("at 1s pause n2"))
        guard
            case .differs(let event, let first?, let second?) = Replay.compare(
                (plain, 5), (faulty, 5))
        else {
            Issue.record("the runs are equal")
            return
        }
        let (lines, others) = (trace(plain, seed: 5), trace(faulty, seed: 5))
        #expect(Array(lines[..<(event - 1)]) == Array(others[..<(event - 1)]))
        #expect(first == lines[event - 1] && second == others[event - 1])
        #expect(second.contains("pause n2") && !first.contains("pause n2"))
    }

    @Test func `a repetition is compared with the run that it repeats`() throws {
        let report = Simulation.run(try scenario(), seed: 5)
        #expect(Replay.repeats(report, try scenario()))
        #expect(!Replay.repeats(report, try scenario("at 1s pause n2")))
    }

    @Test func `a trace is that of the same seed`() throws {
        let scenario = try scenario()
        let lines = trace(scenario, seed: 5)
        let report = Simulation.run(scenario, seed: 5)
        #expect(lines.count == Int(report.events))
        #expect(
            Replay.against(lines, scenario, seed: 5)
                == .equal(events: lines.count, hash: report.traceHash))
    }

    @Test func `a trace of another run differs from one event on, or ends before it`() throws {
        let scenario = try scenario()
        var lines = trace(scenario, seed: 5)
        let ended = Replay.against(Array(lines.dropLast(2)), scenario, seed: 5)
        #expect(
            ended
                == .differs(event: lines.count - 1, first: lines[lines.count - 2], second: nil))
        let right = lines[99]
        for index in 99..<lines.count {
            lines[index] = lines[index].replacing(/"hash":"./, with: "\"hash\":\"x")
        }
        #expect(
            Replay.against(lines, scenario, seed: 5)
                == .differs(event: 100, first: right, second: lines[99]))
    }

    @Test(
        arguments: [
            ([], [], nil), ([1], [1], nil), ([1, 2], [1, 3], 1), ([4, 2], [1, 3], 0),
            ([1], [1, 2], 1),
            ([1, 2, 3, 4, 5], [1, 2, 3, 6, 7], 3),
        ] as [([UInt64], [UInt64], Int?)])
    func `rolling hashes differ from the first difference on`(
        first: [UInt64], second: [UInt64], expected: Int?
    ) {
        #expect(Replay.firstDifference(first, second) == expected)
        #expect(Replay.firstDifference(second, first) == expected)
    }
}
