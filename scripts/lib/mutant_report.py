"""What became of the mutants: some lines for each, and the score of each file and module."""


def row(mutant):
    """A mutant without a verdict.

    `unit` and `simulator` are added once they are known, null for one that survived, and the `seeds` that it survived.
    """
    return {name: getattr(mutant, name) for name in ("module", "file", "line", "rule", "old", "new", "number")}


def show(result):
    print(f"{result['file']}:{result['line']}  {result['rule']}")
    print(f"    - {result['old']}\n    + {result['new']}")
    for name in ("unit", "simulator"):
        if name in result:
            seeds = f" {result['seeds']} seeds" if name == "simulator" and result.get("seeds") else ""
            print(f"    {name}: {verdict(result[name], seeds)}", flush=True)


def verdict(kill, seeds=""):
    if kill is None:
        return f"SURVIVES{seeds}"
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
        asked = [result for result in results if any(way in result for way in ways)]
        count = sum(any(result.get(way) for way in ways) for result in asked)
        total = f" of {len(asked)}" if len(asked) < len(results) else ""
        return f"{count}{total} ({100 * count // max(1, len(asked))} %)"

    return f"| {name} | {len(results)} | {killed('unit')} | {killed('simulator')} | {killed('unit', 'simulator')} |"
