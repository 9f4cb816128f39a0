"""All mutants of the cores, and fair samples of them."""

import random

from mutation_rules import mutants

CORES = [
    "DataTree", "Convergence", "QueryEngine", "SyncProtocol", "Store", "ReplicaCore", "ClientCore", "GatewayCore", "Rules",
    "Tokens",
]


def all_mutants(root):
    return [mutant for core in CORES for path in sorted((root / "Sources" / core).rglob("*.swift"))
            for mutant in mutants(path.relative_to(root).as_posix(), path.read_text())]


def sample(pool, size, seed, without=frozenset()):
    """As many of each module, as far as it has so many, by turns: so a run that is cut short has been fair.

    Those without which it is made, by their numbers, do not change which others come.
    """
    order = random.Random(seed)
    groups = {}
    for mutant in pool:
        groups.setdefault(mutant.module, []).append(mutant)
    for group in groups.values():
        order.shuffle(group)
        group[:] = [mutant for mutant in group if mutant.number not in without]
    picked = []
    while len(picked) < size and any(groups.values()):
        picked += [group.pop() for group in groups.values() if group]
    return picked[:size]
