import DataTree
import ReplicaCore
import Rules
import SyncProtocol
import Testing

/// A node counts the results of its rules after an administrator has requested it.
@Suite struct `Counting of rules` {
    private static let rules = """
        {".read": "auth.uid == 'u1'", "$u": {".write": "auth.uid == $u",
         "n": {".validate": "newData.isNumber() && newData.val() < 9"}}}
        """
    private var node = RuledReplica(rules)

    private mutating func report(_ action: CoverageRequest.Action = .read) throws -> CoverageReport
    {
        guard case .value(7, let value)? = node.ask(.coverage(id: 7, action)).first else {
            Issue.record("no report")
            return CoverageReport()
        }
        let report = try CoverageReport(value)
        #expect(report.value == value)
        return report
    }

    /// How often each rule was true, was false, and failed.
    private func counts(_ report: CoverageReport) -> [[Int]] {
        report.rules.map { [$0.counts.isTrue, $0.counts.isFalse, $0.counts.fails] }
    }

    @Test mutating func `begins on request, and reports nothing before`() throws {
        #expect(node.permits(.put(id: 1, path: "u1/n", value: 1)) == true)
        let before = try report()
        #expect(!before.isCounting && before.sinceMilliseconds == nil && before.judged == 0)
        #expect(counts(before) == [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
        #expect(before.rules.map(\.kind) == [".read", ".write", ".validate"])
        #expect(before.rules.map(\.location) == ["/", "/$u", "/$u/n"])
        let begun = try report(.begin)
        #expect(begun.isCounting && begun.judged == 0)
        #expect(begun.sinceMilliseconds == Int(node.milliseconds))
    }

    @Test mutating func `counts each write, without shortcuts`()
        throws
    {
        // The rule that permits this user is cached before the count begins.
        _ = node.permits(.put(id: 1, path: "u1/n", value: 1))
        _ = try report(.begin)
        for value in [Value.integer(1), .integer(2), .string("x")] {
            _ = node.ask(.put(id: 1, path: "u1/n", value: value), by: RuledReplica.user)
        }
        _ = node.permits(.merge(id: 1, path: "u1", writes: [Write(path: "n", value: 3)]))
        _ = node.permits(.put(id: 1, path: "u2/n", value: 1))
        let report = try report()
        #expect(report.judged == 5)
        #expect(counts(report) == [[0, 0, 0], [4, 1, 0], [3, 1, 0]])
        #expect(
            report.rules[2].parts.map { "\($0.text) \($0.counts.isTrue) \($0.counts.isFalse)" } == [
                "newData.isNumber() 3 1", "newData.val() < 9 3 0",
                "newData.isNumber() && newData.val() < 9 3 1",
            ])
        #expect(report.rules[2].parts.map(\.gap) == [nil, "was never false", nil])
        #expect(report.outcomesSeen == 7 && report.outcomes == 10)
    }

    @Test mutating func `has reads, listens, and on-disconnect writes, each once`() throws {
        _ = try report(.begin)
        let guest = RuledReplica.guest
        _ = node.ask(.get(id: 1, path: "x"), by: RuledReplica.user)
        _ = node.ask(.get(id: 1, path: "x"), by: guest)
        #expect(counts(try report())[0] == [1, 1, 0])
        _ = node.ask(.listen(id: 2, path: "x"), by: RuledReplica.user)
        _ = node.ask(.listen(id: 2, path: "x"), by: guest)
        #expect(counts(try report())[0] == [2, 2, 0])
        _ = node.ask(.onDisconnect(id: 3, path: "u1/n", value: 1), by: RuledReplica.user)
        #expect(counts(try report())[1] == [1, 0, 0])
        _ = node.told([.closed(RuledReplica.user)])
        #expect(counts(try report())[1] == [2, 0, 0])
        #expect(try report().judged == 6)
    }

    @Test mutating func `omits administrators and explanations`() throws {
        _ = try report(.begin)
        _ = node.ask(.put(id: 1, path: "u1/n", value: .string("x")))
        _ = node.ask(.explain(id: 1, statement: "write /u1/n 1 as {uid: 'u1'}"))
        #expect(try report().judged == 0)
        #expect(counts(try report()).flatMap(\.self).allSatisfy { $0 == 0 })
    }

    @Test mutating func `ends with the counts, and forgets them`() throws {
        _ = try report(.begin)
        _ = node.permits(.put(id: 1, path: "u1/n", value: 1))
        let end = try report(.end)
        #expect(!end.isCounting && end.judged == 1)
        #expect(try report().judged == 0)
        _ = node.permits(.put(id: 1, path: "u1/n", value: 1))
        #expect(try report(.begin).judged == 0)
    }

    @Test mutating func `begins again with other rules`() throws {
        let first = try report(.begin)
        _ = node.permits(.put(id: 1, path: "u1/n", value: 1))
        let other = RuledReplica.document(#"{".write": "auth != null"}"#)
        _ = node.ask(.setRules(id: 1, source: other))
        let report = try report()
        #expect(report.isCounting && report.judged == 0)
        #expect(report.digest != first.digest && !report.digest.isEmpty)
        #expect(try #require(report.sinceMilliseconds) > first.sinceMilliseconds!)
        #expect(counts(report) == [[0, 0, 0]])
        _ = node.permits(.put(id: 1, path: "u1/n", value: 1))
        #expect(counts(try self.report()) == [[1, 0, 0]])
    }

    @Test mutating func `is for administrators`() {
        #expect(node.permits(.coverage(id: 1, .begin)) == false)
        #expect(node.permits(.coverage(id: 1, .read), by: RuledReplica.guest) == false)
        #expect(node.permits(.coverage(id: 1, .read), by: RuledReplica.administrator) == true)
    }

    @Test func `without rules reports none, and counts later ones`() throws {
        var tests = Self()
        tests.node = RuledReplica(nil)
        let report = try tests.report(.begin)
        #expect(report.isCounting && report.rules.isEmpty && report.digest.isEmpty)
        _ = tests.node.ask(
            .setRules(id: 1, source: RuledReplica.document(#"{".read": "auth.uid == 'u1'"}"#)))
        _ = tests.node.permits(.get(id: 1, path: "x"))
        #expect(tests.counts(try tests.report()) == [[1, 0, 0]])
    }

    @Test mutating func `limits the number and the length of the parts`() throws {
        let part = "auth.uid == 'u1'"
        let long = Array(repeating: part, count: 2_000).joined(separator: " && ")
        let places = (0..<6).map { "\"p\($0)\": {\".write\": \"\(long)\"}" }
        let document = RuledReplica.document("{\(places.joined(separator: ","))}")
        guard case .ok? = node.ask(.setRules(id: 1, source: document)).first else {
            Issue.record("the rules are refused")
            return
        }
        let report = try report()
        #expect(report.rules.count == 6)
        #expect(report.rules.reduce(0) { $0 + $1.parts.count } == 10_000)
        #expect(report.omittedParts == 6 * 2_001 - 10_000)
        #expect(report.rules[0].expression == long)
        let whole = try #require(report.rules[0].parts.last?.text)
        #expect(whole.count == 201 && whole.hasSuffix("…"))
    }
}
