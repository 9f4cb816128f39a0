import ReplicaCore
import Testing

@testable import ClusterSimulator

/// Priorities decide which process takes its next step.
@Suite struct PriorityOrderTests {
    /// Two clients with so many events each, all of one time.
    private func order(depth: Int, steps: Int, seed: UInt64) -> PriorityOrder {
        var order = PriorityOrder(
            depth: depth, window: .seconds(1), steps: 2 * steps, seed: seed)
        for _ in 0..<steps {
            for client in 0..<2 { order.schedule(.clientActs(client), at: 5) }
        }
        return order
    }

    private func clients(_ order: PriorityOrder) -> [Int] {
        var order = order
        var clients: [Int] = []
        while let (_, event) = order.next() {
            if case .clientActs(let client) = event { clients.append(client) }
        }
        return clients
    }

    private func turns(of clients: [Int]) -> Int {
        zip(clients, clients.dropFirst()).count { $0 != $1 } + 1
    }

    @Test func `without a change one process takes all its steps before the other`() {
        let firsts = (1...20).map { clients(order(depth: 1, steps: 5, seed: $0)) }
        for clients in firsts { #expect(clients.count == 10 && turns(of: clients) == 2) }
        #expect(Set(firsts.map { $0[0] }) == [0, 1])
    }

    @Test func `at each change the process about to go falls below the other`() {
        let counts = (1...100).map { turns(of: clients(order(depth: 2, steps: 5, seed: $0))) }
        #expect(Set(counts) == [2, 3])
        #expect(
            clients(order(depth: 3, steps: 5, seed: 4))
                == clients(order(depth: 3, steps: 5, seed: 4)))
    }

    @Test func `an order of two steps is found as often as the bound says`() {
        let (steps, seeds) = (10, 2_000)
        // The first step of the one comes between two neighbours of the other.
        let found = (1...UInt64(seeds)).count { seed in
            let clients = clients(order(depth: 2, steps: steps, seed: seed))
            return clients.firstIndex(of: 1) == 4
        }
        // 1 / (n · k) of the runs at least, for two processes and twenty steps.
        #expect(2 * found >= seeds / (2 * 2 * steps))
    }

    @Test func `no event waits longer than the window, and times ascend`() {
        var order = PriorityOrder(depth: 1, window: 100, steps: 100, seed: 1)
        for client in 0..<6 { order.schedule(.clientActs(client), at: 0) }
        // The process with the highest priority never ends.
        var (last, count): (Microseconds, Int) = (0, 0)
        var waiting = Set(0..<6)
        while let (time, event) = order.next(), count < 5_000 {
            #expect(time >= last)
            guard case .clientActs(let client) = event else { continue }
            if waiting.remove(client) != nil { #expect(time <= 100 * 2) }
            order.schedule(.clientActs(client), at: time + 1)
            (last, count) = (time, count + 1)
        }
        #expect(waiting.isEmpty && order.processCount == 6)
    }

    @Test func `once faults end, time decides alone`() {
        var order = PriorityOrder(depth: 1, window: .seconds(1), steps: 10, seed: 3)
        order.schedule(.quiescence, at: 0)
        while let (_, event) = order.next() {
            if case .quiescence = event { break }
        }
        for client in 0..<9 { order.schedule(.clientActs(client), at: Microseconds(9 - client)) }
        #expect(clients(order) == [8, 7, 6, 5, 4, 3, 2, 1, 0])
        #expect(order.stepCount == 1)
    }

    @Test(arguments: ["partition-heals", "crash-and-restart", "firebase-clients-follow"])
    func `a scenario holds where priorities decide, and a seed repeats its run`(name: String) throws
    {
        let plain = try ScenarioFiles.scenario(name)
        let scenario = plain.searched(.priorities)
        for seed in UInt64(1)...3 {
            let report = Simulation.run(scenario, seed: seed)
            #expect(report.failureKind == nil, "seed \(seed): \(report.checks.map(\.details))")
            #expect(report.statistics.processes > 5 && report.statistics.steps > 100)
            #expect(report.traceHash != Simulation.run(plain, seed: seed).traceHash)
            #expect(
                Replay.twice(scenario, seed: seed)
                    == .equal(events: Int(report.events), hash: report.traceHash))
        }
    }
}
