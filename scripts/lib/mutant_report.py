"""What became of the mutants: some lines for each, and the score of each file and module."""


def row(mutant, unit, simulator):
    """A mutant and its two verdicts: False if not asked for, None if it survived."""
    result = {name: getattr(mutant, name) for name in ("module", "file", "line", "rule", "old", "new", "number")}
    for name, kill in (("unit", unit), ("simulator", simulator)):
        if kill is not False:
            result[name] = kill._asdict() if kill else None
    return result


def show(result):
    print(f"{result['file']}:{result['line']}  {result['rule']}")
    print(f"    - {result['old']}\n    + {result['new']}")
    for name in ("unit", "simulator"):
        if name in result:
            print(f"    {name}: {verdict(result[name])}", flush=True)


def verdict(kill):
    if kill is None:
        return "SURVIVES"
    seed = "" if kill["seed"] is None else f", seed {kill['seed']}"
    return f"killed by {kill['by']}{seed}, {kill['seconds']:.1f} s"


def summary(results):
    """The scores of files and modules, as a table."""
    lines = ["| Place | mutants | unit tests | simulator | either |", "|---|---|---|---|---|"]
    for kind in ("file", "module"):
        for name in sorted({result[kind] for result in results}):
            lines.append(score(name, [result for result in results if result[kind] == name]))
    return "\n".join([*lines, score("all", results)])


def score(name, results):
    def killed(*ways):
        count = sum(any(result.get(way) for way in ways) for result in results)
        return f"{count} ({100 * count // max(1, len(results))} %)"

    return f"| {name} | {len(results)} | {killed('unit')} | {killed('simulator')} | {killed('unit', 'simulator')} |"
