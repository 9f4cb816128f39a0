import DataTree
import ReplicaCore
import SyncProtocol
import Testing

@testable import ClusterSimulator

/// The investigation finds the first wrong event of a failing run.
@Suite struct InvestigationTests {
    private func run(_ extra: String = "") throws -> SimulatedRun {
        let scenario = try Scenario(
            parsing: """
                clients count=2 listeners=1
                workload operations=60 set=1
                \(extra)
                until 2s
                check replicas-equal
                """, name: "watched")
        return SimulatedRun(scenario.drawn(seed: 1), seed: 1)
    }

    @Test func `a run in which all agree has no such moment`() throws {
        var run = try run()
        DivergenceWatch.prepare(&run)
        var watch = DivergenceWatch()
        run.begin()
        while let event = run.step() { watch.observe(event, in: run) }
        #expect(watch.finish(run).isEmpty)
    }

    @Test func `the first event after which a node does not show what it holds is named`() throws {
        var run = try run()
        DivergenceWatch.prepare(&run)
        var watch = DivergenceWatch()
        run.record.performed = []
        run.begin()
        var isSpoilt = false
        var wrong: UInt64?
        while let event = run.step() {
            let stores = run.record.performed?.contains { $0.node == 1 && $0.output.storesBatches }
            if isSpoilt, wrong == nil, stores == true { wrong = run.record.statistics.events }
            watch.observe(event, in: run)
            if !isSpoilt, run.now > .milliseconds(600) {
                // From here on the comparison leaves out what the node held before.
                var executions = try #require(run.watches.first(of: ExecutionWatch.self))
                executions.oracles[1].restart(on: [], showing: .null)
                run.watches.set(executions)
                isSpoilt = true
            }
        }
        let found = watch.finish(run)
        #expect(found.map(\.event) == [try #require(wrong)])
        #expect(found.first?.nodes == [1])
        #expect(found.first?.cause.contains("n2  turn") == true)
        #expect(found.first?.problem.contains("n2 at 0.6") == true)
        #expect(found.first?.problem.contains("than its 1 operations give, at /") == true)
    }

    @Test func `two replicas differ if they hold the same operations and show something else`()
        throws
    {
        let writer = WriterID(bits: 7)
        func view(_ sequence: UInt64, _ text: String) -> Recording.ReplicaView {
            var vector = VersionVector()
            vector[writer] = sequence
            return .init(writer: writer, vector: vector, value: .string(text))
        }
        #expect(DivergenceWatch.difference(view(3, "one"), view(3, "one")) == nil)
        #expect(DivergenceWatch.difference(view(3, "one"), view(4, "two")) == nil)
        let difference = try #require(DivergenceWatch.difference(view(3, "one"), view(3, "two")))
        #expect("\(difference)".contains("one") && "\(difference)".contains("two"))
    }

    @Test func `the moment counts from which a listener never again was what its node shows`()
        throws
    {
        var run = try run()
        var watch = DivergenceWatch()
        run.begin()
        var parted: UInt64?
        while let event = run.step() {
            // Another value at first, which the next change repairs, and one at the end, which nothing does.
            var client = try #require(run.clients[2] as? SDKClient)
            if event.clients(in: run).contains(2), client.listening?.shown != nil {
                if run.now > .milliseconds(2_500), parted == nil {
                    client.listening?.show(.string("wrong"))
                    parted = run.record.statistics.events
                } else if run.now < .milliseconds(300) {
                    client.listening?.show(.string("late"))
                }
                run.clients[2] = client
            }
            watch.observe(event, in: run)
        }
        let found = watch.finish(run)
        #expect(found.map(\.event) == [try #require(parted)])
        #expect(found.first?.clients == [2])
        #expect(found.first?.problem.contains("c3, which listens at /data of n") == true)
    }

    @Test func `faults and frames come before the moment, with names`() throws {
        var run = try run("at 500ms pause n3\nat 700ms resume n3")
        var recent = RecentEvents()
        run.record.performed = []
        run.begin()
        while run.now < .milliseconds(900), let event = run.step() { recent.add(event, in: run) }
        let lines = recent.lines(nodes: [1], clients: [])
        #expect(lines.count == 10)
        #expect(lines.contains { $0.hasSuffix("fault  pause n3") })
        #expect(lines.filter { !$0.contains("fault") }.allSatisfy { $0.contains("n2") })
        #expect(lines == lines.sorted())
    }
}

extension Output {
    fileprivate var storesBatches: Bool {
        if case .store(let turn) = self { !turn.batches.isEmpty } else { false }
    }
}
