import Marks
import Testing

@testable import ClusterSimulator

/// Seeds of a guided search, and the marks that choose them.
@Suite struct SeedGuideTests {
    private func marks(_ reached: Mark...) -> MarkCounts {
        var marks = MarkCounts()
        for mark in reached { marks[mark] = 1 }
        return marks
    }

    @Test
    func `the first generation is new, the next has children of seeds that reached what is rare`() {
        var guide = SeedGuide(first: 7)
        let first = guide.nextGeneration()
        #expect(first == Array(7..<7 + UInt64(SeedGuide.generation)))
        for seed in first { guide.learn(seed, reached: marks(.batchWaits, .batchArrivesAgain)) }
        guide.learn(50, reached: marks(.windowRunsDry))
        let second = guide.nextGeneration()
        let children = second.filter { $0 >> 32 != 0 }
        #expect(children.count == SeedGuide.generation / 2)
        #expect(Set(children.map { $0 >> 32 }) == [50])
        #expect(second.map { $0 & 0xFFFF_FFFF } == Array(71..<71 + UInt64(SeedGuide.generation)))
    }

    @Test func `a child passes its parent on, and equal lessons give equal seeds`() {
        var (guide, other) = (SeedGuide(first: 1), SeedGuide(first: 1))
        for _ in 0..<2 {
            guide.learn(9 << 32 | 4, reached: marks(.termIsLost))
            other.learn(9 << 32 | 4, reached: marks(.termIsLost))
        }
        let seeds = guide.nextGeneration()
        #expect(seeds.filter { $0 >> 32 != 0 }.allSatisfy { $0 >> 32 == 9 })
        #expect(other.nextGeneration() == seeds)
    }

    @Test func `a child has most settings of its parent`() throws {
        let swarm = try ScenarioFiles.scenario("swarm")
        func settings(_ seed: UInt64) -> [String] {
            // Faults are drawn again and are not settings now.
            let drawn = swarm.drawn(seed: seed)
            return ScenarioSection.allCases.filter { $0 != .faults }.flatMap(\.settings)
                .map { "\($0.name)=\($0.write(drawn))" }
        }
        func distance(_ first: [String], _ second: [String]) -> Int {
            zip(first, second).count { $0 != $1 }
        }
        var (near, far) = (0, 0)
        for own in UInt64(1)...20 {
            let child = settings(100 << 32 | own)
            near += distance(child, settings(100))
            far += distance(settings(own), settings(100))
            #expect(child == settings(100 << 32 | own))
        }
        #expect(near > 0 && near * 2 < far)
    }

    @Test func `marks have names that a scenario can name`() throws {
        #expect(Set(Mark.allCases.map(\.name)).count == Mark.allCases.count)
        #expect(Mark.batchWaits.name == "batch-waits" && Mark(named: "batch-waits") == .batchWaits)
        let scenario = try Scenario(
            parsing: "reach batch-waits, term-is-lost\ncheck replicas-equal", name: "marked")
        #expect(scenario.marks == [.batchWaits, .termIsLost])
        #expect(scenario.text.contains("reach batch-waits, term-is-lost\n"))
        #expect(throws: ScenarioError.self) {
            try Scenario(parsing: "reach batch-wait\ncheck replicas-equal", name: "wrong")
        }
    }

    @Test(.enabled(if: MarkCounts.isOn, "this build counts no marks: HEARTH_MARKS=1"))
    func `a run counts the marks that it reaches, and no others`() throws {
        let scenario = try ScenarioFiles.scenario("partition-heals")
        let report = Simulation.run(scenario, seed: 1)
        #expect(report.marks.reached.contains(.batchWaits))
        #expect(report.marks[.batchWaits] > 0)
        // Within another count, the inner one counts alone.
        let (inner, outer) = MarkCounts.counting {
            MarkCounts.counting { sometimes(.batchWaits) }.marks
        }
        #expect(inner.reached == [.batchWaits] && outer.reached.isEmpty)
        #expect(Simulation.run(scenario, seed: 1).marks == report.marks)
        let (_, none) = MarkCounts.counting { sometimes(.windowRefills) }
        #expect(none.reached == [.windowRefills] && none[.windowRefills] == 1)
    }
}
