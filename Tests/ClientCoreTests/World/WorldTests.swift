import Foundation
import Testing

struct WorldTests {
    @Test func `whatever happens to connections, all see the truth, and nothing counts twice`() {
        let count = ProcessInfo.processInfo.environment["HEARTH_CLIENT_SEEDS"].flatMap(UInt64.init)
        for seed in 1...(count ?? 200) {
            do {
                var world = ClientWorld(seed: seed)
                try world.run(steps: 300)
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test(arguments: ClientWorld.Defect.allCases)
    func `a planted mistake is found`(defect: ClientWorld.Defect) {
        let finding = (1...100).first { (seed: UInt64) in
            var world = ClientWorld(seed: seed, defect: defect)
            do {
                try world.run(steps: 300)
                return false
            } catch {
                return true
            }
        }
        #expect(finding != nil)
    }
}
