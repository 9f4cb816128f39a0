internal import ClusterSimulator
internal import CommandLineKit

/// The table of `hearth sim selftest`: a line for each planted mistake, as it is found.
enum SelfTestOutput {
    static func run(on scenarios: [Scenario], limit: UInt64) -> ExitStatus {
        var missed = 0
        show("mistake", "found by", "in", "seeds")
        for row in SelfTest.rows {
            guard let scenario = scenarios.first(where: { $0.name == row.scenario }) else {
                missed += 1
                show(row.defect.name, row.check.rawValue, row.scenario, "no such scenario")
                continue
            }
            let result = SelfTest.run(row, in: scenario, limit: limit)
            if result.seeds == nil { missed += 1 }
            let seeds = result.seeds.map(String.init) ?? "not found with \(limit)"
            show(row.defect.name, row.check.rawValue, row.scenario, seeds)
        }
        StandardOutput.shared.print("\(SelfTest.rows.count) mistakes, \(missed) not found")
        return missed == 0 ? .success : .checkFailed
    }

    private static func show(_ cells: String...) {
        let line = zip(cells, [30, 30, 28, 0]).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.utf8.count))
        }
        StandardOutput.shared.print(line.joined())
        StandardOutput.shared.flush()
    }
}
