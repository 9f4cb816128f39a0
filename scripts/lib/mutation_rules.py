"""The rules by which one-line bugs are made: from the text of a Swift file to all its mutants.

A rule knows tokens and brackets, no types: what the compiler refuses is left out later.
"""

import re
import zlib
from typing import NamedTuple

from conditions import REPLACED, condition_edits
from statements import inline_statements, statement_edits
from swift_source import blanked, bodies, closing, ends_statement


class Edit(NamedTuple):
    """A replacement of a part of a file."""

    rule: str
    start: int
    end: int
    text: str


class Mutant(NamedTuple):
    """One bug: what it replaces, inside which body, and how it reads."""

    file: str
    line: int
    rule: str
    old: str
    new: str
    edit: Edit
    body: tuple
    # Of several equal bugs of a file, which one.
    copy: int = 0

    @property
    def module(self):
        return self.file.split("/")[1]

    @property
    def number(self):
        """How the woven copy knows it: the same wherever the line moves. Above the seeded bugs' numbers."""
        words = "|".join((self.file, self.rule, self.old, self.new, str(self.copy)))
        return (1 << 32) + zlib.crc32(words.encode())

    @property
    def name(self):
        return f"{self.file.removeprefix('Sources/')}:{self.line}"

    # For the copy it is a seeded bug of which nobody knows who finds it.
    found_by = ()

    @property
    def files(self):
        return [self.file]

    def applied(self, _, text):
        """The text of its file with the bug."""
        return text[:self.edit.start] + self.edit.text + text[self.edit.end:]


# What is found, and what replaces it; `\1` stands for the first group.
TOKENS = [
    ("comparison", r" < ", [" <= "]),
    ("comparison", r" <= ", [" < "]),
    ("comparison", r" > ", [" >= "]),
    ("comparison", r" >= ", [" > "]),
    ("equality", r" == ", [" != "]),
    ("equality", r" != ", [" == "]),
    ("logic", r" && ", [" || "]),
    ("logic", r" \|\| ", [" && "]),
    ("range", r"\.\.<(?=[\w(.])", ["..."]),
    ("range", r"(?<=[\w)])\.\.\.(?=[\w(])", ["..<"]),
    ("arithmetic", r" \+ ", [" - "]),
    ("arithmetic", r" - ", [" + "]),
    ("off by one", r" [+-] 1\b(?![.\w])", [""]),
    ("bound", r"(?<= [<>=!]= )0\b(?![.\w])", ["1"]),
    ("bound", r"(?<= [<>] )0\b(?![.\w])", ["1"]),
    ("extreme", r"(?<![\w.])max(?=\()", ["min"]),
    ("extreme", r"(?<![\w.])min(?=\()", ["max"]),
    ("extreme", r"(?<=\.)max(?=\()", ["min"]),
    ("extreme", r"(?<=\.)min(?=\()", ["max"]),
    ("end", r"(?<=\.)first\b(?!\()", ["last"]),
    ("end", r"(?<=\.)last\b(?!\()", ["first"]),
    ("end", r"(?<=\.)(pre|suf)fix(?=\()", None),
    ("end", r"(?<=\.)(first|last)Index(?=\(| \{)", None),
    ("end", r"(?<=\.)(remove|drop|pop)(First|Last)(?=\()", None),
    ("end", r"(?<=\.)(lower|upper)Bound\b", None),
    ("Boolean", r"(?<![.\w])(?<!keepingCapacity: )true\b", ["false"]),
    ("Boolean", r"(?<![.\w])false\b", ["true"]),
    ("negation", r"(?<=[\s(])!(?=[\w(])", [""]),
    ("jump", r"(?<=[\s])continue\b", ["break"]),
]
OPPOSITES = {
    "pre": "suf", "suf": "pre", "first": "last", "last": "first", "First": "Last", "Last": "First",
    "lower": "upper", "upper": "lower",
}
# A precondition names our own bugs, and a mark and what leads to it do nothing; neither room that is reserved nor a hash
# is behaviour.
TO_MARK = re.compile(r"\bif [^{}]*\{\s*sometimes\([^(){}]*\)\s*\}(?!\s*else)")
UNTOUCHED = re.compile(
    r"(?<![\w.])(?:precondition|preconditionFailure|assert|assertionFailure|fatalError|sometimes)\("
    r"|(?<![\w.])[\w.]+\.reserveCapacity\(|\bhasher\.combine\(")
