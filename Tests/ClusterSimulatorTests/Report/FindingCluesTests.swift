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
    private func clues() throws -> FindingClues {
        let scenario = try Scenario(parsing: Self.text, name: "clues").drawn(seed: 3)
        var run = SimulatedRun(scenario, seed: 3)
        var recorder = RunRecorder(&run, keeping: [])
        run.begin()
        while let event = run.step() { recorder.observe(event, in: &run) }
        recorder.finish(run)
        return recorder.clues
    }

    private func finding(at node: Int, _ text: String) -> RunFinding {
        RunFinding(event: 0, time: 3_900_000, text: text, nodes: [node])
    }

    @Test func `a clue says which write is the newest, and which one arrived last`() throws {
        let clues = try clues()
        let texts = (0..<3).compactMap {
            clues.order(of: finding(at: $0, "n1 shows x, at /rooms/a: 1"))
        }
        #expect(texts.count == 3)
        for text in texts {
            #expect(text.contains("operations at /rooms/a"), "\(text)")
            #expect(text.contains("\"newer\""), "\(text)")
        }
        // At the nodes beyond the partition, the older write arrived after the newer one.
        let late = texts.filter { $0.contains("is older, and arrived last, at 2.") }
        #expect(late.count == 1 || late.count == 2, "\(texts)")
        #expect(late.allSatisfy { $0.contains("\"older\"") })
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
}
