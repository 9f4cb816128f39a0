import ClusterSimulator
import Foundation
import Marks
import Testing

@testable import CommandLineKit
@testable import SimulatorCommand

@Suite struct RunVerdictTests {
    @Test(arguments: [
        (RunVerdict.passed, 0, "run"), (.failed(.safety), 1, "run"), (.failed(.liveness), 2, "run"),
        (.differed, 4, "replay"), (.failed(.durability), 5, "run"),
    ])
    func `each failure has its exit code, and a command that repeats it`(
        verdict: RunVerdict, status: Int, verb: String
    ) throws {
        #expect(verdict.status.rawValue == Int32(status))
        let scenario = try Scenario(parsing: "check replicas-equal", name: "it's")
        let file = ScenarioFiles.File(path: "a b/it's.scenario", scenario: scenario)
        let words = "hearth sim \(verb) 'a b/it'\\''s.scenario'"
        #expect(verdict.command(file, seed: 7) == "\(words) --seed 7")
        #expect(
            verdict.command(file.searched(.priorities), seed: 7)
                == "\(words) --search priorities --seed 7")
        #expect((verdict.failure == nil) == (verdict == .passed))
    }

    @Test(arguments: [(true, RunVerdict.passed), (false, .differed)])
    func `a run whose repetition was another one has differed`(
        isDeterministic: Bool, expected: RunVerdict
    ) throws {
        let scenario = try Scenario(
            parsing: "workload operations=5 push=1\nuntil 1s\ncheck replicas-equal", name: "short")
        let finished = SimulationRuns.Finished(
            item: SeedPlan.Item(scenario: 0, seed: 1, isRepeated: true),
            report: Simulation.run(scenario, seed: 1), isDeterministic: isDeterministic, seconds: 0)
        #expect(RunVerdict(finished) == expected)
    }

    @Test func `what is lost is worst, and what only takes too long is least`() {
        let verdicts: [RunVerdict] = [
            .passed, .failed(.liveness), .differed, .failed(.safety), .failed(.durability),
        ]
        #expect(verdicts.map(\.severity) == verdicts.map(\.severity).sorted())
        #expect(Set(verdicts.map(\.severity)).count == verdicts.count)
    }
}

@Suite struct MarkTallyTests {
    @Test func `marks are counted in runs and in times, and those that were missed are named`() {
        var tally = MarkTally()
        var marks = MarkCounts()
        tally.add(marks)
        marks[.batchWaits] = 3
        tally.add(marks)
        marks[.termIsLost] = 1
        for _ in 0..<10 { tally.add(marks) }
        #expect(tally.reached(within: 1) == 0 && tally.reached(within: 2) == 1)
        #expect(tally.missed.count == Mark.allCases.count - 2)
        #expect(tally.lines[0] == "marks: 2 of \(Mark.allCases.count) in 12 runs, 2 after 10")
        #expect(tally.lines[2] == "              916     2750    batch-waits")
        #expect(tally.lines[3].hasSuffix("  term-is-lost"))
        #expect(tally.json.contains("\"batch-waits\":{\"runs\":11,\"times\":33}"))
    }
}

/// `hearth sim`, run as a user would.
@Suite struct SimulationProcessTests {
    private static let scenarios = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Simulations").path

    private let folder: TemporaryFolder
    private let good: String
    /// The run ends too early for its nodes to come to rest.
    private let stuck: String

    init() throws {
        folder = try TemporaryFolder()
        good = Self.scenarios + "/convergence/partition-heals.scenario"
        stuck = folder.path + "/stuck.scenario"
        try folder.write(
            Array(
                """
                cluster replicas=2
                workload operations=9 push=1
                seeds 1..2
                until 2s
                quiescence 1ms
                check stays-live, replicas-equal
                """.utf8), to: "stuck.scenario")
    }

    private func sim(_ words: String...) throws -> Command.Outcome {
        try Command.run(["sim"] + words)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
    }

