"""Runs mutants against the tests of the cores, and against the simulator."""

import re
import signal
import subprocess
import threading
import time
from typing import NamedTuple

import scenarios
from woven_copy import environment, limit_memory, simulate

# The cores with tests of their own, the quickest first, and what each is built on.
TESTED = {
    "Store": ("DataTree", "SyncProtocol", "Convergence"),
    "DataTree": (),
    "Tokens": ("Rules",),
    "Rules": ("DataTree",),
    "SyncProtocol": ("DataTree", "QueryEngine"),
    "ClientCore": ("DataTree", "SyncProtocol", "QueryEngine", "ReplicaCore", "Convergence", "Store"),
    "GatewayCore": ("DataTree", "QueryEngine", "SyncProtocol", "ReplicaCore", "Convergence", "Store", "Rules", "Tokens"),
    "ReplicaCore": ("DataTree", "SyncProtocol", "QueryEngine", "Convergence", "Store", "Rules"),
    "QueryEngine": ("DataTree",),
}
# The convergent tree is tested beside the replica.
OWN = {"Convergence": "ReplicaCore"}
# It tries all sequences, longer than all other tests together, and comes last where it is to the point.
EXHAUSTIVE = "all sequences of three operations agree in every order of arrival"
NEEDS_EXHAUSTIVE = {"Convergence"}
FAILED = re.compile(r"✘ Test (?:case passing .* to )?(.+?) (?:recorded an issue|failed after)")
# Fewer cases than in a test run of its own.
FEWER = {"HEARTH_QUERY_CASES": "60000", "HEARTH_CONVERGENCE_CASES": "4000"}
# What judges most comes first; these others have a tenth of its seeds, and all that are not named here a twentieth.
SCENARIOS = [
    "swarm", "transactions-under-everything", "evicted-under-everything", "applications-follow",
    "firebase-clients-follow", "clients-of-rest-follow", "sessions-move", "presence-under-faults", "checkpoint-and-tail",
    "installs-under-load", "transfers-are-interrupted", "dense", "clients-vanish", "nodes-return-soon",
    "late-writes-are-decided", "answers-come-soon", "long-list",
    "misdirected-writes", "evicted-node-returns", "users-keep-to-rules", "rules-change-under-load", "evicted-keeps-its-place",
    "majorities-hold-transactions", "one-way-cuts-last", "stable-answers-hold",
]
# Seconds beyond five times what a run takes without a bug, for what else the machine does.
SLACK = 30
# Seconds more if the scenario is made shorter afterwards.
SHRINKING = 120


class Kill(NamedTuple):
    """What noticed a mutant: a test, or a scenario with a check and its seed."""

    by: str
    seed: int | None
    details: str
    seconds: float


def test_passes(module):
    """The runs of the tests for a mutant of a module, as (name, arguments): its own module's tests first."""
    own = OWN.get(module, module)
    others = [name for name, below in TESTED.items() if module in below and name != own]
    passes = [(own, ["--filter", pattern([own]), "--skip", EXHAUSTIVE])]
    if others:
        passes.append(("others", ["--filter", pattern(others), "--skip", EXHAUSTIVE]))
    if module in NEEDS_EXHAUSTIVE:
        passes.append(("exhaustive", ["--filter", EXHAUSTIVE]))
    return passes


def pattern(modules):
    return f"^({'|'.join(modules)})Tests[./]"


class UnitTests:
    """The test binary of the copy, with the time that each run takes without a bug."""

    def __init__(self, folder):
        self.binary = folder / ".build/release/hearthPackageTests.xctest"
        self.folder = folder
        self.durations = {}

    def prepare(self, modules):
        """Measures each run once without a bug; all tests have to pass."""
        for arguments in {tuple(run[1]) for module in modules for run in test_passes(module)}:
            start = time.monotonic()
            failure = self.run(0, arguments, timeout=1800)
            if failure:
                raise RuntimeError(f"without a bug, {' '.join(arguments)} fails: {failure}")
            self.durations[arguments] = time.monotonic() - start

    def judge(self, mutant):
        start = time.monotonic()
        for name, arguments in test_passes(mutant.module):
            limit = SLACK + 5 * self.durations[tuple(arguments)]
            failure = self.run(mutant.number, arguments, limit)
            if failure:
                return Kill(f"{name}: {failure}", None, "", time.monotonic() - start)
        return None

    def run(self, number, arguments, timeout):
        """The first test that fails, "crash" or "time-out"; None if all pass."""
        process = subprocess.Popen(
            [self.binary, "--testing-library", "swift-testing", *arguments], cwd=self.folder, text=True,
            errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**environment(number), **FEWER},
            preexec_fn=limit_memory, start_new_session=True)
        is_late = threading.Event()
        timer = threading.Timer(timeout, lambda: (is_late.set(), process.kill()))
        timer.start()
        try:
            last = ""
            for line in process.stdout:
                if match := FAILED.search(line):
                    return match[1]
                last = line.strip() or last
        finally:
            timer.cancel()
            process.kill()
            status = process.wait()
        if is_late.is_set():
            return "time-out"
        if status == 0:
            return None
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        return f"crash ({name}) {last[-160:]}"


class Simulator:
    """The simulator of the copy, which runs scenarios until one is refuted.

    Without a bug each scenario runs with the first `seeds` alone, to know its time. What later seeds refute is run
    without the bug as well.
    """

    def __init__(self, root, folder, seeds):
        self.folder = folder
        files = scenarios.named(root)
        first = [files[name] for name in SCENARIOS]
        self.files = first + [file for file in files.values() if file not in first]
        self.seeds = seeds
        self.durations = {}

    def prepare(self):
        for file in self.files:
            start = time.monotonic()
            count = max(1, share(file, self.seeds))
            finding = simulate(self.folder, 0, file, "all", count)
            if finding:
                raise RuntimeError(f"without a bug, {file.stem} is refuted: {finding}")
            self.durations[file] = (time.monotonic() - start) / count

    def judge(self, number, shrinks=False, after=0, seeds=None):
        """The first kill by so many seeds of the swarm, and their share of others, but for as many as it comes `after`."""
        start = time.monotonic()
        for file in self.files:
            first, last = share(file, after) + 1, share(file, seeds or self.seeds)
            if first > last:
                continue
            limit = SLACK + 5 * (last + 1 - first) * self.durations[file] + SHRINKING * shrinks
            if finding := simulate(self.folder, number, file, "all", last, limit, shrinks, first):
                seed, check, details = finding
                if seed and seed > max(1, share(file, self.seeds)):
                    self.must_pass(file, seed)
                return Kill(f"{file.stem}: {check}", seed, details, time.monotonic() - start)
        return None

    def must_pass(self, file, seed):
        if finding := simulate(self.folder, 0, file, "all", seed, first=seed):
            raise RuntimeError(f"without a bug, {file.stem} is refuted: {finding}")


def share(file, seeds):
    """The seeds of a scenario for so many of the swarm: with fewer than ten it is alone."""
    if file.stem == "swarm":
        return seeds
    return seeds // 10 if file.stem in SCENARIOS else seeds // 20
