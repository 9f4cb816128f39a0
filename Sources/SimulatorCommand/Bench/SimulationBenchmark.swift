internal import ClusterSimulator
internal import CommandLineKit
internal import Glibc
internal import LoadTools

/// How fast the simulator runs fixed scenarios, on one thread.
///
/// An *event* is one entry of the simulator's queue that is executed: a turn of a node or of a client, the arrival of a frame,
/// the end of a disk's work, a step of a program, a fault. Nothing counts twice, and a turn in which nothing is due is no event.
/// Time is processor time of the thread, so that other programs of the machine count as little as possible.
struct SimulationBenchmark {
    /// A scenario of the benchmark.
    struct Work: Sendable {
        var name: String
        /// How many seeds it runs, unless told otherwise.
        var seeds: UInt64
        /// As a scenario file has it.
        var text: String
    }

    /// One line of the report.
    struct Measurement {
        var work: String
        var seeds: UInt64
        var events: UInt64 = 0
        var simulatedSeconds = 0.0
        var seconds = 0.0
        /// The figures of the same runs without checks.
        var uncheckedSeconds = 0.0
        var peakMegabytes = 0.0
    }

    let work: Work

    /// Runs each seed with its checks and without them, by turns.
    func run(seeds: UInt64) throws(CommandError) -> Measurement {
        var measurement = Measurement(work: work.name, seeds: seeds)
        let scenario = try scenario
        for seed in 1...seeds {
            try StopRequest.check()
            let (report, seconds) = timed(scenario, seed)
            guard report.verdict != .invalid else { throw failure(of: seed, "fails") }
            let (unchecked, uncheckedSeconds) = timed(scenario.withoutChecks, seed)
            guard unchecked.traceHash == report.traceHash else {
                throw failure(of: seed, "runs otherwise without its checks")
            }
            measurement.events += report.events
            measurement.simulatedSeconds += report.simulatedSeconds
            measurement.seconds += seconds
            measurement.uncheckedSeconds += uncheckedSeconds
        }
        measurement.peakMegabytes = ProcessUsage(of: getpid()).peakMegabytes
        return measurement
    }

    private var scenario: Scenario {
        get throws(CommandError) {
            do throws(ScenarioError) {
                return try Scenario(parsing: work.text, name: work.name)
            } catch {
                throw CommandError(
                    .software, "\(work.name):\(error.line): \(error.problem)", fix: error.fix)
            }
        }
    }

    private func timed(_ scenario: Scenario, _ seed: UInt64) -> (SimulationReport, Double) {
        let start = SimulationBenchmark.threadSeconds
        let report = Simulation.run(scenario, seed: seed)
        return (report, SimulationBenchmark.threadSeconds - start)
    }

    /// The processor time of this thread.
    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func failure(of seed: UInt64, _ problem: String) -> CommandError {
        CommandError(
            .checkFailed, "the scenario \(work.name) \(problem) with the seed \(seed)",
            fix: "look for the cause with `hearth sim run Simulations`")
    }
}

// MARK: - Works

extension SimulationBenchmark {
    /// The works by name; the last one only runs if it is named.
    static let works = [swarm, listen, push, hour]

    /// The usual kind of run: small, with drawn faults, all programs, and every check.
    private static let swarm = Work(
        name: "swarm", seeds: 40,
        text: """
            swarm
            until     6s
            check     acknowledged-writes-survive, acknowledged-pushes, push-keys, increments-add-up
            check     replicas-equal, every-turn-equals-oracle, listeners-converge, stays-live
            check     equal-vectors-equal-trees, causal-order, restart-identity, no-resurrection
            check     updates-are-atomic, stable-is-final, stamps-ascend, write-concerns-hold
            check     read-your-writes, monotonic-reads, monotonic-writes, writes-follow-reads
            check     own-writes-show, events-are-exact, clients-keep-what-they-saw
            """)

    /// A thousand clients listen to one list, to which five records a second come.
    private static let listen = Work(
        name: "listen", seeds: 1,
        text: """
            network   delay=1ms..20ms
            clients   count=3 listeners=1000 listen=/lists/l1 pace=400ms..800ms
            workload  operations=300 push=1
            until     60s
            check     replicas-equal, acknowledged-pushes, push-keys, listeners-converge, stays-live
            """)

    /// A hundred clients push as soon as their last push is acknowledged, under loss.
    private static let push = Work(
        name: "push", seeds: 2,
        text: """
            network   delay=1ms..20ms loss=1%
            clients   count=100 listeners=2 listen=/lists/l1 pace=5ms..50ms
            workload  operations=20000 push=1
            until     20s
            check     replicas-equal, acknowledged-pushes, push-keys, listeners-converge, stays-live
            """)

    /// An hour in which a thousand clients listen to one list, to which a record comes every ten seconds.
    private static let hour = Work(
        name: "hour", seeds: 1,
        text: """
            network   delay=1ms..20ms
            clients   count=10 listeners=990 listen=/lists/l1 pace=50s..150s
            workload  operations=360 push=1
            until     1h
            check     replicas-equal, acknowledged-pushes, push-keys, listeners-converge, stays-live
            """)
}
