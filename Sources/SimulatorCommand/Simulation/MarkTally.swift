internal import ClusterSimulator
internal import JSONText
internal import Marks

/// The rare paths that runs have reached.
struct MarkTally {
    private(set) var runs = 0
    /// By mark: in how many runs it was reached, how often in all of them, and in which run first.
    private var runsReaching = [Int](repeating: 0, count: Mark.allCases.count)
    private var times = [UInt64](repeating: 0, count: Mark.allCases.count)
    private var firstRuns = [Int?](repeating: nil, count: Mark.allCases.count)

    /// Counts a run.
    mutating func add(_ marks: MarkCounts) {
        runs += 1
        for mark in marks.reached {
            runsReaching[mark.rawValue] += 1
            times[mark.rawValue] += UInt64(marks[mark])
            firstRuns[mark.rawValue] = firstRuns[mark.rawValue] ?? runs
        }
    }

    /// The marks that no run has reached.
    var missed: [Mark] { Mark.allCases.filter { runsReaching[$0.rawValue] == 0 } }

    /// How many marks the first runs have reached.
    func reached(within runs: Int) -> Int { firstRuns.count { $0.map { $0 <= runs } ?? false } }

    /// A line for each mark that was reached, the most frequent first, and one for those that were not.
    var lines: [String] {
        let all = Mark.allCases.count
        let steps = [10, 30, 100, 300, 1_000, 3_000, 10_000].filter { $0 < runs }
        let growth = steps.map { "\(reached(within: $0)) after \($0)" }
        let shown = Mark.allCases.filter { runsReaching[$0.rawValue] > 0 }
            .sorted {
                (runsReaching[$1.rawValue], $0.rawValue) < (runsReaching[$0.rawValue], $1.rawValue)
            }
        var lines = [
            (["marks: \(shown.count) of \(all) in \(runs) runs"] + growth).joined(separator: ", ")
        ]
        if !shown.isEmpty { lines.append("    of 1,000 runs    times") }
        lines += shown.map { mark in
            let share = perThousand(UInt64(runsReaching[mark.rawValue]))
            let count = perThousand(times[mark.rawValue])
            return "    " + "\(share)".padded(to: 13) + "\(count)".padded(to: 9) + "    "
                + mark.name
        }
        if !missed.isEmpty {
            lines.append("    never reached: " + missed.map(\.name).joined(separator: ", "))
        }
        return lines
    }

    /// The same as one JSON object.
    var json: String {
        let members = Mark.allCases.map { mark in
            "\(JSONWriter.text(of: .string(mark.name))):{\"runs\":\(runsReaching[mark.rawValue]),"
                + "\"times\":\(times[mark.rawValue])}"
        }
        return "{\"runs\":\(runs),\"marks\":{\(members.joined(separator: ","))}}"
    }

    private func perThousand(_ count: UInt64) -> UInt64 { count * 1_000 / UInt64(max(1, runs)) }
}

extension String {
    /// The text with spaces before it, up to a width.
    fileprivate func padded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - utf8.count)) + self
    }
}
