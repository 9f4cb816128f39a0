"""A copy of the package in which bugs are switched on at run time, and the simulator that runs it.

Every process reads the number of its bug from HEARTH_SEEDED_BUG once, before `main`.
"""

import os
import resource
import subprocess

HEADER = """/// The number of the bug that this process has; 0 for none.
extern const long seededBug;
"""
SWITCH = """#include <stdlib.h>

long seededBug;

__attribute__((constructor)) static void readSwitch(void) {
    const char *number = getenv("HEARTH_SEEDED_BUG");
    if (number) seededBug = atol(number);
}
"""
PACKAGE = """
package.targets.append(.target(name: "SeededBugSwitch"))
package.targets.first { $0.name == "DataTree" }!.dependencies.append("SeededBugSwitch")
package.targets.append(
    .executableTarget(name: "SeededBugs", dependencies: ["ClusterSimulator"], swiftSettings: settings))
do {
    var needed: Set<String> = []
    var open = ["SeededBugs"] + testTargets
    while let name = open.popLast() {
        guard needed.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in package.targets.first(where: { $0.name == name })!.dependencies {
            open.append(name)
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
"""
MAIN = """import ClusterSimulator
import Foundation

// Runs a scenario, from a first seed to a last one, until a check says that something is wrong: the one that is
// named, any of the scenario ("all"), or the look at the run itself ("run"). With a last word "shrink" the scenario is
// made shorter then, for a minute.
let words = CommandLine.arguments
let file = URL(fileURLWithPath: words[1])
let name = file.deletingPathExtension().lastPathComponent
var text = try String(contentsOf: file, encoding: .utf8)
if let check = Check.named(words[2]) {
    // Guarantees need their own checks.
    text = text.replacing(/# guarantees:.*\\n/, with: "")
    text = text.replacing(/check +(?! |every |count |sum ).*\\n/, with: "") + "check \\(check.name)\\n"
}
let folder = file.deletingLastPathComponent()
let scenario = try Scenario(parsing: Array(text.utf8), name: name) { path in
    (try? Data(contentsOf: folder.appendingPathComponent(path))).map { Array($0) }
}
func end(_ seed: UInt64, _ check: String, _ details: String) -> Never {
    print(seed, check, details)
    let start = ContinuousClock.now
    let budget = Shrinking.Budget(runs: .max) { start.duration(to: .now) > .seconds(60) }
    if words.count > 5, var shrinking = Shrinking(scenario, seed: seed, budget) {
        while shrinking.step() {}
        let seconds = Int(start.duration(to: .now) / .seconds(1))
        print(shrinking.lineCount, seconds, shrinking.runs, shrinking.isConfirmed)
        print(shrinking.scenario.text, terminator: "")
    }
    exit(1)
}

for seed in UInt64(words[3])!...UInt64(words[4])! {
    let report = Simulation.run(scenario, seed: seed)
    let result = report.checks.first { $0.verdict == .invalid }
    if let result, words[2] != "run" {
        end(seed, result.check.name, result.details)
    } else if let failure = report.failure, words[2] == "run" || words[2] == "all" {
        end(seed, "run", failure)
    }
}
"""
# Address space of a process with a bug, which may ask for more and more.
MEMORY_LIMIT = 8 << 30


def sources_of(root):
    """The texts of the package's sources, by path."""
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted((root / "Sources").rglob("*")) if path.is_file()
    }


def add_switch(sources, changed, root, tests=()):
    """Completes the woven sources by the switch that the changed files read, and by the program that runs them."""
    for name in changed:
        sources[name] = f"public import SeededBugSwitch\n{sources[name]}"
    sources["Sources/SeededBugSwitch/include/SeededBugSwitch.h"] = HEADER
    sources["Sources/SeededBugSwitch/SeededBugSwitch.c"] = SWITCH
    sources["Sources/SeededBugs/main.swift"] = MAIN
    package = (root / "Package.swift").read_text()
    # A function that exists twice may have code that is never reached.
    package = package.replace(".treatAllWarnings(as: .error),", "")
    names = ", ".join(f'"{test}"' for test in tests)
    sources["Package.swift"] = f"{package}\nlet testTargets: [String] = [{names}]\n{PACKAGE}"


def write(folder, sources):
    """Brings the copy up to date; files that stay the same keep their time, for the build."""
    for part in ("Sources", "Tests"):
        for path in list((folder / part).rglob("*")):
            if path.is_file() and path.relative_to(folder).as_posix() not in sources:
                path.unlink()
    for name, text in sources.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def environment(number):
    """The environment of a process that has the bug of this number.

    A bug may make equal values differ in their hashes, and then a run rests on these.
    """
    repeatable = {"SWIFT_DETERMINISTIC_HASHING": "1"}
    quiet = {"SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"}
    return {**os.environ, **repeatable, **quiet, "HEARTH_SEEDED_BUG": str(number)}


def limit_memory():
    """To be called in the process with the bug, before its program begins."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def simulate(folder, number, scenario, check, seeds, timeout=None, shrinks=False, first=1):
    """What the simulator says of a bug, with seeds up to a last one: (seed, check, details), or None for nothing.

    The seed is None if the process crashed, or did not end in time. If it shrinks, lines about the shortest scenario
    follow the details.
    """
    command = [folder / ".build/release/SeededBugs", scenario, check, str(first), str(seeds), *["shrink"] * shrinks]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment(number), timeout=timeout, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return None, "time-out", f"no end within {timeout:.0f} s"
    if done.returncode == 1 and done.stdout:
        seed, check, details = done.stdout.strip().split(" ", 2)
        return int(seed), check, details
    if done.returncode:
        return None, "crash", f"the simulator ended with {done.returncode}: {done.stderr.strip()[:300]}"
    return None
