internal import ClusterSimulator
internal import CommandLineKit

/// The scenarios of a command of which every schedule is tried, one after the other.
struct ExhaustiveRuns {
    /// A search that is over.
    struct Finished {
        var file: ScenarioFiles.File
        var search: ExhaustiveSearch
        var seconds: Double

        var verdict: RunVerdict { search.failure.map { .failed($0.kind) } ?? .passed }

        /// The command that takes the schedule again that failed.
        var command: String? {
            search.failure.map { failure in
                let schedule = failure.schedule.map(String.init).joined(separator: ".")
                return "hearth sim replay \(file.words) --schedule \(schedule)"
            }
        }
    }

    let asJSON: Bool
    private(set) var finished: [Finished] = []

    init(asJSON: Bool) { self.asJSON = asJSON }

    /// The worst that came out.
    var verdict: RunVerdict { finished.map(\.verdict).max { $0.severity < $1.severity } ?? .passed }

    /// The exit status of the command if nothing else fails.
    var status: ExitStatus {
        if verdict != .passed { return verdict.status }
        return finished.allSatisfy(\.search.isComplete) ? .success : .coverageMissed
    }

    /// Searches one scenario, and prints what comes out.
    mutating func run(_ file: ScenarioFiles.File) throws(CommandError) {
        let start = ContinuousClock.now
        var search = try file.exhaustiveSearch()
        search.run { StopRequest.isThere }
        let done = Finished(
            file: file, search: search, seconds: start.duration(to: .now) / .seconds(1))
        finished.append(done)
        for line in asJSON ? [ExhaustiveText.json(done)] : ExhaustiveText.lines(done) {
            StandardOutput.shared.print(line)
        }
        StandardOutput.shared.flush()
    }
}

extension ScenarioFiles.File {
    /// The search through all schedules of the scenario.
    func exhaustiveSearch() throws(CommandError) -> ExhaustiveSearch {
        do throws(SearchError) {
            return try ExhaustiveSearch(scenario)
        } catch {
            throw CommandError(.badData, "\(path): \(error.problem)", fix: error.fix)
        }
    }
}
