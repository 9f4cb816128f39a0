internal import CommandLineKit
internal import LoadTools

extension Verb {
    private static let work = Option(
        "work", "NAME",
        "Only this work: swarm, listen, push or hour; without it, all but hour.")
    private static let seeds = Option(
        "seeds", "NUMBER", "How many seeds each work runs; 40 of swarm, 2 of push, 1 of others.")

    private static let columns = HelpTable(
        "columns",
        [
            (
                "events",
                "Entries of the simulator's queue that were executed: turns of nodes and clients, frames that arrive, work of "
                    + "disks, steps of programs, faults. A turn in which nothing is due is none."
            ),
            ("simulated/s", "Simulated seconds in a second."),
            ("checks", "The share of the time that recording, comparing and judging take."),
            ("peak MB", "The most memory that the process has ever held, of earlier works too."),
        ])

    static let benchSimulation = Verb(
        "sim",
        "Runs fixed scenarios of the simulator on one thread, by whose processor time all rates are.",
        options: [work, seeds] + BenchReport.options, tables: [columns],
        examples: [
            "hearth bench sim", "hearth bench sim --work swarm --seeds 200 --json",
            "hearth bench sim --work hour",
        ]
    ) { (invocation) throws(CommandError) in
        let seeds = try invocation.integer(seeds, in: 1...1_000_000)
        var report = BenchReport(invocation)
        let works = try works(invocation)
        report.begin("one thread; rates by its processor time")
        StopRequest.watch()
        for work in works {
            let count = seeds.map(UInt64.init) ?? work.seeds
            report.show(try SimulationBenchmark(work: work).run(seeds: count).fields)
        }
        return try report.end()
    }

    private static func works(
        _ invocation: Invocation
    ) throws(CommandError) -> [SimulationBenchmark.Work] {
        let all = SimulationBenchmark.works
        guard let name = invocation[work] else { return all.dropLast() }
        guard let named = all.first(where: { $0.name == name }) else {
            throw invocation.usageError(
                "--work \(name): there is no such work",
                fix: "name one of \(all.map(\.name).joined(separator: ", "))")
        }
        return [named]
    }
}

extension SimulationBenchmark.Measurement {
    fileprivate var fields: [BenchReport.Field] {
        [
            .name("work", "work", work), .whole("seeds", "seeds", Double(seeds)),
            .whole("events", "events", Double(events)),
            .whole("events/s", "eventsPerSecond", Double(events) / seconds),
            .fraction("seeds/s", "seedsPerSecond", Double(seeds) / seconds),
            .whole("simulated/s", "simulatedSecondsPerSecond", simulatedSeconds / seconds),
            .fraction("seconds", "seconds", seconds),
            .fraction("checks", "checksShare", max(0, 1 - uncheckedSeconds / seconds)),
            .whole("peak MB", "peakMegabytes", peakMegabytes),
        ]
    }
}
