import ClusterConfiguration
import DataTree
import Testing

@testable import ClusterNode

@Suite struct `The log of requests` {
    private func log(_ format: LogFormat = .text, _ level: LogLevel = .error) -> NodeLog {
        var settings = LogSettings()
        (settings.format, settings.level) = (format, level)
        return NodeLog(member: "n1", settings: settings)
    }

    @Test func `has ten entries a second, and then counts`() {
        var logger = RequestLogger(for: log())
        let admitted = (0..<25).filter { _ in logger.admits(at: 5_100) }
        #expect(admitted.count == 10)
        #expect(logger.omitted == 15)
        logger.endSecond(at: 5_999)
        #expect(logger.omitted == 15)
        logger.omit(3)
        let next = (0..<12).filter { _ in logger.admits(at: 6_000) }
        // The omitted entries of the second before are reported.
        #expect(next.count == 10 && logger.omitted == 2)
    }

    @Test func `is one object a line, which begins with the time`() {
        let line = log(.json).json(
            "refused \"a\"\nb", .warning,
            [("client", .string("10.0.0.1")), ("status", .integer(401))],
            at: 1_800_000_000_123)
        let time = LogTime.text(of: 1_800_000_000_123).replacing(" ", with: "T")
        #expect(line.hasPrefix("{\"time\":\"\(time)"))
        let text = #""level":"warning","member":"n1","message":"refused \"a\"\nb""#
        #expect(line.hasSuffix(#"",\#(text),"client":"10.0.0.1","status":401}"#), "\(line)")
    }

    @Test func `measures the wait of the first turn that became durable`() {
        var disk = DiskWatch()
        disk.begin(1, at: 100)
        disk.begin(2, at: 200)
        disk.begin(3, at: 300)
        #expect(disk.end(2, at: 1_100) == 1_000)
        #expect(disk.end(2, at: 2_000) == 0)
        #expect(disk.end(3, at: 2_300) == 2_000)
    }

    @Test func `has levels in the order of their severity`() {
        #expect(LogLevel.info < .warning && LogLevel.warning < .error)
    }
}