    @Test func `a good scenario passes with a few seeds`() throws {
        let outcome = try sim(
            "run", good, Self.scenarios + "/convergence/swarm.scenario", "--seeds", "1..3")
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("passed  partition-heals  3 seeds, ") == true)
        #expect(lines.dropFirst().first?.hasPrefix("passed  swarm  3 seeds, ") == true)
        #expect(outcome.output.contains("\n6 runs, 6 passed, 0 failed"))
        #expect(outcome.output.contains(" checks had nothing to check in their run"))
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func `every schedule of a tiny scenario is tried, and a schedule can be followed`() throws
    {
        try folder.write(
            Array(
                """
                cluster replicas=2
                clients count=2
                search way=exhaustive
                at 1s c1 set /a 1
                at 1s c2 set /a 2
                until 2s
                check replicas-equal, stays-live
                """.utf8), to: "tiny.scenario")
        let file = folder.path + "/tiny.scenario"
        let outcome = try sim("run", file)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("passed  tiny  every schedule, "))
        let json = try sim("run", file, "--json")
        #expect(json.output.hasPrefix("{\"scenario\":\"tiny\",\"search\":\"exhaustive\","))
        let course = try sim("replay", file, "--schedule", "0.0")
        #expect(course.status == 0 && course.output.contains("\nholds  tiny"))
        #expect(try sim("replay", file, "--schedule", "0.99").status == 65)
        let timed = try sim("run", file, "--search", "priorities", "--seeds", "1..2")
        #expect(timed.status == 0 && timed.output.contains(" processes, "))
        #expect(try sim("run", good, "--search", "exhaustive").status == 65)
    }

    @Test func `a check that has nothing to check with any seed is a warning, and exit code 3`()
        throws
    {
        try folder.write(
            Array(
                "seeds 1..3\nmix 1 push /a 1\nuntil 1s\ncheck push-keys, replicas-equal\n".utf8),
            to: "empty.scenario")
        let file = folder.path + "/empty.scenario"
        let outcome = try sim("run", file)
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("3 runs, 3 passed, 0 failed"))
        #expect(
            outcome.errors.contains(
                "warning: push-keys had nothing to check with any of the 3 seeds of \(file): there was "
                    + "no push; those of `mix` do not count, because other requests may overwrite them\n"
            ))
        #expect(
            outcome.output.contains("    empty: push-keys in 3 of 3 runs: there was no push; "),
            "\(outcome.output)")
        let fewer = try sim("run", file, "--seed", "2")
        #expect(fewer.status == 0 && fewer.errors.isEmpty, "one seed proves nothing")
    }

    @Test func `a cluster that does not come to rest exits with 2, and the last line repeats it`()
        throws
    {
        let outcome = try sim("run", stuck)
        #expect(outcome.status == 2)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("failed  stuck seed 1 (liveness)  ") == true)
        #expect(lines.dropFirst().first?.hasPrefix("    stays-live: ") == true)
        #expect(lines.last == "hearth sim run \(stuck) --seed 1")
        #expect(outcome.output.contains("2 runs, 0 passed, 2 failed"))
        let repeated = try sim("run", stuck, "--seed", "1")
        #expect(repeated.output.split(separator: "\n").first == lines.first)
    }

    @Test func `JSON is one object for each seed, and says how to repeat a failure`() throws {
        let outcome = try sim("run", stuck, "--json")
        #expect(outcome.status == 2)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2)
        for (line, seed) in zip(lines, 1...) {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["seed"] as? Int == seed)
            #expect(object["violates"] as? String == "liveness")
            #expect(object["reproduce"] as? String == "hearth sim run \(stuck) --seed \(seed)")
        }
    }

    @Test func `JUnit's XML has a case for each seed and a failure for each that failed`() throws {
        let file = folder.path + "/junit.xml"
        #expect(try sim("run", stuck, good, "--seeds", "1..2", "--junit", file).status == 2)
        let read = try Command.shell(
            """
            python3 - "$1" <<'END'
            import sys
            from xml.etree import ElementTree
            for suite in ElementTree.parse(sys.argv[1]).getroot():
                failures = [case.find("failure") for case in suite]
                kinds = [failure.get("type") for failure in failures if failure is not None]
                print(suite.get("name"), suite.get("tests"), suite.get("failures"), len(suite), *kinds)
            END
            """, [file])
        #expect(
            read.output == "stuck 2 2 2 liveness liveness\npartition-heals 2 0 2\n",
            "\(read.errors)")
    }

    @Test func `a trace proves that another process runs the same`() throws {
        let file = folder.path + "/run.trace"
        #expect(try sim("run", good, "--seed", "3", "--trace", file).status == 0)
        let lines = try text("run.trace").split(separator: "\n")
        #expect(lines.first?.hasPrefix("{\"event\":1,") == true)
        let same = try sim("replay", good, "--seed", "3", "--checkpoints", file)
        #expect(same.status == 0 && same.output.hasPrefix("equal  partition-heals seed 3  "))
        #expect(same.output.contains("  \(lines.count) events"))
        let other = try sim("replay", good, "--seed", "4", "--checkpoints", file)
        #expect(
            other.status == 4 && other.output.hasPrefix("differs  partition-heals seed 4  first"))
        #expect(try sim("replay", good, "--seed", "3").status == 0)
    }

    @Test func `a place is explained at a node and a time`() throws {
        let outcome = try sim("why", good, "--seed", "3", "/rooms/a/title", "@n2", "at", "3s")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("n2 at "))
        #expect(try sim("why", good, "/a", "@n9").status == 64)
        #expect(try sim("why", good, "/a", "at", "noon").status == 64)
        #expect(try sim("why", good, "a#b").status == 65)
    }

    @Test func `runs go on for a time, and end with what they found`() throws {
        let outcome = try sim("run", good, "--for", "1s", "--jobs", "1")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(" runs, "))
        #expect(outcome.errors.hasPrefix("seeds from "))
        let failing = try sim("run", stuck, "--for", "60s", "--seed", "5", "--jobs", "1")
        #expect(failing.status == 2)
        #expect(failing.output.contains("1 runs, 0 passed, 1 failed"))
        #expect(failing.output.hasSuffix("hearth sim run \(stuck) --seed 5\n"))
    }

    @Test func `an interrupted command reports what it has, and exits with 130`() throws {
        let report = try Command.shell(
            "\"$0\" \"$@\" & sleep 1; kill -TERM $!; wait $!; echo \"status $?\"",
            ["sim", "run", good, "--seeds", "1..1000000", "--jobs", "1"])
        #expect(report.output.contains("interrupted: "))
        #expect(report.output.hasSuffix("status 130\n"))
    }

    @Test func `a program that traps names the runs that it was in, and exits with 70`() throws {
        let outcome = try Command.shell(
            "\"$0\" \"$@\" & sleep 1; kill -SEGV $!; wait $!; echo \"status $?\"",
            ["sim", "run", good, "--seeds", "1..1000000", "--jobs", "1"])
        #expect(outcome.errors.hasPrefix("error: the program trapped"))
        let line = try #require(
            outcome.output.split(separator: "\n").first { $0.hasPrefix("hearth") })
        #expect(line.hasPrefix("hearth sim run \(good) --seed "))
        #expect(outcome.output.hasSuffix("status 70\n"))
    }

    @Test(arguments: [
        (["--for", "10"], "10min"), (["--trace", "x"], "--seed"), (["--seeds", "9..1"], "1..100"),
    ])
    func `what cannot be done is a usage error`(words: [String], hint: String) throws {
        let outcome = try Command.run(["sim", "run", good] + words)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }

    @Test func `a failing run is shrunk, and the short scenario fails alike`() throws {
        let outcome = try sim("run", stuck, "--shrink")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("checked twice"))
        let start = try #require(outcome.output.firstRange(of: "# Fails as stuck does"))
        let end = try #require(outcome.output.firstRange(of: "check stays-live\n"))
        let short = outcome.output[start.lowerBound..<end.upperBound]
        try folder.write(Array(short.utf8), to: "short.scenario")
        #expect(try sim("run", folder.path + "/short.scenario").status == 2)
    }

    @Test func `a new scenario passes as it is printed`() throws {
        let scenario = try sim("new")
        #expect(scenario.status == 0)
        try folder.write(Array(scenario.output.utf8), to: "mine.scenario")
        let outcome = try sim("run", folder.path + "/mine.scenario")
        #expect(outcome.status == 0 && outcome.output.contains("20 runs, 20 passed"))
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func `all checks are listed with their subjects and claims`() throws {
        let outcome = try sim("checks")
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == Check.all.count)
        for (line, check) in zip(lines, Check.all) {
            #expect(line.hasPrefix(check.name + " "), "\(line)")
            #expect(line.count <= 110 && line.contains(check.claim), "\(line)")
        }
    }

    @Test func `a folder gives its scenarios and those of its folders, by their paths`() throws {
        for path in ["b.scenario", "a/z.scenario", "a/deep/y.scenario", "a/notes.txt"] {
            try folder.write(Array("# Claim.\ncheck stays-live\n".utf8), to: path)
        }
        let outcome = try sim("list", folder.path + "/")
        let paths = outcome.output.split(separator: "\n").filter { $0.hasSuffix(".scenario") }
        let names = ["a/deep/y", "a/z", "b", "stuck"]
        #expect(paths == names.map { "\(folder.path)/\($0).scenario" }, "\(outcome.errors)")
    }

    @Test func `a loaded file is found beside its scenario, and a missing one is named`() throws {
        try folder.write(Array("{\"n\":5}".utf8), to: "start.json")
        try folder.write(
            Array("load start.json\nuntil 2s\ncheck every /n == 5\n".utf8), to: "own.scenario")
        let found = try sim("run", folder.path + "/own.scenario", "--seed", "1")
        #expect(found.status == 0, "\(found.output)\(found.errors)")
        try folder.write(
            Array("load other.json\ncheck every /n == 5\n".utf8), to: "missing.scenario")
        let missing = try sim("run", folder.path + "/missing.scenario")
        #expect(
            missing.errors.contains("missing.scenario:1:6: cannot read the file \"other.json\""))
    }

    @Test func `a selftest of what is no scenario ends before anything is built`() throws {
        let outcome = try sim("selftest", folder.path + "/nothing.scenario")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("there is no scenario at \(folder.path)/nothing.scenario"))
    }

    @Test func `the same scenario runs against real nodes, with both verdicts side by side`()
        throws
    {
        try folder.write(Array("{\"accounts\":{\"a\":50,\"b\":50}}".utf8), to: "start.json")
        try folder.write(
            Array(
                """
                cluster replicas=3
                network delay=1ms..5ms loss=1%
                load start.json
                workload operations=30
                mix 1 increment /visits/(1..2) (1..3)
                mix 1 get /accounts
                at 1s kill n1
                at 2s restart n1
                at 3s partition n3 | n1 n2
                at 3500ms c2 set /told true
                at 4500ms n3 reads /told expect null
                at 4500ms n1 reads /told expect true
                at 5s heal
                at 6500ms n3 reads /told expect true
                until 7s
                check replicas-equal, stays-live, memory-is-freed
                check sum /accounts/$id == 100
                """.utf8), to: "real.scenario")
        let outcome = try sim("run", folder.path + "/real.scenario", "--real", "--seed", "1")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        for line in [
            "replicas-equal     valid, valid", "stays-live         valid, valid",
            "memory-is-freed    valid, not judged", "invariants-hold    valid, valid",
            "expectations-hold  valid, valid",
            "    only simulated: network loss\n",
        ] {
            #expect(outcome.output.contains(line), "\(outcome.output)")
        }
    }

    @Test func `a real run in which nobody writes ends at once`() throws {
        try folder.write(
            Array(
                "workload operations=0\nuntil 500ms\ncheck stays-live\n".utf8),
            to: "idle.scenario")
        let start = ContinuousClock.now
        let outcome = try sim("run", folder.path + "/idle.scenario", "--real", "--seed", "1")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(start.duration(to: .now) < .seconds(40))
    }
}
