import Foundation
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// Which faults a swarm draws.
@Suite struct FaultPlanTests {
    @Test func `a swarm draws each kind of fault`() throws {
        let swarm = try ScenarioFiles.scenario("swarm")
        var names: Set<String> = []
        for seed in UInt64(1)...200 {
            for scripted in swarm.drawn(seed: seed).script {
                guard case .fault(let fault) = scripted.action else { continue }
                names.insert(type(of: fault).name)
            }
        }
        // Clients go without a word by a script alone.
        names.formUnion(["vanish", "suspend"])
        #expect(FaultTable.all.map { $0.name }.filter { !names.contains($0) } == [])
    }

    @Test func `links that are swizzled clog and open again, each once, before the heal`() throws {
        let scenario = try Scenario(
            parsing: """
                cluster replicas=4
                faults every=2s lasts=1s swizzle=100%
                until 3500ms
                check stays-live
                """, name: "swizzle")
        var orders: Set<[String]> = []
        for seed in UInt64(1)...20 {
            let script = scenario.drawn(seed: seed).script
            var clogged: [String] = []
            var opened: [String] = []
            for scripted in script {
                guard case .fault(let fault) = scripted.action else { continue }
                let text = fault.text(in: scenario)
                if text.hasPrefix("clog") { clogged.append(text) }
                if text.hasPrefix("unclog") { opened.append(String(text.dropFirst(2))) }
            }
            #expect(Set(clogged).count == clogged.count && clogged.count >= 6)
            #expect(clogged.sorted() == opened.sorted() && clogged != opened)
            #expect(script.map(\.times.longest).max() == 3_000_000)
            orders.insert(clogged)
        }
        #expect(orders.count > 10)
    }
}
