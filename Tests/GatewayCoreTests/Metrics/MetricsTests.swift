import DataTree
import SyncProtocol
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
        #expect(samples["hearth_tree_differences"] == 0)
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

    @Test func `each number of a status is shown under its own name`() throws {
        var status = NodeStatus()
        status.identity.wallMilliseconds = 5_000
        status.data.stableMilliseconds = 3_500
        status.exchange.connectedPeers = ["n2": 250]
        status.exchange.silentPeers = ["n3": true]
        status.exchange.refusedCheckpoints = ["n3": 7]
        var process = NodeStatus.Process()
        process.cpuMilliseconds = 2_500
        status.process = process
        for (index, number) in StatusNumber.all.enumerated() {
            number.set(&status, 1000 + index)
        }
        let samples = MetricsTests.samples(in: text(of: status))
        for (index, number) in StatusNumber.all.enumerated() {
            #expect(samples[number.name] == Double(1000 + index), "\(number.name)")
        }
        #expect(samples["hearth_stable_age_seconds"] == 1.5)
        #expect(samples[#"hearth_peer_heard_age_seconds{peer="n2"}"#] == 0.25)
        #expect(samples[#"hearth_peer_connected{peer="n2"}"#] == 1)
        #expect(samples[#"hearth_peer_connected{peer="n3"}"#] == 0)
        #expect(samples["hearth_storage_works"] == 1)
        status.identity.storage = "the disk is full"
        let failed = MetricsTests.samples(in: text(of: status))
        #expect(failed["hearth_storage_works"] == 0)
        #expect(samples[#"hearth_refused_checkpoint_operations{peer="n3"}"#] == 7)
        #expect(samples["process_cpu_seconds_total"] == 2.5)
    }

    @Test func `of many origins the last ones are counted together`() {
        var status = NodeStatus()
        for number in 100..<153 { status.data.held["w\(number)"] = number }
        let samples = MetricsTests.samples(in: text(of: status))
        #expect(samples[#"hearth_operations_total{origin="w149"}"#] == 149)
        #expect(samples[#"hearth_operations_total{origin="w150"}"#] == nil)
        #expect(samples[#"hearth_operations_total{origin="others"}"#] == 453)
        status.data.held = status.data.held.filter { $0.value < 150 }
        let fewer = MetricsTests.samples(in: text(of: status))
        #expect(fewer[#"hearth_operations_total{origin="others"}"#] == nil)
    }

    private func text(of status: NodeStatus) -> String {
        var text = GatewayContext(GatewayConfiguration()).metricsAnswer(status).text!
        var bytes: [UInt8] = []
        while text.write(to: &bytes, atLeast: 1_000) {}
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A number of a status, and the sample that shows it.
private struct StatusNumber {
    let name: String
    let set: @Sendable (inout NodeStatus, Int) -> Void

    static let all: [StatusNumber] = data + queues + clients + process

    private static let data: [StatusNumber] = [
        .init(name: "hearth_lag_operations") { $0.data.lag = $1 },
        .init(name: "hearth_registers") { $0.data.registers = $1 },
        .init(name: "hearth_log_operations") { $0.data.loggedOperations = $1 },
        .init(name: "hearth_log_operations_limit") { $0.data.loggedOperationsLimit = $1 },
        .init(name: "hearth_accepted_total") { $0.exchange.accepted = $1 },
        .init(name: "hearth_received_total") { $0.exchange.received = $1 },
        .init(name: "hearth_repaired_total") { $0.exchange.repaired = $1 },
        .init(name: "hearth_repaired_bytes_total") { $0.exchange.repairedBytes = $1 },
        .init(name: "hearth_duplicates_total") { $0.exchange.duplicates = $1 },
        .init(name: "hearth_overwritten_total") { $0.exchange.overwritten = $1 },
        .init(name: "hearth_dropped_total") { $0.exchange.dropped = $1 },
        .init(name: "hearth_malformed_frames_total") { $0.exchange.malformedFrames = $1 },
    ]
    private static let queues: [StatusNumber] = [
        .init(name: "hearth_gaps") { $0.queues.gaps = $1 },
        .init(name: "hearth_waiting_batches") { $0.queues.waitingBatches = $1 },
        .init(name: "hearth_waiting_batches_limit") { $0.queues.waitingBatchesLimit = $1 },
        .init(name: "hearth_waiting_bytes") { $0.queues.waitingBytes = $1 },
        .init(name: "hearth_waiting_bytes_limit") { $0.queues.waitingBytesLimit = $1 },
        .init(name: "hearth_pending_turns") { $0.queues.pendingTurns = $1 },
    ]
    private static let clients: [StatusNumber] = [
        .init(name: "hearth_refused_total") { $0.clients.refused = $1 },
        .init(name: "hearth_limited_total{limit=\"rule_work\"}") {
            $0.clients.limited["rule_work"] = $1
        },
        .init(name: "hearth_sessions") { $0.clients.sessions = $1 },
        .init(name: "hearth_listens") { $0.clients.listens = $1 },
        .init(name: "hearth_views") { $0.clients.queries.views = $1 },
        .init(name: "hearth_index_bytes") { $0.clients.queries.indexBytes = $1 },
        .init(name: "hearth_index_bytes_limit") { $0.clients.queries.indexByteLimit = $1 },
        .init(name: "hearth_slow_clients") { $0.clients.clientsBehind = $1 },
    ]
    private static let process: [StatusNumber] = [
        .init(name: "hearth_log_bytes") { $0.process?.logBytes = $1 },
        .init(name: "hearth_storage_backlog") { $0.process?.storageBacklog = $1 },
        .init(name: "hearth_storage_backlog_limit") { $0.process?.storageBacklogLimit = $1 },
        .init(name: "hearth_waiting_reply_bytes") { $0.process?.waitingReplyBytes = $1 },
        .init(name: "hearth_unread_clients_total") { $0.process?.slowClients = $1 },
        .init(name: "hearth_database_bytes") { $0.process?.databaseBytes = $1 },
        .init(name: "hearth_databases") { $0.process?.databases = $1 },
        .init(name: "hearth_databases_awake") { $0.process?.awakeDatabases = $1 },
        .init(name: "hearth_disk_free_bytes") { $0.process?.diskFreeBytes = $1 },
        .init(name: "hearth_peer_connections") { $0.process?.peerConnections = $1 },
        .init(name: "hearth_peer_connections_cut_total") { $0.process?.cutPeerConnections = $1 },
        .init(name: "process_resident_memory_bytes") { $0.process?.residentBytes = $1 },
        .init(name: "process_open_fds") { $0.process?.openFiles = $1 },
        .init(name: "process_max_fds") { $0.process?.openFilesLimit = $1 },
    ]
}
