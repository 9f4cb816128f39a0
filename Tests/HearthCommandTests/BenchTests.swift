import Foundation
import Testing

@testable import CommandLineKit

/// `hearth bench` as a user sees it, with little work: that each verb ends, and what it prints.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BenchTests {
    /// The objects that a verb prints, a line each.
    private func rows(_ words: String...) throws -> [[String: Any]] {
        let outcome = try Command.run(["bench"] + words + ["--json"])
        try #require(outcome.status == 0, "\(words): \(outcome.errors)")
        return try outcome.output.split(separator: "\n").map { line in
            let row = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(row as? [String: Any], "\(line)")
        }
    }

    /// Checks that something was measured for each of these names.
    private func expectPositive(_ row: [String: Any], _ names: String...) {
        for name in names {
            #expect((row[name] as? Double).map { $0 > 0 } == true, "\(name) in \(row)")
        }
    }

    private func works(_ rows: [[String: Any]]) -> [String] {
        rows.compactMap { $0["work"] as? String }
    }

    // MARK: append

    @Test func `append measures each work`() throws {
        let rows = try rows("append", "--appends", "1000", "--durability", "memory")
        #expect(works(rows) == ["W1", "W1 at 2000/s", "W2", "W2", "W2"])
        #expect(rows.map { $0["clients"] as? Int } == [8, 8, 1, 8, 64])
        for row in rows {
            #expect(row["durability"] as? String == "memory")
            expectPositive(
                row, "ackedPerSecond", "deliveredPerSecond", "ackMicrosecondsP50",
                "ackMicrosecondsP99", "eventMicrosecondsP50", "eventMicrosecondsP99",
                "serverCPUSecondsPer100k", "peakMegabytes")
        }
    }

    @Test func `append with rules measures an administrator and a user in turns`() throws {
        let rows = try rows(
            "append", "--rules", "typical", "--appends", "1000", "--rounds", "2")
        #expect(
            works(rows) == ["W1 administrator", "W1 user", "W1 administrator", "W1 user"])
        for row in rows.dropLast() {
            expectPositive(row, "ackedPerSecond", "deliveredPerSecond", "serverCPUSecondsPer100k")
        }
        // The median of two rounds is their mean.
        try #require(rows.count == 5)
        let costs = rows.dropLast().compactMap { $0["serverCPUSecondsPer100k"] as? Double }
        let percents = [costs[1] / costs[0], costs[3] / costs[2]].map { ($0 - 1) * 100 }
        let median = try #require(rows.last?["additionalCPUPercent"] as? Double)
        #expect(abs(median - (percents[0] + percents[1]) / 2) < 1)
    }

    @Test func `append with rules prints a table and a summary`() throws {
        let outcome = try Command.run(
            ["bench", "append", "--rules", "typical", "--appends", "1000", "--rounds", "1"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 5, "\(lines)")
        #expect(lines[0] == "durability commit; latencies in microseconds")
        #expect(lines[1].hasPrefix("work ") && lines[1].contains(" CPU s/100k "))
        #expect(lines[2].hasPrefix("W1 administrator ") && lines[3].hasPrefix("W1 user "))
        #expect(lines[4].hasPrefix("a user's appends cost "))
        #expect(
            lines[4].hasSuffix(
                " % more processor time than an administrator's (one round)"))
    }

    @Test func `append with rules reports their errors`() throws {
        let folder = try TemporaryFolder()
        func run(_ rules: String, _ words: String...) throws -> Command.Outcome {
            try folder.write(Array(rules.utf8), to: "rules.json")
            let words = ["--rules", folder.path + "/rules.json", "--appends", "1000"] + words
            return try Command.run(["bench", "append"] + words)
        }
        let bad = try run(#"{"rules": {".write": "auth"}}"#)
        #expect(bad.status == ExitStatus.badData.rawValue)
        #expect(bad.errors.contains("Expression must evaluate to a boolean."))
        let closed = try run(#"{"rules": {"bench": {"ada": {".write": true}}}}"#, "--as", "eve")
        #expect(closed.status == ExitStatus.denied.rawValue)
        #expect(closed.errors.contains("the rules do not permit this client's write"))
        for words in [["--as", "ada"], ["--rounds", "2"], ["--rules", "typical", "--as", "a/b"]] {
            let outcome = try Command.run(["bench", "append"] + words)
            #expect(outcome.status == ExitStatus.usage.rawValue, "\(words)")
        }
    }

    // MARK: Others

    @Test func `fanout measures the events of many listeners`() throws {
        for name in ["native", "events", "firebase"] {
            let rows = try rows(
                "fanout", "--subscribers", "20", "--writes", "100", "--durability", "memory",
                "--protocol", name)
            #expect(works(rows) == ["W3"] && rows[0]["subscribers"] as? Int == 20)
            #expect(rows[0]["protocol"] as? String == name)
            expectPositive(
                rows[0], "writesPerSecond", "deliveredPerSecond", "ackMicrosecondsP50",
                "eventMicrosecondsP99", "serverCPUMicrosecondsPerEvent", "peakMegabytes")
        }
    }

    @Test func `chat measures a room of clients with tokens and rules, through each protocol`()
        throws
    {
        for (name, nodes) in [("native", 3), ("events", 1), ("firebase", 2)] {
            let rows = try rows(
                "chat", "--clients", "20", "--messages", "100", "--rate", "200", "--nodes",
                "\(nodes)", "--durability", "memory", "--protocol", name)
            #expect(works(rows) == ["W6"] && rows[0]["clients"] as? Int == 20)
            #expect(rows[0]["protocol"] as? String == name && rows[0]["nodes"] as? Int == nodes)
            expectPositive(
                rows[0], "signInSeconds", "messagesPerSecond", "ackMicrosecondsP50",
                "eventMicrosecondsP99", "serverCPUMicrosecondsPerEvent", "peakMegabytes")
        }
    }

    @Test func `connections measures idle connections of each protocol, and their return`() throws {
        let rows = try rows("connections", "--connections", "200", "--seconds", "1")
        #expect(rows.compactMap { $0["protocol"] as? String } == ["native", "events", "firebase"])
        for row in rows {
            #expect(row["connections"] as? Int == 200 && row["refused"] as? Int == 0, "\(row)")
            #expect(row["failed"] as? Int == 0, "\(row)")
            expectPositive(
                row, "connectSeconds", "idleCPUPercent", "reconnectSeconds", "getMilliseconds",
                "setMilliseconds", "healthMilliseconds")
        }
        let none = try Command.run(["bench", "connections", "--only", "none"])
        #expect(none.status == ExitStatus.usage.rawValue)
        #expect(none.errors.contains("name one of native, events, firebase"))
    }

    @Test func `query measures windows by key and by a field`() throws {
        let rows = try rows("query", "--records", "1000", "--queries", "100")
        #expect(works(rows) == ["last 100 by key", "100 with field >= x"])
        for row in rows {
            expectPositive(
                row, "queriesPerSecond", "answerMicrosecondsP50", "firstMilliseconds",
                "serverCPUMicrosecondsPerQuery", "peakMegabytes")
        }
    }

    @Test func `transaction measures counters of one and of all`() throws {
        let rows = try rows("transaction", "--transactions", "100", "--durability", "memory")
        #expect(works(rows) == ["own counter", "own counters", "own counters", "one counter"])
        for row in rows {
            expectPositive(
                row, "clients", "committedPerSecond", "commitMicrosecondsP99",
                "serverCPUMicrosecondsPerCommit")
        }
        // A client that counts alone is never refused.
        #expect(
            rows.map { $0["refusedPerCommit"] as? Double == 0 }.prefix(3) == [true, true, true])
    }

    @Test func `recovery measures starts right after many writes, and later`() throws {
        let rows = try rows("recovery", "--records", "1000")
        let later = Array(repeating: "W5 later", count: 3)
        #expect(works(rows) == Array(repeating: "W5 at once", count: 3) + later)
        for row in rows { expectPositive(row, "milliseconds", "cpuMilliseconds", "megabytes") }
    }

    // MARK: stall

    @Test func `stall measures how long others wait for each row`() throws {
        let names = ["orders", "leave", "patch", "unread"]
        let rows = try rows("stall", "--records", "100", "--only", names.joined(separator: ","))
        #expect(rows.compactMap { $0["row"] as? String } == names)
        for row in rows {
            expectPositive(
                row, "getMilliseconds", "setMilliseconds", "peerGetMilliseconds",
                "healthMilliseconds", "serverCPUSeconds", "peakMegabytes")
            #expect(row["failed"] as? Double == 0, "\(row)")
            #expect(row["refused"] as? Double == 0, "\(row)")
        }
    }

    @Test func `stall names the rows there are`() throws {
        let outcome = try Command.run(["bench", "stall", "--only", "orders,none"])
        #expect(outcome.status == ExitStatus.usage.rawValue)
        #expect(outcome.errors.contains("--only none is no row"))
        #expect(outcome.errors.contains("name one of orders, leave, patch, rules, windows"))
    }

    @Test func `sim measures a work of the simulator, and names those there are`() throws {
        let rows = try rows("sim", "--work", "swarm", "--seeds", "2")
        #expect(works(rows) == ["swarm"] && rows[0]["seeds"] as? Int == 2)
        expectPositive(
            rows[0], "events", "eventsPerSecond", "seedsPerSecond", "simulatedSecondsPerSecond")
        let none = try Command.run(["bench", "sim", "--work", "none"])
        #expect(none.status == ExitStatus.usage.rawValue)
        #expect(none.errors.contains("name one of swarm, listen, push, hour"))
    }
}
