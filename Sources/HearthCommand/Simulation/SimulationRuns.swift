internal import ClusterSimulator
internal import Dispatch
internal import Synchronization

/// Runs of scenarios, several at a time, whose reports come in the order of the runs.
struct SimulationRuns {
    let jobs: Int

    /// Hands over the reports in the order of the seeds.
    func forEach(
        _ file: ScenarioFiles.File, seeds: ClosedRange<UInt64>, _ body: (SimulationReport) -> Void
    ) {
        var first = seeds.lowerBound
        while true {
            // Runs take unequal times: a few for each job keep all of them busy.
            let last = first + min(seeds.upperBound - first, UInt64(jobs) * 16)
            for report in reports(of: file.scenario, Array(first...last)) { body(report) }
            if last == seeds.upperBound { return }
            first = last + 1
        }
    }

    private func reports(of scenario: Scenario, _ seeds: [UInt64]) -> [SimulationReport] {
        let reports = Mutex([SimulationReport?](repeating: nil, count: seeds.count))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(jobs, seeds.count)) { _ in
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < seeds.count {
                let report = Simulation.run(scenario, seed: seeds[index])
                reports.withLock { $0[index] = report }
            }
        }
        return reports.withLock { $0.compactMap(\.self) }
    }
}
