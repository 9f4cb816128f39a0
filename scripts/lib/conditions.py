"""Mutants of conditions: each clause of a guard, an if or a while is negated, or removed."""

import re

from swift_source import closing

# In the text of an edit: what it replaces.
REPLACED = "\x01"
KEYWORD = re.compile(r"(?<![\w.`])(guard|if|while)\s+")
BINDING = re.compile(r"(let|var|case|#available|#unavailable)\b")


def condition_edits(code, start, end):
    """Edits as (rule, start, end, text)."""
    for match in KEYWORD.finditer(code, start, end):
        keyword = match[1]
        for first, last in clauses(code, match.end(), end, keyword):
            text = code[first:last]
            if not text or BINDING.match(text):
                continue
            if not text.startswith("!"):
                yield "condition negated", first, last, f"!({REPLACED})"
            if keyword != "while":
                yield "condition removed", first, last, "true"


def clauses(code, at, end, keyword):
    """Where the clauses of a condition begin and end."""
    found, first = [], at
    while at < end:
        if keyword == "guard" and re.match(r"\s+else\s*\{", code[at:at + 200]):
            break
        if keyword != "guard" and code[at] == "{":
            break
        if code[at] in "([{":
            at = closing(code, at)
        elif code[at] == ",":
            found.append((first, at))
            first = at + 1
        at += 1
    found.append((first, at))
    return [trimmed(code, *clause) for clause in found]


def trimmed(code, first, last):
    text = code[first:last]
    return first + len(text) - len(text.lstrip()), first + len(text.rstrip())
