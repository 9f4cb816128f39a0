"""Weaves many seeded bugs into one copy of the sources, each switched on at run time.

Each function that a bug changes exists once as it ships and once for each bug:

    func f() -> Int { if seededBug == 3 { return 2 } else { return 1 } }
"""

import difflib
import re
from typing import NamedTuple

from patches import PatchError
from swift_source import blanked, bodies

MARK = "\x00"


def woven(name, source, bugs):
    """A source file with the bugs that change it, given with their numbers."""
    variants, edits = {}, []
    for number, bug in bugs:
        pairs, added = compare(bug, name, source, bug.applied(name, source))
        edits += [(at, at, text) for at, text in added]
        for body, other in pairs:
            if body.text != other.text:
                variants.setdefault(body, []).append((number, other.text))
    edits += [(body.start, body.end, choice(body, found)) for body, found in variants.items()]
    for start, end, text in sorted(edits, reverse=True):
        source = source[:start] + text + source[end:]
    return source


def choice(body, variants):
    """The code that runs the body, or one of its variants."""
    if body.is_expression:
        chain = "".join(f"seededBug == {n} ? ({text.strip()}) : " for n, text in variants)
        return f" {chain}({body.text.strip()})"
    chain = "".join(
        f"if seededBug == {number} {{\n{statements(text, body.has_result)}\n}} else "
        for number, text in variants)
    return f"\n{chain}{{\n{statements(body.text, body.has_result)}\n}}\n"


def statements(text, has_result):
    """A body as statements: what a function returns implicitly needs the word in a branch."""
    if not has_result or re.search(r"\breturn\b", blanked(text)):
        return text
    code = blanked(text)
    start = len(code) - len(code.lstrip())
    return text[:start] + "return " + text[start:]


def compare(bug, name, source, changed):
    """Pairs the bodies of both texts; also what the bug declares in addition, and where."""
    old, new = skeleton(source), skeleton(changed)
    pairs, added = [], []
    matcher = difflib.SequenceMatcher(
        None, [line.text for line in old], [line.text for line in new], autojunk=False)
    for kind, i, j, k, l in matcher.get_opcodes():
        if kind == "equal":
            for here, there in zip(old[i:j], new[k:l]):
                pairs += zip(here.bodies, there.bodies)
        elif kind == "insert":
            end = new[l].start if l < len(new) else len(changed)
            added.append((old[i].start if i < len(old) else len(source), changed[new[k].start:end]))
        else:
            raise PatchError(
                f"{bug.name} cannot be woven: in {name} it changes more than the inside of "
                f"functions, at {old[i].text.strip()}")
    return pairs, added


def skeleton(source):
    """The lines of a file without its bodies."""
    found = bodies(source)
    text, at = "", 0
    for body in found:
        text += source[at:body.start] + MARK
        at = body.end
    lines, start = [], 0
    for line in (text + source[at:]).splitlines(keepends=True):
        own, found = found[:line.count(MARK)], found[line.count(MARK):]
        lines.append(Line(line, start, own))
        start += len(line) + sum(len(body.text) - len(MARK) for body in own)
    return lines


class Line(NamedTuple):
    """A line of a skeleton, where it starts in the source, and the bodies that belong on it."""

    text: str
    start: int
    bodies: list
