import DataTree
import ReplicaCore
import Store
import SyncProtocol
import Testing

/// The last rules that have arrived at a node.
@Suite struct `The history of rules` {
    private static func document(_ number: Int, bytes: Int = 0) -> String {
        "{\"rules\": {\"a\(number)\": {}}}" + String(repeating: " ", count: bytes)
    }

    private func history(at name: String, of cluster: inout TestCluster) throws
        -> RulesHistoryReport
    {
        _ = cluster.takeReplies()
        cluster.send(.rulesHistory(id: 7), to: name)
        guard case .value(7, let value)? = cluster.takeReplies().first else {
            Issue.record("no history")
            return RulesHistoryReport()
        }
        let report = try RulesHistoryReport(value)
        #expect(report.value == value && report.node == name)
        return report
    }

    @Test func `has the rules of all nodes, the newest first, at every node`() throws {
        var cluster = TestCluster(2)
        cluster.quiesce()
        #expect(try history(at: "n1", of: &cluster).records == [])
        let texts = (0..<3).map { Self.document($0) }
        for (number, text) in texts.enumerated() {
            cluster.send(.setRules(id: 1, source: text), to: number == 1 ? "n2" : "n1")
            cluster.quiesce()
        }
        let digests = texts.map { RulesRecord.digest(of: $0) }
        for name in cluster.names {
            let records = try history(at: name, of: &cluster).records
            #expect(records.map(\.source) == texts.reversed(), "\(name)")
            #expect(records.map(\.digest) == digests.reversed(), "\(name)")
            #expect(records.map(\.previous) == [digests[1], digests[0], ""], "\(name)")
            #expect(records.map(\.node) == ["n1", "n2", "n1"], "\(name)")
            #expect(records.map(\.isCurrent) == [true, false, false], "\(name)")
            let times = records.map(\.acceptedMilliseconds)
            #expect(times == times.sorted(by: >) && Set(times).count == 3, "\(name)")
        }
    }

    @Test func `has the rules that lost, wherever they arrive late`() throws {
        var cluster = TestCluster(2)
        cluster.quiesce()
        cluster.cuts = [["n1", "n2"], ["n2", "n1"]]
        cluster.send(.setRules(id: 1, source: Self.document(1)), to: "n1")
        cluster.quiesce()
        cluster.send(.setRules(id: 1, source: Self.document(2)), to: "n2")
        cluster.cuts = []
        cluster.quiesce()
        for name in cluster.names {
            let records = try history(at: name, of: &cluster).records
            #expect(records.map(\.source) == [Self.document(2), Self.document(1)], "\(name)")
            #expect(records.map(\.isCurrent) == [true, false], "\(name)")
        }
    }

    @Test(arguments: [1, 16 << 20])
    func `survives a restart`(checkpointBytes: Int) throws {
        var cluster = TestCluster(2)
        cluster.checkpointBytes = checkpointBytes
        for name in cluster.names {
            cluster.stop(name)
            cluster.start(name)
        }
        for number in 0..<3 {
            cluster.send(.setRules(id: 1, source: Self.document(number)), to: "n1")
            cluster.quiesce(milliseconds: 20_000)
        }
        for name in cluster.names {
            let before = try history(at: name, of: &cluster)
            #expect(before.records.count == 3)
            cluster.stop(name)
            cluster.start(name)
            cluster.quiesce()
            #expect(try history(at: name, of: &cluster) == before, "\(name)")
        }
    }

    @Test func `of a node that gets a checkpoint begins with the rules that counted then`() throws {
        var cluster = TestCluster(3)
        cluster.checkpointBytes = 500
        for name in cluster.names {
            cluster.crash(name)
            cluster.start(name)
        }
        cluster.quiesce()
        for number in 0..<2 {
            cluster.send(.setRules(id: 1, source: Self.document(number)), to: "n1")
            cluster.quiesce()
        }
        for number in 0..<150 {
            cluster.send(.push(id: UInt64(number + 1), path: "list", value: 1), to: "n1")
        }
        cluster.quiesce()
        cluster.wipe("n3")
        cluster.start("n3")
        cluster.quiesce()
        #expect(cluster["n3"].counters.installed == 1)
        for _ in 0..<2 {
            let records = try history(at: "n3", of: &cluster).records
            #expect(records.map(\.source) == [Self.document(1)])
            #expect(records.map(\.node) == ["n1"])
            #expect(records.map(\.isCurrent) == [true])
            cluster.crash("n3")
            cluster.start("n3")
            cluster.quiesce()
        }
        #expect(try history(at: "n2", of: &cluster).records.count == 2)
    }

    @Test func `has fifty records`() throws {
        var node = RuledReplica(nil)
        for number in 0..<53 { _ = node.ask(.setRules(id: 1, source: Self.document(number))) }
        guard case .value(1, let value)? = node.ask(.rulesHistory(id: 1)).first else {
            Issue.record("no history")
            return
        }
        let records = try RulesHistoryReport(value).records
        #expect(records.map(\.source) == (3..<53).reversed().map { Self.document($0) })
    }

    @Test func `has four megabytes of documents`() throws {
        var node = RuledReplica(nil)
        for number in 0..<6 {
            _ = node.ask(.setRules(id: 1, source: Self.document(number, bytes: 1_000_000)))
        }
        guard case .value(1, let value)? = node.ask(.rulesHistory(id: 1)).first else {
            Issue.record("no history")
            return
        }
        #expect(try RulesHistoryReport(value).records.count == 4)
    }

    @Test func `has nothing of rules that were only compiled, or refused`() throws {
        var node = RuledReplica(nil)
        _ = node.ask(.setRules(id: 1, source: Self.document(1), isCheck: true))
        _ = node.ask(.setRules(id: 1, source: "{"))
        guard case .value(1, let value)? = node.ask(.rulesHistory(id: 1)).first else {
            Issue.record("no history")
            return
        }
        #expect(try RulesHistoryReport(value).records == [])
        #expect(node.permits(.rulesHistory(id: 1)) == false)
    }
}
