import Foundation
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// Which faults a swarm draws.
@Suite struct FaultPlanTests {
    @Test func `each kind of fault is drawn, and what is drawn is read as it was written`() throws {
        let swarm = try ScenarioFiles.scenario("swarm")
        var kinds: Set<Fault.Kind> = []
        for seed in UInt64(1)...2_000 {
            let drawn = swarm.drawn(seed: seed)
            let faults = drawn.script.map(\.action)
            let read = try Scenario(parsing: drawn.text, name: swarm.name)
            #expect(read.script.map(\.action) == faults, "seed \(seed)")
            for case .fault(let fault) in faults { kinds.formUnion(fault.kinds) }
        }
        #expect(Fault.Kind.allCases.filter { !kinds.contains($0) } == [])
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

extension Fault {
    /// The kinds that a fault may have been drawn for; none for what ends one.
    fileprivate var kinds: [Kind] {
        switch self {
        case .crash: [.crash]
        case .kill: [.kill]
        case .stop: [.stop]
        case .pause: [.pause]
        case .sleep: [.sleep]
        case .wipe: [.wipe]
        case .restore: [.restore]
        case .rot: [.rot]
        case .spoil: [.spoiltLog]
        case .misdirect: [.misdirected]
        case .duplicateNode: [.duplicateNode]
        case .evict: [.evict]
        case .abandon: [.abandon]
        case .members: [.members]
        case .slowDown(_, .some): [.slowCPU]
        case .exhaustHandles: [.noHandles]
        case .partition(let groups):
            groups.contains { $0.count == 1 } ? [.partition, .isolate] : [.partition]
        case .cut: [.cut]
        case .ring: [.ring]
        case .clog: [.clog]
        case .unclog: [.swizzle]
        case .halfOpen: [.halfOpen]
        case .lose: [.topicLoss]
        case .flap: [.flap]
        case .disconnect: [.disconnect]
        case .degrade: [.degrade]
        case .step(_, let milliseconds): abs(milliseconds) > 1_000 ? [.leap] : [.step]
        case .clock(_, .frozen): [.freeze]
        case .clock(_, .strobing): [.strobe]
        case .clock(_, .swaying): [.sway]
        case .disk(_, .slow): [.slowDisk]
        case .disk(_, .unreadable): [.readErrors]
        case .disk(_, .full): [.fullDisk]
        case .disk(_, .failing): [.failingDisk]
        case .disk(_, .lying): [.lyingDisk]
        case .restart, .resume, .wake, .slowDown, .freeHandles, .backUp, .heal, .clock, .disk: []
        }
    }
}
