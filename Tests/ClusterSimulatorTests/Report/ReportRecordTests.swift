import DataTree
import JSONText
import Testing

@testable import ClusterSimulator

/// The record of a run in its report.
@Suite struct ReportRecordTests {
    private static let text = """
        cluster replicas=3 clients=2
        network delay=5ms
        workload operations=20 set=5 push=3
        at 1s partition n1 | n2 n3
        at 1100ms c1 set /rooms/a "alone"
        at 2s heal
        at 3s n1 reads /rooms/a expect 5
        until 4s
        check replicas-equal, expectations-hold
        """

    private struct Recorded {
        let record: Value
        let run: SimulatedRun

        init() throws {
            let scenario = try Scenario(parsing: ReportRecordTests.text, name: "recorded")
            let report = Simulation.run(scenario, seed: 3)
            let lines = ReportRecordTests.text.split(separator: "\n").map(String.init)
            let json = ReportRecord(
                of: scenario, seed: 3, report, repeatedBy: "hearth sim run x --seed 3",
                source: .init(path: "x.scenario", lines: lines)
            ).json
            record = try JSONReader().parse(json)
            var run = SimulatedRun(scenario.drawn(seed: 3), seed: 3)
            run.run()
            self.run = run
        }

        func list(_ names: String...) -> [Value] {
            names.reduce(record) { $0[Key(unchecked: $1)] }.children.map(\.value)
        }
    }

    @Test func `a record tells in two sentences what failed and when it first showed`() throws {
        let recorded = try Recorded()
        let sentences = recorded.list("sentences").map(\.description)
        #expect(sentences.count == 2)
        #expect(sentences[0].contains("The check expectations-hold fails: "))
        #expect(
            sentences[1].contains("It first shows at 3.") || sentences[1].contains("Every node"))
        let scenario = recorded.record[Key(unchecked: "scenario")]
        let failed = scenario[Key(unchecked: "failed")].children.map(\.value)
        #expect(failed.isEmpty == false)
        #expect(recorded.record[Key(unchecked: "kind")].description.contains("safety"))
    }

    @Test func `changes of trees add up to what nodes show in the end`() throws {
        let recorded = try Recorded()
        for node in 0..<3 {
            var tree = Value.null
            for entry in recorded.list("trees") where entry.number(1) == node {
                for change in entry.element(2).children.map(\.value) {
                    guard case .string(let path) = change.element(0) else { continue }
                    tree.set(change.element(1), at: try Path(path))
                }
            }
            var run = recorded.run
            #expect(tree == run.nodes[node].shown(), "n\(node + 1)")
        }
        #expect(recorded.list("differences").isEmpty)
    }

    @Test func `messages arrive after they were sent, and are lost in a partition`() throws {
        let recorded = try Recorded()
        let times = recorded.list("events", "time").map { $0.number?.asDouble ?? -1 }
        let sums = times.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1) }.dropFirst()
        let events = Array(sums)
        var lost = 0
        for message in recorded.list("messages") {
            let (sent, received) = (message.number(0), message.number(4))
            if received >= 0 {
                #expect(received > sent && received < events.count)
                continue
            }
            guard received == -1 else { continue }
            lost += 1
            // After the partition, nodes first learn of each other again.
            #expect((0.9e6...2.8e6).contains(events[sent]))
            // One of both ends is n1.
            #expect((message.number(1) == 0) != (message.number(2) == 0))
        }
        #expect(lost > 0)
        let links = recorded.list("links")
        #expect(links.count == 8)
        #expect(links.prefix(4).allSatisfy { $0.number(3) == 0 })
    }

    @Test func `operations come in the order of stamps with their arrivals`() throws {
        let recorded = try Recorded()
        let operations = recorded.list("operations")
        #expect(operations.count >= 20)
        #expect(operations.map { $0.number(3) } == operations.map { $0.number(3) }.sorted())
        let alone = try #require(
            operations.first { "\($0.element(4))".contains("alone") })
        let arrivals = (0..<3).compactMap { node in
            recorded.list("held").first {
                $0.number(1) == node && $0.number(2) == alone.number(0)
                    && $0.number(3) >= alone.number(1)
            }?.number(0)
        }
        #expect(arrivals.count == 3)
        #expect(Set(arrivals).count > 1, "the partition lets nodes have it at different times")
    }

    @Test func `lines of the scenario lead to the events in which they were executed`() throws {
        let recorded = try Recorded()
        let scenario = recorded.record[Key(unchecked: "scenario")]
        let lines = scenario[Key(unchecked: "lines")].children.map { "\($0.value)" }
        let pairs = scenario[Key(unchecked: "events")].children.map(\.value)
        #expect(pairs.count == 4)
        #expect(lines[pairs[0].number(0)].contains("partition n1 | n2 n3"))
    }

    @Test func `a scenario without faults stays the same otherwise`() throws {
        let scenario = try Scenario(parsing: Self.text, name: "recorded")
        let calm = try #require(scenario.withoutFaults(seed: 3))
        #expect(!calm.text.contains("partition") && calm.text.contains("c1 set /rooms/a"))
        #expect(calm.withoutFaults(seed: 3) == nil)
    }
}

extension Value {
    /// An element of a list.
    fileprivate func element(_ index: Int) -> Value { self[Key(index: index)] }

    /// A number in a list.
    fileprivate func number(_ index: Int) -> Int { Int(element(index).number?.asDouble ?? -99) }
}
