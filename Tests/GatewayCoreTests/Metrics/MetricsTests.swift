import DataTree
import Testing

@testable import GatewayCore

/// `/metrics`, in Prometheus' text format.
@Suite struct MetricsTests {
    private var node = TestGateway()

    /// The samples in a text, by name and labels.
    private static func samples(in text: String) -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let space = line.lastIndex(of: " ")!
            let name = String(line[..<space])
            #expect(samples[name] == nil, "\(name) comes twice")
            samples[name] = Double(line[line.index(after: space)...])!
        }
        return samples
    }

    @Test mutating func `metrics count requests, connections and operations`() {
        _ = node.curl("/a.json", "PUT", body: "1")
        _ = node.curl("/a.json", "PUT", body: "2")
        _ = node.curl("/b.json?limitToFirst=1")
        _ = node.curl("/b.json", "MADEUP")
        let id = node.connect()
        node.send(TestGateway.request("/a.json", "GET", ["Accept: text/event-stream"]), by: id)
        node.turn([.turnTook(nanoseconds: 200_000), .turnTook(nanoseconds: 20_000_000_000)])
        let answer = node.curl("/metrics")
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let samples = MetricsTests.samples(in: answer.body)
        #expect(samples[#"hearth_http_requests_total{method="PUT",code="200"}"#] == 2)
        #expect(samples[#"hearth_http_requests_total{method="GET",code="400"}"#] == 1)
        #expect(samples[#"hearth_http_requests_total{method="other",code="405"}"#] == 1)
        #expect(samples[#"hearth_connections{kind="event_stream"}"#] == 1)
        #expect(samples[#"hearth_connections{kind="http"}"#] == 1)
        #expect(samples["hearth_accepted_total"] == 2)
        #expect(samples["hearth_listens"] == 1)
        #expect(samples["hearth_serving"] == 1)
        #expect(samples[#"hearth_turn_seconds_bucket{le="0.0001"}"#] == 0)
        #expect(samples[#"hearth_turn_seconds_bucket{le="0.00025"}"#] == 1)
        #expect(samples[#"hearth_turn_seconds_bucket{le="+Inf"}"#] == 2)
        #expect(samples["hearth_turn_seconds_count"] == 2)
        #expect(samples["hearth_turn_seconds_sum"] == 20.0002)
        #expect(samples["hearth_ack_seconds_count"] == 2)
        #expect(answer.body.split(separator: "\n").count < 200)
        node.turn([.closed(id)])
        let later = MetricsTests.samples(in: node.curl("/metrics").body)
        #expect(later[#"hearth_connections{kind="event_stream"}"#] == 0)
        #expect(later["hearth_listens"] == 0)
    }

    @Test mutating func `each family is declared once, before its samples`() {
        var declared: Set<String> = []
        var current = ""
        for line in node.curl("/metrics").body.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch line {
            case _ where line.hasPrefix("# HELP "):
                current = String(words[2])
                #expect(declared.insert(current).inserted, "\(current) comes twice")
            case _ where line.hasPrefix("# TYPE "):
                #expect(words[2] == current)
                #expect(["counter", "gauge", "histogram"].contains(words[3]))
                #expect(current.hasSuffix("_total") == (words[3] == "counter"))
            default: #expect(line.hasPrefix(current))
            }
        }
        #expect(declared.count > 30)
    }

    @Test mutating func `metrics are there before the node serves`() {
        node = TestGateway(serving: false)
        let answer = node.curl("/metrics")
        #expect(answer.status == 200)
        #expect(MetricsTests.samples(in: answer.body)["hearth_serving"] == 0)
        #expect(node.curl("/metrics", "DELETE").status == 405)
    }
}
