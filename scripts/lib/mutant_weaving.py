"""Weaves mutants into one copy of the sources, and remembers where each is, for the errors of the compiler."""

import re
from typing import NamedTuple

from swift_source import bodies
from weaving import statements

ERROR = re.compile(r"(Sources/[^\s:]+\.swift):(\d+):\d+: error:")


class Part(NamedTuple):
    """Lines of a woven file, and the mutants that an error there condemns."""

    first: int
    last: int
    mutants: tuple
    is_variant: bool


def woven(source, mutants):
    """The file with the mutants behind their switches, and its parts."""
    own = {}
    for mutant in mutants:
        own.setdefault(mutant.body, []).append(mutant)
    text, parts, at = "", [], 0
    for body in bodies(source):
        if (body.start, body.end) not in own:
            continue
        text += source[at:body.start]
        text = branches(text, parts, source, body, own[body.start, body.end])
        at = body.end
    # The import of the switch will be the first line.
    return text + source[at:], [part._replace(first=part.first + 1, last=part.last + 1) for part in parts]


def branches(text, parts, source, body, mutants):
    """The text so far, followed by a body that has the mutants as branches."""
    start = text.count("\n") + 1
    text += "\n"
    for mutant in mutants:
        first = text.count("\n") + 1
        edit = mutant.edit
        variant = source[body.start:edit.start] + edit.text + source[edit.end:body.end]
        text += f"if seededBug == {mutant.number} {{\n{statements(variant, body.has_result)}\n}} else "
        parts.append(Part(first, text.count("\n"), (mutant,), True))
    text += f"{{\n{statements(body.text, body.has_result)}\n}}\n"
    parts.append(Part(start, text.count("\n") + 1, tuple(mutants), False))
    return text


def refused(errors, parts):
    """The mutants that the compiler's errors condemn: those of the line, or else all of the body there."""
    found = set()
    for file, line in ERROR.findall(errors):
        here = [part for part in parts.get(file, []) if part.first <= int(line) <= part.last]
        variants = [part for part in here if part.is_variant]
        # An error at a declaration is about the body that follows.
        following = [part for part in parts.get(file, []) if part.first >= int(line) and not part.is_variant]
        for part in variants or here or following[:1]:
            found.update(part.mutants)
    return found
