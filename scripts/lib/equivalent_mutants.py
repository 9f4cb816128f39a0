"""The list of mutants that change nothing that anybody can notice, each with its reason.

A stanza of `Simulations/equivalent-mutants` names one by what it replaces, so that it goes stale when the line changes:

    file: Sources/QueryEngine/Window.swift
    rule: comparison
    old:  if count <= limit.count { return ranks }
    new:  if count < limit.count { return ranks }
    why:  with as many as the limit, the cut is drawn at the last one.
"""

FIELDS = ("file", "rule", "old", "new", "why")


class ListError(Exception):
    """A stanza that cannot be read."""


def read(path):
    """The reasons, by (file, rule, old, new)."""
    reasons = {}
    for stanza in path.read_text().split("\n\n"):
        lines = [line for line in stanza.splitlines() if line.strip() and not line.startswith("#")]
        if not lines:
            continue
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        fields = {name: text.strip() for name, text in fields.items()}
        if tuple(fields) != FIELDS:
            raise ListError(f"{path.name}: a stanza needs the lines {', '.join(FIELDS)}: {lines[0]}")
        reasons[tuple(fields[name] for name in FIELDS[:4])] = fields["why"]
    return reasons


def key(mutant):
    return mutant.file, mutant.rule, mutant.old, mutant.new


def stale(reasons, mutants):
    """The entries that no mutant has any more."""
    return sorted(set(reasons) - {key(mutant) for mutant in mutants})
