import DataTree
import Testing

@testable import ClusterSimulator

/// Why a place shows what it shows.
@Suite struct ExplanationTests {
    private static let text = """
        cluster replicas=2 clients=2
        at 1s c1 set /rooms/a "first"
        at 1100ms c2 set /rooms/b "beside"
        at 1200ms partition n1 | n2
        at 1300ms c1 set /rooms/a "early"
        at 1400ms c2 set /rooms "over"
        at 1500ms c1 set /rooms/a "last"
        at 1800ms heal
        until 4s
        check replicas-equal
        """

    private func lines(_ path: String, node: Int?, seconds: Double?) throws -> [String] {
        let scenario = try Scenario(parsing: Self.text, name: "why")
        let question = Explanation.Question(path: try Path(path), node: node, seconds: seconds)
        return Explanation(of: question, in: scenario, seed: 1).lines
    }

    @Test func `operations come in the order of their stamps, and the losers name who beat them`()
        throws
    {
        let lines = try lines("/rooms/a", node: 0, seconds: nil)
        #expect(lines.first?.hasSuffix("shows /rooms/a \"last\"") == true)
        let operations = lines.filter { $0.contains("won ") || $0.contains("lost ") }
        let expected = [
            ("lost", "\"first\"", "lost to n1#2"), ("lost", "\"early\"", "lost to n2#2"),
            ("lost", "\"over\"", "lost to n1#3"), ("won", "\"last\"", "makes \"last\""),
        ]
        #expect(operations.count == expected.count, "\(lines)")
        for (line, words) in zip(operations, expected) {
            #expect(
                line.contains("    \(words.0)  ") || line.contains("    \(words.0)   "), "\(line)")
            #expect(line.contains(words.1) && line.contains(words.2), "\(line)")
        }
        #expect(!lines.contains { $0.contains("beside") })
        // It came after what beats it.
        #expect(operations[2].hasSuffix("lost to n1#3, which came before it"))
        #expect(!operations[1].contains("came before"))
    }

    @Test func `a node is asked at a time, as it was then`() throws {
        let lines = try lines("/rooms/a", node: 1, seconds: 1.75)
        #expect(lines.first?.hasPrefix("n2 at 1.7") == true)
        #expect(lines.first?.hasSuffix("shows /rooms/a null") == true)
        #expect(lines.contains { $0.contains("won ") && $0.contains("\"over\"") })
        #expect(!lines.contains { $0.contains("\"last\"") })
        #expect(
            lines.contains {
                $0.contains("register at /rooms: write ") && $0.hasSuffix("which decides")
            })
        #expect(lines.contains { $0.contains("is not stable at n2") })
        #expect(lines.contains { $0.contains("n1 has not closed it") })
    }

    @Test func `what is stable names the heartbeats that closed it, and the writers they agree on`()
        throws
    {
        let lines = try lines("/rooms/a", node: 1, seconds: nil)
        #expect(lines.contains { $0.contains("no register is left") })
        #expect(lines.contains { $0.contains("is stable at n2 since ") })
        #expect(lines.contains { $0.contains("n1 closed it by its heartbeat of ") })
        #expect(lines.contains { $0.contains("n1 names the writers ") && $0.contains("n2") })
    }

    @Test func `without a node all are asked, and a place that nobody wrote has no operations`()
        throws
    {
        let lines = try lines("/nowhere", node: nil, seconds: nil)
        #expect(lines.filter { !$0.hasPrefix(" ") }.count == 2)
        #expect(lines.contains("    no operation ever wrote there"))
    }
}
