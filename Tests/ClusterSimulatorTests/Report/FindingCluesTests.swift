import DataTree
import Testing

@testable import ClusterSimulator

/// The sentences of a report about what tells causes apart.
@Suite struct FindingCluesTests {
    private static let text = """
        cluster replicas=3 clients=2
        network delay=5ms
        workload operations=4 set=1
        at 1s partition n1 | n2 n3
        at 1100ms c1 set /rooms/a "older"
        at 1200ms c2 set /rooms/a "newer"
        at 2s heal
        until 4s
        check replicas-equal
        """

    /// The clues of a run, after all its events.
    private func clues(seed: UInt64 = 3) throws -> FindingClues {
        let scenario = try Scenario(parsing: Self.text, name: "clues").drawn(seed: seed)
        var run = SimulatedRun(scenario, seed: seed)
        var clues = FindingClues(nodes: run.nodes.map(\.name))
        run.begin()
        while let event = run.step() { clues.observe(event, in: run) }
        clues.finish(run)
        return clues
    }

    private func finding(at node: Int, _ text: String) -> RunFinding {
        RunFinding(event: 0, time: 3_900_000, text: text, nodes: [node])
    }

    private func texts(_ clues: FindingClues) -> [String] {
        (0..<3).compactMap { clues.order(of: finding(at: $0, "n1 shows x, at /rooms/a: 1")) }
    }

    @Test func `a clue says which write is the newest, and which one arrived last`() throws {
        // Each seed draws the nodes of the clients; some draw them on both sides of the partition.
        var late: [String] = []
        for seed in 1...8 {
            let texts = texts(try clues(seed: UInt64(seed)))
            #expect(texts.count == 3)
            #expect(texts.allSatisfy { $0.contains("2 operations at /rooms/a") }, "\(texts)")
            #expect(texts.allSatisfy { $0.contains("\"newer\"") }, "\(texts)")
            late += texts.filter { $0.contains("is older, and arrived last, at 2.") }
        }
        // At the nodes beyond the partition, the older write arrived after the newer one.
        #expect(!late.isEmpty)
        #expect(late.allSatisfy { $0.contains("; ") && $0.contains("\"older\"") })
    }

    @Test func `writes that arrived together are not told apart by their arrival`() throws {
        // Each seed draws the nodes of the clients; some draw them on one side of the partition.
        let runs = try (1...8).map { texts(try clues(seed: $0)) }
        let together = runs.filter { texts in
            texts.allSatisfy { $0.hasSuffix("has the newest stamp, and arrived last.") }
        }
        #expect(!together.isEmpty, "\(runs)")
    }

    @Test func `a location without two writes gives no clue`() throws {
        let clues = try clues()
        #expect(clues.order(of: finding(at: 0, "n1 shows x, at /elsewhere: 1")) == nil)
        #expect(clues.order(of: finding(at: 0, "n1 shows nothing")) == nil)
    }

    @Test func `a clue counts the requests for missing operations`() throws {
        let repairs = try clues().repairs
        #expect(repairs.hasPrefix("Requests for missing operations that arrived at peers: n1 "))
        #expect(repairs.contains(", the last at 2."), "\(repairs)")
    }

    @Test func `a listener that is only behind before the first wrong step is not named`() throws {
        let text = Self.text.replacing(
            "check replicas-equal",
            with: "at 3s n1 reads /rooms/a expect 5\ncheck replicas-equal, expectations-hold")
        let report = Simulation.run(try Scenario(parsing: text, name: "clues"), seed: 3)
        let clues = try clues()
        func sentences(_ kind: FailureFocus.Kind) -> [String] {
            FindingSentences(
                report, [finding(at: 0, "c3 shows nothing")],
                RunFinding(event: 0, time: 3_950_000, text: "a wrong step"), kind, clues, after: []
            ).sentences
        }
        #expect(sentences(.tree).contains { $0.hasPrefix("It first shows at 3.9") })
        #expect(!sentences(.listener).contains { $0.hasPrefix("It first shows") })
        #expect(sentences(.listener).contains { $0.hasPrefix("The first wrong step is at 3.95") })
    }
}
