import Testing

@testable import ClusterSimulator

/// The counters of a port in a run equal those of `/metrics`.
@Suite struct PortCountsTests {
    private func counts(_ answers: [Int: Int]) -> PortCounts {
        var counts = PortCounts()
        counts.answers = answers
        return counts
    }

    @Test func `answers are counted, and interim ones are not`() {
        var counts = PortCounts()
        for text in [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n", "{}", "HTTP/1.1 404 No\r\n",
        ] {
            counts.countAnswer(in: Array(text.utf8))
        }
        #expect(counts.answers == [200: 1, 404: 1])
    }

    @Test func `a count between those before and after is right`() {
        let text = """
            # HELP hearth_http_requests_total Answered requests.
            hearth_http_requests_total{method="GET",code="200"} 2
            hearth_http_requests_total{method="PUT",code="200"} 1
            """
        let reading = MetricsReading(text)
        #expect(reading.problem(from: counts([200: 2]), to: counts([200: 3])) == nil)
        #expect(reading.problem(from: counts([200: 4]), to: counts([200: 5])) != nil)
        #expect(
            reading.problem(from: counts([200: 1, 404: 1]), to: counts([200: 3, 404: 1])) != nil)
        #expect(MetricsReading("hello").problem(from: counts([:]), to: counts([:])) != nil)
    }

    @Test func `what something was from a time on begins with what it was then`() {
        var states = TimedStates<String>()
        states.append("a", at: 1)
        states.append("b", at: 5)
        #expect(states.values(from: 4) == ["a", "b"] && states.values(from: 5) == ["b"])
        #expect(states.values(from: 0) == ["a", "b"] && states.last == "b")
    }
}
