internal import ClusterSimulator
internal import CommandLineKit

/// Which seeds a verb of `hearth sim` runs.
enum SeedOptions {
    static let seed = Option("seed", "N", "The one seed to run.")
    static let search = Option(
        "search", "WAY",
        "How schedules are searched: swarm, priorities or exhaustive; without it, as the scenario says.",
        values: .oneOf(SearchWay.allCases.map(\.rawValue)))
    static let requiredSeed = Option("seed", "N", "The seed; without it, 1.")
}

extension Invocation {
    /// The scenarios of an argument, searched as the option says.
    func scenarios(of argument: Argument) throws(CommandError) -> [ScenarioFiles.File] {
        let way = searchWay
        return try ScenarioFiles.read(words(of: argument)).map { $0.searched(way) }
    }

    /// Requires scenarios of one database, for a use that knows no others.
    func requireOneDatabase(
        _ files: [ScenarioFiles.File], for words: String
    ) throws(CommandError) {
        guard let file = files.first(where: \.scenario.hasDatabases) else { return }
        throw usageError(
            "\(words): \(file.path) is about several databases",
            fix: "use `hearth sim run \(file.words) --seed N`, which prints the course of a failure"
        )
    }

    private var searchWay: SearchWay? {
        self[SeedOptions.search].flatMap { SearchWay(rawValue: $0) }
    }

    /// The seed that the options name; without one, 1.
    func seed() throws(CommandError) -> UInt64 {
        guard let text = self[SeedOptions.requiredSeed] else { return 1 }
        guard let number = UInt64(text) else {
            throw usageError("--seed \(text): not a seed", fix: "give a number, such as 7")
        }
        return number
    }

    /// The seeds that the options name, or nil.
    func seedRange(
        seed: Option, seeds: Option
    ) throws(CommandError) -> ClosedRange<UInt64>? {
        if self[seed] != nil {
            let number = try self.seed()
            return number...number
        }
        guard let text = self[seeds] else { return nil }
        let ends = text.components(separatedBy: "..").map { UInt64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else {
            throw usageError(
                "--seeds \(text): not a range of seeds", fix: "give two numbers, such as 1..100")
        }
        return first...last
    }

    /// The time given for an option, in seconds, minutes or hours.
    func time(_ option: Option) throws(CommandError) -> Duration? {
        guard let text = self[option] else { return nil }
        return try duration(of: text, named: "--" + option.name)
    }

    /// A time such as `250ms`, `90s`, `10min` or `8h`.
    func duration(of text: String, named name: String) throws(CommandError) -> Duration {
        let units = [("min", 60_000.0), ("ms", 1), ("h", 3_600_000), ("s", 1_000)]
        for (unit, factor) in units where text.hasSuffix(unit) {
            guard let number = Double(text.dropLast(unit.utf8.count)), number > 0, number < 1e6
            else { break }
            return .milliseconds(Int64(number * factor))
        }
        throw usageError(
            "\(name) \(text): not a time", fix: "give a time such as 90s, 10min or 8h")
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        guard let range = firstRange(of: separator) else { return [self[...]] }
        return [self[..<range.lowerBound], self[range.upperBound...]]
    }
}
