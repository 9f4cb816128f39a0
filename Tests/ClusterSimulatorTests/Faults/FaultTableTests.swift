import Foundation
import ReplicaCore
import Testing

@testable import ClusterSimulator

/// Properties of every kind of fault.
@Suite struct FaultTableTests {
    @Test func `each fault has one name, and so has each that is drawn`() {
        #expect(Set(FaultTable.all.map { $0.name }).count == FaultTable.all.count)
        #expect(Set(FaultTable.drawn.map(\.name)).count == FaultTable.drawn.count)
    }

    @Test(arguments: FaultTable.drawn.map(\.name))
    func `a kind of fault is drawn where it is certain, and read as it was written`(
        name: String
    ) throws {
        let scenario = try Scenario(
            parsing: "cluster replicas=4\nfaults every=1s lasts=1s \(name)=100%\nuntil 5s\n"
                + "check stays-live", name: name)
        for seed in UInt64(1)...5 {
            let drawn = scenario.drawn(seed: seed)
            #expect(!drawn.script.isEmpty)
            let read = try Scenario(parsing: drawn.text, name: name)
            #expect(read.script.count == drawn.script.count)
            for (a, b) in zip(read.script, drawn.script) {
                guard case .fault(let read) = a.action, case .fault(let drawn) = b.action else {
                    Issue.record("\(a) is no fault")
                    continue
                }
                #expect(read.equals(drawn), "\(read) and \(drawn)")
            }
        }
    }

    @Test(arguments: FaultTable.drawn.filter { !$0.excluded.isEmpty })
    func `what a kind of fault excludes is not drawn with it`(fault: DrawnFault) throws {
        let scenario = try Scenario(
            parsing: "swarm\nfaults \(fault.name)=50%\nuntil 5s\ncheck stays-live", name: "swarm")
        for seed in UInt64(1)...50 {
            let faults = scenario.drawn(seed: seed).text.split(separator: "\n")
            for name in fault.excluded {
                #expect(!faults.contains { $0.contains(" \(name) n") }, "seed \(seed)")
            }
        }
    }

    @Test func `the page names each fault, and each that is drawn`() throws {
        let page = try String(
            contentsOf: ScenarioFiles.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let lines = page.split(separator: "\n")
        for fault in FaultTable.all {
            let isNamed = lines.contains {
                $0.hasPrefix("| `at TIME ") && $0.firstRange(of: fault.name) != nil
            }
            #expect(isNamed, "\(fault.name) in the table of statements")
        }
        for fault in FaultTable.drawn {
            #expect(page.contains("`\(fault.name)`"), "\(fault.name) in the table of settings")
        }
    }
}
