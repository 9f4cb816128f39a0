import Foundation
import Testing

@testable import LoadTools

/// The page of a benchmark, and what it plots.
@Suite struct BenchPageTests {
    /// A hundred durations of 1 to 100 ms, of which one ends every 10 ms.
    private static let latencies: Latencies = {
        var latencies = Latencies()
        for number in 1...100 {
            let time = UInt64(number) * 10_000_000
            latencies.add(nanoseconds: UInt64(101 - number) * 1_000_000, at: time)
        }
        return latencies
    }()

    @Test func `percentiles go to the share that one duration exceeds`() {
        let percentiles = Self.latencies.percentiles
        #expect(percentiles.map(\.nines) == [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2])
        #expect(percentiles.first?.microseconds == 1_000)
        #expect(percentiles[4].microseconds == 90_000)
        #expect(percentiles.last?.microseconds == 99_000)
    }

    @Test func `rates count the durations that ended in equal parts of the time`() {
        let rates = Self.latencies.rates
        #expect(rates.map(\.perSecond) == Array(repeating: 100, count: 19))
        #expect(rates.first?.seconds == 0.05)
    }

    @Test func `rates of a long time have a hundred points at most`() {
        var latencies = Latencies()
        for second in 0..<3_600 {
            latencies.add(nanoseconds: 1, at: UInt64(second) * 1_000_000_000)
        }
        let rates = latencies.rates
        #expect((90...100).contains(rates.count))
        #expect(rates.allSatisfy { abs($0.perSecond - 1) < 0.1 })
    }

    @Test func `a page has the figures and the lines of each measurement`() throws {
        var page = BenchPage(of: "bench <x>", in: "unused.html")
        page.append(
            [
                .name("work", "work", "W1"), .whole("clients", "clients", 8),
                .fraction("CPU s", "cpuSeconds", .nan),
            ] + BenchReport.Field.latencies("ack", "ack", Self.latencies))
        let record = try #require(
            try JSONSerialization.jsonObject(with: Data(page.json.utf8)) as? [String: Any])
        #expect(
            record["columns"] as? [String] == ["work", "clients", "CPU s", "ack p50", "p99"])
        let rows = try #require(record["rows"] as? [[String: Any]])
        #expect(rows.first?["name"] as? String == "W1, 8 clients")
        #expect(rows.first?["texts"] as? [String] == ["W1", "8", "-", "50000", "99000"])
        let series = try #require(rows.first?["series"] as? [[String: Any]])
        #expect(series.map { $0["name"] as? String } == ["ack"])
        #expect((series.first?["latencies"] as? [[Double]])?.last == [2, 99_000])
        #expect((series.first?["rates"] as? [[Double]])?.first == [0.05, 100])
    }

    @Test func `bench writes a page beside its table`() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/append.html"
        let outcome = try Command.run([
            "bench", "append", "--appends", "1000", "--durability", "memory", "--html", file,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("report: \(file)"))
        let html = try String(contentsOfFile: file, encoding: .utf8)
        #expect(
            html.contains(#""name":"W1, 8 clients""#) && html.contains("Content-Security-Policy"))
    }
}
