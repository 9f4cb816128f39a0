import Testing

@testable import SimulatorCommand

@Suite struct SeedPlanTests {
    private func items(_ plan: SeedPlan, _ count: Int) -> [SeedPlan.Item] {
        var plan = plan
        return (0..<count).compactMap { _ in plan.next() }
    }

    @Test func `the seeds of one scenario come after the other`() {
        let plan = SeedPlan([3...4, 7...7])
        #expect(plan.total == 3)
        let items = items(plan, 10)
        #expect(items.map(\.scenario) == [0, 0, 1])
        #expect(items.map(\.seed) == [3, 4, 7])
    }

    @Test func `new seeds go round the scenarios without end`() {
        let plan = SeedPlan(scenarios: 2, from: 9)
        #expect(plan.total == nil)
        #expect(items(plan, 5).map(\.seed) == [9, 9, 10, 10, 11])
        #expect(items(plan, 5).map(\.scenario) == [0, 1, 0, 1, 0])
    }

    @Test func `one run of twenty is repeated, but not one that is alone`() {
        let items = items(SeedPlan([1...45]), 45)
        #expect(items.filter(\.isRepeated).map(\.seed) == [1, 21, 41])
        #expect(self.items(SeedPlan([1...1]), 1).map(\.isRepeated) == [false])
    }

    @Test func `seeds of a list come in its order`() {
        let plan = SeedPlan(list: [9, 5, 7])
        #expect(plan.total == 3)
        #expect(items(plan, 5).map(\.seed) == [9, 5, 7])
    }

    @Test func `the largest seed is the last`() {
        let last = UInt64.max
        #expect(items(SeedPlan([last - 1...last]), 5).map(\.seed) == [last - 1, last])
    }
}
