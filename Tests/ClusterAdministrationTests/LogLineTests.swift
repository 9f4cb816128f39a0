import Testing

@testable import ClusterAdministration
@testable import ClusterConfiguration

@Suite struct `Log lines` {
    private func lines(_ node: String, _ texts: String...) -> [LogLine] {
        var last = ""
        return texts.map { text in
            let line = LogLine(text, of: node, after: last)
            last = line.time
            return line
        }
    }

    @Test func `of several nodes are merged by time, and those of one stay in their order`() {
        let first = lines(
            "n1", "2026-11-22 05:00:00.000 n1 a", "trace", "2026-11-22 05:00:03.000 n1 c",
            "2026-11-22 05:00:01.500 n1 clock back")
        let second = lines("n2", "2026-11-22 05:00:01.000 n2 b", "2026-11-22 05:00:03.000 n2 d")
        let merged = LogLine.merged([first, [], second]).map { $0.named($0.node) }
        #expect(
            merged == [
                "2026-11-22 05:00:00.000 n1 a", "n1 trace", "2026-11-22 05:00:01.000 n2 b",
                "2026-11-22 05:00:03.000 n1 c", "2026-11-22 05:00:01.500 n1 clock back",
                "2026-11-22 05:00:03.000 n2 d",
            ])
    }

    @Test func `of a node's runtime have the time of the line before, and are not its own`() {
        let log = lines("n1", "fatal error", "2026-11-22 05:00:00.000 n1 a", "trace")
        #expect(log.map(\.time) == ["", "2026-11-22 05:00:00.000", "2026-11-22 05:00:00.000"])
        #expect(log.map(\.isOwn) == [false, true, false])
    }

    @Test func `as objects are merged with lines of text, and shown as they are`() {
        let object = #"{"time":"2026-11-22T05:00:01.000+01:00","level":"info","member":"n1"}"#
        let first = lines("n1", "2026-11-22 05:00:00.000 n1 a", object)
        let second = lines("n2", "2026-11-22 05:00:00.500 n2 b", "2026-11-22 05:00:01.500 n2 c")
        #expect(first.map(\.time) == ["2026-11-22 05:00:00.000", "2026-11-22 05:00:01.000"])
        #expect(first.map(\.isOwn) == [true, true])
        let merged = LogLine.merged([first, second]).map { $0.named("coloured") }
        #expect(merged[2] == object)
    }

    private static let now: UInt64 = 1_800_000_000_000

    @Test(arguments: [("90s", 90), ("10m", 600), ("2h", 7_200), ("1d", 86_400)])
    func `begin some time ago`(text: String, seconds: UInt64) {
        let start = LogStart(text, now: Self.now)
        #expect(start?.time == LogTime.text(of: Self.now - seconds * 1000))
    }

    @Test func `begin at a local time`() {
        let today = LogTime.text(of: Self.now).prefix(10)
        #expect(LogStart("14:05", now: Self.now)?.time == "\(today) 14:05")
        #expect(LogStart("2026-11-22", now: Self.now)?.time == "2026-11-22")
        #expect(LogStart("2026-11-22 05:30:01", now: Self.now)?.time == "2026-11-22 05:30:01")
    }

    @Test(arguments: [
        "", "m", "-5m", "10", "14:0", "14:5", "yesterday", "2026-11-2", "2026-11-22 5",
    ])
    func `begin at no time that is none`(text: String) {
        #expect(LogStart(text, now: Self.now) == nil)
    }

    @Test func `have a time that sorts as text`() {
        let times = [Self.now, Self.now + 1, Self.now + 60_000].map { LogTime.text(of: $0) }
        #expect(times == times.sorted())
        #expect(times.allSatisfy { $0.count == LogTime.length && LogTime.isTime($0) })
        #expect(LogTime.text(of: Self.now + 7).hasSuffix(".007"))
    }
}
