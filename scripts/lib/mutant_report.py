"""What became of the mutants: a line for each, and the score of each module."""

import json


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
    """The score of each module as lines of a table."""
    lines = ["| Module | mutants | unit tests | simulator | either |", "|---|---|---|---|---|"]
    modules = list(dict.fromkeys(result["module"] for result in results))
    for module in modules:
        lines.append(line(module, [result for result in results if result["module"] == module]))
    if len(modules) > 1:
        lines.append(line("all", results))
    return "\n".join(lines)


def line(name, results):
    def score(is_killed):
        killed = sum(map(is_killed, results))
        return f"{killed} ({100 * killed // len(results)} %)"

    return (f"| {name} | {len(results)} | {score(lambda one: one.get('unit'))} | "
            f"{score(lambda one: one.get('simulator'))} | "
            f"{score(lambda one: one.get('unit') or one.get('simulator'))} |").replace("None", "0")


def as_json(result):
    return json.dumps(result)
