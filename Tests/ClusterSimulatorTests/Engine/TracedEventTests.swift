import DataTree
import JSONText
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// A trace says all that happens, in words and names.
@Suite struct TracedEventTests {
    private func lines(_ text: String) throws -> [Value] {
        let scenario = try Scenario(parsing: text, name: "traced")
        let reader = JSONReader()
        var lines: [Value] = []
        _ = try Simulation.run(scenario, seed: 1) { event throws(JSONError) in
            lines.append(try reader.parse(event.json))
        }
        return lines
    }

    private func text(_ value: Value, _ key: String) -> String {
        if case .string(let text) = value[Key(unchecked: key)].content { text } else { "" }
    }

    @Test func `each event is one JSON object, with what it says and what a node does`() throws {
        let lines = try lines(
            """
            cluster replicas=2 clients=1
            at 1s c1 set /rooms/a "hello"
            at 1500ms pause n2
            until 2s
            check replicas-equal
            """)
        for (index, line) in lines.enumerated() {
            #expect(line[Key(unchecked: "event")] == .integer(Int64(index + 1)))
            #expect(text(line, "hash").utf8.count == 16)
        }
        func only(_ kind: String, _ words: String) -> Value? {
            lines.first { text($0, "kind") == kind && "\($0)".contains(words) }
        }
        let request = try #require(only("requested", "put /rooms/a"))
        #expect(text(request, "at") == "n1" && text(request, "from") == "c1")
        let turn = try #require(only("turn", "stores n1#1: /rooms/a"))
        #expect(text(turn, "at") == "n1")
        let published = try #require(only("published", "batch n1#1: /rooms/a"))
        #expect(text(published, "at") == "n2" && text(published, "from") == "n1")
        #expect(only("replied", "ok") != nil)
        #expect(only("fault", "pause n2") != nil)
        #expect(only("published", "heartbeat of n2: holds n1#1") != nil)
    }
}

/// Names in place of random writers.
@Suite struct WriterNamesTests {
    @Test func `writers are named as what they are, and other words stay`() {
        var names = WriterNames()
        let writers = (1...4).map { WriterID(bits: UInt64($0) &* 0x9E37_79B9_7F4A_7C15) }
        names.add(writers[0], node: 1)
        names.add(writers[1], node: 1)
        names.add(writers[0], node: 1)
        names.add(writers[2], client: 4)
        let text =
            "\(writers[0])#4 12.0@\(writers[2]), \(writers[1]) and x\(writers[0]) \(writers[3])"
        #expect(
            names.applied(to: text)
                == "n2#4 12.0@c5, n2.2 and x\(writers[0]) \(writers[3])")
    }
}

/// Differences of trees.
@Suite struct TreeDifferenceTests {
    private func tree(_ leaves: [(String, Int64)]) throws -> Value {
        var value = Value.null
        for (path, number) in leaves { value.set(.integer(number), at: try Path(path)) }
        return value
    }

    @Test func `the first few paths are named, with both values`() throws {
        let first = try tree([("/a/b", 1), ("/c", 2), ("/same", 3)])
        let second = try tree([("/a/b", 5), ("/same", 3)])
        #expect("\(TreeDifference(first, second))" == "/a/b: 1 and 5; /c: 2 and null")
        #expect(TreeDifference(first, first).isEmpty)
        let many = try tree((1...9).map { ("/k\($0)", $0) })
        let text = "\(TreeDifference(many, .null))"
        #expect(text.utf8.count < 120)
        let other = try tree((1...9).map { ("/k\($0)", $0 + 1) })
        #expect("\(TreeDifference(many, other))".hasSuffix("/k4: 4 and 5; and 5 more"))
    }

    @Test func `paths are those in the whole tree`() throws {
        let text = "\(TreeDifference(.integer(1), .null, at: try Path("/x/y")))"
        #expect(text == "/x/y: 1 and null")
    }
}