INITIALIZER = re.compile(r"\binit\??[<(][^{}]*\{$")
CALL = re.compile(r"(?<!func )(?<!init)\b[a-z]\w*\(")
SIMPLE = re.compile(r"^(?:(\w+): )?([A-Za-z_.][\w.]*)$")


def mutants(file, source):
    """All mutants of a file, in the order of their places."""
    code = blanked(source)
    found, seen = [], {}
    for body in bodies(source):
        if body.is_expression:
            continue
        for edit in sorted(body_edits(code, body), key=lambda edit: (edit.start, edit.rule)):
            one = mutant(file, source, body, edit)
            key = (one.rule, one.old, one.new)
            seen[key] = seen.get(key, 0) + 1
            found.append(one._replace(copy=seen[key] - 1))
    return found


def mutant(file, source, body, edit):
    edit = edit._replace(text=edit.text.replace(REPLACED, source[edit.start:edit.end]))
    first = source.rfind("\n", 0, edit.start) + 1
    last = source.find("\n", edit.end)
    old = source[first:last]
    new = source[first:edit.start] + edit.text + source[edit.end:last]
    return Mutant(file, source.count("\n", 0, edit.start) + 1, edit.rule, flat(old), flat(new), edit,
                  (body.start, body.end))


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


def body_edits(code, body):
    """The edits of a body, but for what is never touched, each once."""
    untouched = [(match.start(), closing(code, match.end() - 1))
                 for match in UNTOUCHED.finditer(code, body.start, body.end)]
    untouched += [match.span() for match in TO_MARK.finditer(code, body.start, body.end)]
    edits = [*token_edits(code, body), *swapped_arguments(code, body), *inverted_result(code, body)]
    edits += [Edit(*edit) for find in (condition_edits, statement_edits, inline_statements)
              for edit in find(code, body.start, body.end)]
    if INITIALIZER.search(code[max(0, body.start - 600):body.start]):
        # Without it, the compiler refuses the whole initializer.
        edits = [edit for edit in edits if edit.rule != "assignment removed"]
    return {edit for edit in edits
            if not any(start <= edit.start < end for start, end in untouched)}


def token_edits(code, body):
    for rule, pattern, replacements in TOKENS:
        for match in re.compile(pattern).finditer(code, body.start, body.end):
            for text in replacements or [opposite(match)]:
                yield Edit(rule, match.start(), match.end(), text)


def opposite(match):
    return re.sub("|".join(OPPOSITES), lambda word: OPPOSITES[word[0]], match[0])


def swapped_arguments(code, body):
    """Neighbouring arguments that are mere names, swapped under their labels."""
    for match in CALL.finditer(code, body.start, body.end):
        end = closing(code, match.end() - 1)
        arguments = code[match.end():end].split(",")
        for at, (one, other) in enumerate(zip(arguments, arguments[1:])):
            here, there = SIMPLE.match(one.strip()), SIMPLE.match(other.strip())
            if here and there and here[2] != there[2] and "\n" not in one + other:
                start = match.end() + sum(len(text) + 1 for text in arguments[:at])
                start += len(one) - len(one.lstrip())
                labels = [f"{label}: " if label else "" for label in (here[1], there[1])]
                yield Edit("arguments", start, start + len(one.strip()) + 1 + len(other),
                           f"{labels[0]}{there[2]}, {labels[1]}{here[2]}")


def inverted_result(code, body):
    """The one expression that a predicate is, negated."""
    header = code[max(0, body.start - 120):body.start - 1].rstrip()
    text = code[body.start:body.end]
    start = body.start + len(text) - len(text.lstrip())
    end = body.start + len(text.rstrip())
    is_predicate = re.search(r"(: Bool|-> Bool|Bool \{\s*get)$", header)
    if not is_predicate or re.match(r"(return|switch|if|guard|let|var|for|while|defer)\b", text.strip()):
        return
    is_single = not any(
        code[at] == "\n" and depth_is_zero(code, start, at) and ends_statement(code, start, at, end)
        for at in range(start, end))
    if is_single and text.strip():
        yield Edit("result", start, end, f"!({REPLACED})")


def depth_is_zero(code, start, at):
    part = code[start:at]
    return all(part.count(a) == part.count(b) for a, b in ("()", "[]", "{}"))
